// Calls and their results in Chat Completions: pairs and their order.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { readFields, readList, readText } from '../walk.ts'

export interface ChatMessage {
  readonly where: string // `messages[3]`
  readonly role: string | undefined
  readonly fields: Fields
}

interface ChatCall {
  readonly where: string // `messages[3].tool_calls[0]`
  readonly id: string | undefined
  /** `function` or `custom`: the field with name and arguments. */
  readonly kind: 'function' | 'custom'
  readonly body: Fields
}

interface ChatPart {
  readonly where: string // `messages[3].content[1]`
  readonly fields: Fields
}

export function readMessages(request: Json): readonly ChatMessage[] {
  return readList(readFields(request).messages).map((message, index) => {
    const fields = readFields(message)
    return { where: `messages[${index}]`, role: readText(fields.role), fields }
  })
}

/** The calls of an assistant message; other roles have none. */
export function findCalls({ where, role, fields }: ChatMessage): readonly ChatCall[] {
  if (role !== 'assistant') return []
  return readList(fields.tool_calls).map((value, index) => {
    const call = readFields(value)
    const kind = call.type === 'custom' ? 'custom' : 'function'
    return {
      where: `${where}.tool_calls[${index}]`,
      id: readText(call.id),
      kind,
      body: readFields(call[kind]),
    }
  })
}

/** The parts of a list content. */
export function readParts({ where, fields }: ChatMessage): readonly ChatPart[] {
  return readList(fields.content).map((part, index) => ({
    where: `${where}.content[${index}]`,
    fields: readFields(part),
  }))
}

/** All texts of a message with their places. */
export function readTexts(message: ChatMessage): readonly { where: string; text: string }[] {
  const { where, fields } = message
  if (typeof fields.content === 'string') {
    return [{ where: `${where}.content`, text: fields.content }]
  }
  return readParts(message).flatMap((part) => {
    const text = readText(part.fields.text)
    return text === undefined ? [] : [{ where: `${part.where}.text`, text }]
  })
}

const CALL_ID_CHARS = 40

/** «One `tool` message per id» is read strictly: a second one is refused too. */
const everyCallIsAnswered = rule('VALID-C1', ({ request }, report) => {
  const messages = readMessages(request)
  for (const [index, message] of messages.entries()) {
    const calls = findCalls(message)
    if (calls.length === 0) continue
    const results = resultsFrom(messages, index + 1)
    const answered = countBy(results, resultId)
    for (const { where, id } of calls) {
      if (id === undefined) report(`${where}.id`, 'a call without an id cannot be answered')
      else if (!take(answered, id)) {
        report(`${where}.id`, `no tool message answers ${id} before another role speaks`)
      }
    }
    const called = countBy(calls, callId)
    for (const result of results) {
      const id = resultId(result)
      if (id !== undefined && called.has(id) && !take(called, id)) {
        report(`${result.where}.tool_call_id`, `${id} is answered a second time`)
      }
    }
  }
})

const everyResultHasItsCall = rule('VALID-C2', ({ request }, report) => {
  let called: ReadonlyMap<string, number> = new Map()
  for (const message of readMessages(request)) {
    if (message.role !== 'tool') {
      called = countBy(findCalls(message), callId)
      continue
    }
    const id = resultId(message)
    if (id === undefined) report(`${message.where}.tool_call_id`, 'the result names no call')
    else if (!called.has(id)) {
      report(`${message.where}.tool_call_id`, `the assistant message before has no call ${id}`)
    }
  }
})

/** `tool_calls: null` is rejected like an empty list: omit the field. */
const callIdsAreUsable = rule('VALID-C3', ({ request }, report) => {
  for (const message of readMessages(request)) {
    const { where, role, fields } = message
    if (role === 'tool') checkLength(`${where}.tool_call_id`, resultId(message))
    if (role !== 'assistant' || fields.tool_calls === undefined) continue
    const calls = findCalls(message)
    if (calls.length === 0) report(`${where}.tool_calls`, 'tool_calls must be a list of calls')
    const seen = new Set<string>()
    for (const call of calls) {
      checkLength(`${call.where}.id`, call.id)
      if (call.id === undefined) continue
      if (seen.has(call.id)) report(`${call.where}.id`, `two calls of the turn are ${call.id}`)
      seen.add(call.id)
    }
  }
  function checkLength(where: string, id: string | undefined) {
    if (id !== undefined && id.length > CALL_ID_CHARS) {
      report(where, `an id of ${id.length} characters; ${CALL_ID_CHARS} are allowed`)
    }
  }
})

