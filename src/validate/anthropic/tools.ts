// Calls, results and tools by themselves: ids, names, inputs, and the content of results.
import { isFields, type Json } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { isGiven, readFields, readList, readText } from '../walk.ts'
import { type Block, blocksOfTurn, findConversation, findTurns, type Turn } from './conversation.ts'

const ID = /^[a-zA-Z0-9_-]+$/
const NAME = /^[a-zA-Z0-9_-]+$/
/** Newer models allow 128, set in a profile. */
const NAME_CHARS = 64

const callsAreWellFormed = rule('VALID-A7', (input, report) => {
  const { request, profile } = input
  const maxChars = profile.toolNameChars ?? NAME_CHARS
  const seen = new Set<string>()
  for (const { fields, place } of blocksOfType(input, 'tool_use')) {
    const id = readText(fields.id)
    if (id === undefined || !ID.test(id))
      report(`${place}.id`, `a call’s id must match ${ID.source}`)
    else if (seen.has(id)) report(`${place}.id`, `the id ${id} was used by an earlier call`)
    if (id !== undefined) seen.add(id)
    checkName(fields.name, `${place}.name`, maxChars, report)
    if (!isFields(fields.input)) report(`${place}.input`, 'a call’s input must be an object')
  }
  for (const [index, tool] of readList(readFields(request).tools).entries()) {
    const { type, name } = readFields(tool)
    const isOwn = !isGiven(type) || type === 'custom'
    if (isOwn || name !== undefined) checkName(name, `tools[${index}].name`, maxChars, report)
  }
})

const toolsAreDefined = rule('VALID-A8', (input, report) => {
  if (readList(readFields(input.request).tools).length > 0) return
  const [first] = [...blocksOfType(input, 'tool_use'), ...blocksOfType(input, 'tool_result')]
  if (first === undefined) return
  report('tools', `tools must be defined: there is a ${first.type} at ${first.place}`)
})

/** `tool_reference` is the answer of tool search, found in sessions of real agents. */
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
      const type = readText(readFields(block).type) ?? ''
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
  return findConversation(input).flatMap(({ blocks }) =>
    blocks.filter((block) => block.type === type),
  )
}

function checkName(name: Json | undefined, place: string, maxChars: number, report: Report): void {
  const text = readText(name)
  if (text === undefined || !NAME.test(text))
    report(place, `a tool’s name must match ${NAME.source}`)
  else if (text.length > maxChars) {
    report(place, `a name of ${text.length} characters; ${maxChars} are allowed`)
  }
}

const everyCallIsAnswered = rule('VALID-A4', (input, report) => {
  const turns = findTurns(findConversation(input))
  for (const [index, turn] of turns.entries()) {
    const calls = blocksOfTurn(turn, 'tool_use')
    if (turn.role === 'user') {
      for (const { place } of calls) report(place, 'only the assistant can call a tool')
    }
    if (turn.role !== 'assistant') continue
    const results = resultsAfter(turns, index)
    const answered = new Set<string>()
    const called = new Set(calls.flatMap(({ fields }) => readText(fields.id) ?? []))
    for (const { fields, place } of results) {
      const id = readText(fields.tool_use_id)
      if (id === undefined || !called.has(id)) continue
      if (answered.has(id)) report(place, `${id} is answered a second time`)
      answered.add(id)
    }
    for (const { fields, place } of calls) {
      const id = readText(fields.id)
      if (id !== undefined && !answered.has(id)) {
        report(place, `the next message has no result of the call ${id}`)
      }
    }
  }
})

const everyResultHasItsCall = rule('VALID-A5', (input, report) => {
  const turns = findTurns(findConversation(input))
  for (const [index, turn] of turns.entries()) {
    const results = blocksOfTurn(turn, 'tool_result')
    if (results.length === 0) continue
    const called = new Set(callsBefore(turns, index).map(({ fields }) => readText(fields.id)))
    for (const { fields, place } of results) {
      const id = readText(fields.tool_use_id)
      if (turn.role === 'assistant') report(place, 'only the user can send the result of a call')
      else if (id === undefined) report(`${place}.tool_use_id`, 'the result names no call')
      else if (!called.has(id)) {
        report(`${place}.tool_use_id`, `the message before has no call ${id}`)
      }
    }
  }
})

const resultsComeFirst = rule('VALID-A6', (input, report) => {
  for (const turn of findTurns(findConversation(input))) {
    if (turn.role !== 'user') continue
    let hasOthers = false
    for (const { type, place } of blocksOfTurn(turn)) {
      if (type !== 'tool_result') hasOthers = true
      else if (hasOthers) report(place, 'a result stands behind other content')
    }
  }
})

/**
 * Calls and their results: each call answered once, right after it, before anything else is said.
 */
export const TOOL_ROUND_RULES: readonly Rule[] = [
  everyCallIsAnswered,
  everyResultHasItsCall,
  resultsComeFirst,
]

function resultsAfter(turns: readonly Turn[], index: number) {
  const next = turns[index + 1]
  return next?.role === 'user' ? blocksOfTurn(next, 'tool_result') : []
}

function callsBefore(turns: readonly Turn[], index: number) {
  const before = turns[index - 1]
  return before?.role === 'assistant' ? blocksOfTurn(before, 'tool_use') : []
}
