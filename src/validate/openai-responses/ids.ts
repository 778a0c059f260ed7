// Ids, names and arguments in Responses.
import type { Json } from '../../core/text/json.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { fieldsOf, isGiven, listOf } from '../walk.ts'
import { chainOf, itemsOf } from './items.ts'

const WORD = /^[a-zA-Z0-9_-]{1,64}$/
const CALL_ID_CHARS = 64
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['reasoning', 'rs_'],
  ['message', 'msg_'],
  ['function_call', 'fc_'],
  ['custom_tool_call', 'ctc_'],
  ['web_search_call', 'ws_'],
])

/**
 * Sending an item again that the chain of `previous_response_id` holds is a duplicate too. Of a
 * `call_id` only the length is checked by the server; it may repeat.
 */
const idsAreUniqueAndWellFormed = rule('VALID-R4', (input, report) => {
  const seen = new Set(chainOf(input).items.flatMap(({ id }) => id ?? []))
  for (const { where, type = '', id, fields } of itemsOf(input.request)) {
    const prefix = PREFIXES.get(type) ?? ''
    if (isGiven(fields.id)) {
      if (id === undefined || !WORD.test(id)) {
        report(`${where}.id`, 'an id has 1 to 64 letters, digits, underscores and dashes')
      } else if (!id.startsWith(prefix)) {
        report(`${where}.id`, `the id of a ${type} begins with ${prefix}`)
      } else if (seen.has(id)) report(`${where}.id`, `the item ${id} is there twice`)
    }
    if (id !== undefined) seen.add(id)
    const { call_id: callId } = fields
    if (typeof callId === 'string' && callId.length > CALL_ID_CHARS) {
      report(`${where}.call_id`, `${callId.length} characters; ${CALL_ID_CHARS} are allowed`)
    }
  }
})

/** Names are held to the characters of Chat Completions as well as to the length. */
const callsAreWellFormed = rule('VALID-R10', ({ request }, report) => {
  for (const { where, type, fields } of itemsOf(request)) {
    if (type === 'function_call') {
      checkName(`${where}.name`, fields.name, report)
      checkText(`${where}.arguments`, fields.arguments, report)
    } else if (type === 'custom_tool_call') {
      checkName(`${where}.name`, fields.name, report)
      checkText(`${where}.input`, fields.input, report)
    }
  }
  for (const [index, value] of listOf(fieldsOf(request).tools).entries()) {
    const { type, name } = fieldsOf(value)
    if (type === 'function' || type === 'custom') checkName(`tools[${index}].name`, name, report)
  }
})

export const ID_RULES: readonly Rule[] = [idsAreUniqueAndWellFormed, callsAreWellFormed]

function checkName(where: string, name: Json | undefined, report: Report): void {
  if (typeof name !== 'string' || !WORD.test(name)) {
    report(where, 'a name has 1 to 64 letters, digits, underscores and dashes')
  }
}

function checkText(where: string, value: Json | undefined, report: Report): void {
  if (typeof value !== 'string') report(where, 'a string is needed')
}
