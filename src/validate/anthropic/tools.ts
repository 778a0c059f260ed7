// Calls, results and tools by themselves: ids, names, inputs, and what a result may hold.
import { isFields, type Json } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../walk.ts'
import { type Block, conversationOf } from './conversation.ts'

const ID = /^[a-zA-Z0-9_-]+$/
const NAME = /^[a-zA-Z0-9_-]+$/
/** Newer models take 128; a profile says so. */
const NAME_CHARS = 64

const callsAreWellFormed = rule('VALID-A7', (input, report) => {
  const { request, profile } = input
  const maxChars = profile.toolNameChars ?? NAME_CHARS
  const seen = new Set<string>()
  for (const { fields, place } of blocksOfType(input, 'tool_use')) {
    const id = textOf(fields.id)
    if (id === undefined || !ID.test(id))
      report(`${place}.id`, `a call’s id must match ${ID.source}`)
    else if (seen.has(id)) report(`${place}.id`, `the id ${id} was used by an earlier call`)
    if (id !== undefined) seen.add(id)
    checkName(fields.name, `${place}.name`, maxChars, report)
    if (!isFields(fields.input)) report(`${place}.input`, 'a call’s input must be an object')
  }
  for (const [index, tool] of listOf(fieldsOf(request).tools).entries()) {
    const { type, name } = fieldsOf(tool)
    const isOwn = !isGiven(type) || type === 'custom'
    if (isOwn || name !== undefined) checkName(name, `tools[${index}].name`, maxChars, report)
  }
})

const toolsAreDefined = rule('VALID-A8', (input, report) => {
  if (listOf(fieldsOf(input.request).tools).length > 0) return
  const [first] = [...blocksOfType(input, 'tool_use'), ...blocksOfType(input, 'tool_result')]
  if (first === undefined) return
  report('tools', `tools must be defined: there is a ${first.type} at ${first.place}`)
})

/** `tool_reference` is what the search among tools answers with; sessions of real agents hold it. */
const RESULT_TYPES = ['text', 'image', 'document', 'search_result', 'tool_reference']

const resultsHoldWhatTheyMay = rule('VALID-A11', (input, report) => {
  for (const { fields, place } of blocksOfType(input, 'tool_result')) {
    const { content } = fields
    if (!isGiven(content) || typeof content === 'string') continue
    if (!Array.isArray(content)) {
      report(`${place}.content`, 'a result’s content is a text or a list of blocks')
      continue
    }
    for (const [index, block] of content.entries()) {
      const type = textOf(fieldsOf(block).type) ?? ''
      if (!RESULT_TYPES.includes(type)) {
        report(`${place}.content[${index}]`, `a result may hold ${RESULT_TYPES.join(', ')} only`)
      } else if (fields.is_error === true && type !== 'text') {
        report(`${place}.content[${index}]`, 'the result of a failed call may hold text only')
      }
    }
  }
})

export const TOOL_RULES: readonly Rule[] = [
  callsAreWellFormed,
  toolsAreDefined,
  resultsHoldWhatTheyMay,
]

function blocksOfType(input: RuleInput, type: string): readonly Block[] {
  return conversationOf(input).flatMap(({ blocks }) =>
    blocks.filter((block) => block.type === type),
  )
}

function checkName(name: Json | undefined, place: string, maxChars: number, report: Report): void {
  const text = textOf(name)
  if (text === undefined || !NAME.test(text))
    report(place, `a tool’s name must match ${NAME.source}`)
  else if (text.length > maxChars) {
    report(place, `a name of ${text.length} characters; ${maxChars} are allowed`)
  }
}