/** «Pairing» is read strictly: right behind each other, and under the same name. */
const functionCallsArePaired = rule('VALID-C9', ({ request }, report) => {
  const messages = readMessages(request)
  for (const [index, message] of messages.entries()) {
    const call = readFunctionCall(message)
    if (call && messages[index + 1]?.role !== 'function') {
      report(`${message.where}.function_call`, 'no function message follows the call')
    }
    if (message.role !== 'function') continue
    const answered = readFunctionCall(messages[index - 1])
    if (!answered) report(message.where, 'no function_call stands right before this result')
    else if (readText(message.fields.name) !== readText(readFields(answered).name)) {
      report(`${message.where}.name`, 'the result names another function than the call before')
    }
  }
})

export const TOOL_ROUND_RULES: readonly Rule[] = [
  everyCallIsAnswered,
  everyResultHasItsCall,
  callIdsAreUsable,
  functionCallsArePaired,
]

/** The unbroken run of tool messages that starts here. */
function resultsFrom(messages: readonly ChatMessage[], start: number): readonly ChatMessage[] {
  let end = start
  while (messages[end]?.role === 'tool') end += 1
  return messages.slice(start, end)
}

function resultId({ fields }: ChatMessage): string | undefined {
  return readText(fields.tool_call_id)
}

function callId({ id }: ChatCall): string | undefined {
  return id
}

function countBy<T>(
  values: readonly T[],
  keyOf: (value: T) => string | undefined,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) {
    const key = keyOf(value)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Uses up one of the counted; false if none is left. */
function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0
  if (left > 0) counts.set(key, left - 1)
  return left > 0
}

function readFunctionCall(message: ChatMessage | undefined) {
  const call = message?.role === 'assistant' ? message.fields.function_call : undefined
  return isFields(call) ? call : undefined
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * The original never parses the string, and models do send broken JSON. Strict backends that render it
 * through a template reject that.
 */
const argumentsAreText = rule('VALID-C5', ({ request, profile }, report) => {
  for (const message of readMessages(request)) {
    for (const { where, kind, body } of findCalls(message)) {
      if (kind === 'function') check(`${where}.function.arguments`, body.arguments)
    }
    const { where, role, fields } = message
    if (role === 'assistant' && isFields(fields.function_call)) {
      check(`${where}.function_call.arguments`, fields.function_call.arguments)
    }
  }
  function check(where: string, value: Json | undefined) {
    if (typeof value !== 'string') report(where, 'arguments are a string of JSON')
    else if (profile.strict && !isJsonText(value)) report(where, 'the arguments are not JSON text')
  }
})

/** `name` on messages is limited to the same characters, the strictest known. */
const namesAreUsable = rule('VALID-C6', ({ request }, report) => {
  for (const message of readMessages(request)) {
    const { where, role, fields } = message
    if (fields.name !== undefined) checkName(`${where}.name`, fields.name, report)
    for (const call of findCalls(message)) {
      checkName(`${call.where}.${call.kind}.name`, call.body.name, report)
    }
    if (role === 'assistant' && isFields(fields.function_call)) {
      checkName(`${where}.function_call.name`, fields.function_call.name, report)
    }
  }
  const { tools, functions } = readFields(request)
  for (const [index, value] of readList(tools).entries()) {
    const tool = readFields(value)
    const kind = tool.type === 'custom' ? 'custom' : 'function'
    checkName(`tools[${index}].${kind}.name`, readFields(tool[kind]).name, report)
  }
  for (const [index, value] of readList(functions).entries()) {
    checkName(`functions[${index}].name`, readFields(value).name, report)
  }
})

/** Names and arguments of functions in Chat Completions. */
export const CALL_RULES: readonly Rule[] = [argumentsAreText, namesAreUsable]

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function checkName(where: string, name: Json | undefined, report: Report): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    report(where, 'a name has 1 to 64 letters, digits, underscores and dashes')
  }
}

/** The original accepts any opening; the templates of strict backends start with the user. */
const userSpeaksFirst = rule('VALID-A2', ({ request, profile }, report) => {
  if (!profile.strict) return
  const [first] = listSpoken(request)
  if (first?.role === 'assistant') report(first.where, 'the user speaks first on this backend')
})

/**
 * Results stand between two answers as the user does. Whether a user may follow them at once is
 * VALID-O3, and what a second system message does is VALID-C8.
 */
const rolesAlternate = rule('VALID-A3', ({ request, profile }, report) => {
  if (!profile.strict) return
  let before: string | undefined
  for (const { where, role } of listSpoken(request)) {
    if (role === before && (role === 'user' || role === 'assistant')) {
      report(where, `two messages of the ${role} in a row: roles must alternate here`)
    }
    before = role
  }
})

/** Turn order on strict backends of Chat Completions: the user opens, and roles alternate. */
export const TURN_RULES: readonly Rule[] = [userSpeaksFirst, rolesAlternate]

function listSpoken(request: Json): readonly ChatMessage[] {
  return readMessages(request).filter(({ role }) => role !== 'system' && role !== 'developer')
}
