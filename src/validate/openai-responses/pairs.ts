// Calls and their outputs in Responses: complete pairs under one call_id.
import type { Json } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { isGiven, readFields, readList } from '../walk.ts'
import { findChain, type Item, isSent, readItems } from './reasoning.ts'

/** The type of an output → the type of its call. */
const CALL_OF_OUTPUT: ReadonlyMap<string, string> = new Map([
  ['function_call_output', 'function_call'],
  ['custom_tool_call_output', 'custom_tool_call'],
  ['local_shell_call_output', 'local_shell_call'],
  ['shell_call_output', 'shell_call'],
  ['apply_patch_call_output', 'apply_patch_call'],
  ['computer_call_output', 'computer_call'],
  ['mcp_approval_response', 'mcp_approval_request'],
])

const CALLS: ReadonlySet<string> = new Set(CALL_OF_OUTPUT.values())

interface Pairing {
  readonly orphans: readonly Item[]
  readonly open: readonly Item[]
}

/**
 * Read strictly: the call stands before its output, is of the output's kind, and is answered once.
 * Where the server knows more than we do (a response, a conversation or an item that is only
 * named), the call may be there: an output without one is then let pass.
 */
const everyOutputHasItsCall = rule('VALID-R1', (input, report) => {
  const isWholeKnown = !readItems(input.request).some(({ type }) => type === 'item_reference')
  const isDecidable = isWholeKnown && findChain(input).isKnown
  for (const item of findPairing(input).orphans) {
    const field = linkField(item)
    const id = readLink(item)
    if (id === undefined) report(`${item.where}.${field}`, `the ${item.type} names no call`)
    else if (isDecidable) report(`${item.where}.${field}`, `no call ${id} before this output`)
  }
})

/** An unanswered call that the server remembers is reported at `previous_response_id`. */
const everyCallHasItsOutput = rule('VALID-R2', (input, report) => {
  for (const item of findPairing(input).open) {
    // A missing approval is not an unanswered call: the conversation may continue.
    if (item.type === 'mcp_approval_request') continue
    const where = isSent(item) ? `${item.where}.call_id` : item.where
    report(where, `the ${item.type} ${readLink(item) ?? 'without a call_id'} has no output`)
  }
})

export const PAIR_RULES: readonly Rule[] = [everyOutputHasItsCall, everyCallHasItsOutput]

/** Pairs by kind and id; ids may repeat, and an output belongs to the latest open call. */
function findPairing(input: RuleInput): Pairing {
  const waiting = new Map<string, Item[]>()
  const unnamed: Item[] = []
  const orphans: Item[] = []
  for (const item of [...findChain(input).items, ...readItems(input.request)]) {
    if (item.type === undefined) continue
    const id = readLink(item)
    if (CALLS.has(item.type)) {
      const key = `${item.type} ${id}`
      const sameId = waiting.get(key)
      if (id === undefined) unnamed.push(item)
      else if (sameId) sameId.push(item)
      else waiting.set(key, [item])
      continue
    }
    const call = CALL_OF_OUTPUT.get(item.type)
    if (call === undefined) continue
    const answered = id === undefined ? undefined : waiting.get(`${call} ${id}`)?.pop()
    if (answered === undefined && isSent(item)) orphans.push(item)
  }
  return { orphans, open: [...unnamed, ...[...waiting.values()].flat()] }
}

/** The id that links a call and its output. */
function readLink(item: Item): string | undefined {
  const value = item.fields[linkField(item)]
  return typeof value === 'string' ? value : undefined
}

function linkField({ type, fields }: Item): string {
  if (type === 'mcp_approval_request') return 'id'
  if (type === 'mcp_approval_response') return 'approval_request_id'
  // The reference names the field `id` here, the guide `call_id`.
  return type === 'local_shell_call_output' && fields.call_id === undefined ? 'id' : 'call_id'
}

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
  const seen = new Set(findChain(input).items.flatMap(({ id }) => id ?? []))
  for (const { where, type = '', id, fields } of readItems(input.request)) {
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

/** Names must also meet the character rule of Chat Completions. */
const callsAreWellFormed = rule('VALID-R10', ({ request }, report) => {
  for (const { where, type, fields } of readItems(request)) {
    if (type === 'function_call') {
      checkName(`${where}.name`, fields.name, report)
      checkText(`${where}.arguments`, fields.arguments, report)
    } else if (type === 'custom_tool_call') {
      checkName(`${where}.name`, fields.name, report)
      checkText(`${where}.input`, fields.input, report)
    }
  }
  for (const [index, value] of readList(readFields(request).tools).entries()) {
    const { type, name } = readFields(value)
    if (type === 'function' || type === 'custom') checkName(`tools[${index}].name`, name, report)
  }
})

/** Ids, names and arguments in Responses. */
export const ID_RULES: readonly Rule[] = [idsAreUniqueAndWellFormed, callsAreWellFormed]

function checkName(where: string, name: Json | undefined, report: Report): void {
  if (typeof name !== 'string' || !WORD.test(name)) {
    report(where, 'a name has 1 to 64 letters, digits, underscores and dashes')
  }
}

function checkText(where: string, value: Json | undefined, report: Report): void {
  if (typeof value !== 'string') report(where, 'a string is needed')
}
