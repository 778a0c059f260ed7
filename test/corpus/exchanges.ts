// What the readers of recorded sessions share: lines of JSON, and a conversation as the requests it was made in.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields } from '../../src/validate/walk.ts'

export function jsonLines(text: string): readonly Fields[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readFields(JSON.parse(line)))
}

/** One request for each run of items that the model made: all that stood before it. */
export function exchangesAt(
  items: readonly Json[],
  isAnswer: (item: Fields) => boolean,
  request: (before: readonly Json[]) => Json,
  answer: (items: readonly Json[]) => Json,
): Exchange[] {
  const found: Exchange[] = []
  for (let at = 1; at < items.length; at += 1) {
    if (!isAnswer(readFields(items[at])) || isAnswer(readFields(items[at - 1]))) continue
    const end = items.findIndex((item, index) => index > at && !isAnswer(readFields(item)))
    const made = items.slice(at, end === -1 ? undefined : end)
    found.push({ request: request(items.slice(0, at)), answer: answer(made) })
  }
  return found
}

/** The files hold no tools: the rules only ask that there are some. */
const ANTHROPIC_TOOLS: Json = [{ name: 'read', input_schema: { type: 'object' } }]

export function anthropicExchanges(messages: readonly Json[]): Exchange[] {
  return exchangesAt(
    messages,
    ({ role }) => role === 'assistant',
    (before) => ({ tools: ANTHROPIC_TOOLS, messages: before }),
    (made) => ({ content: made.flatMap((message) => readFields(message).content ?? []) }),
  )
}

export function chatExchanges(messages: readonly Json[]): Exchange[] {
  return exchangesAt(
    messages,
    ({ role }) => role === 'assistant',
    (before) => ({ model: 'recorded', messages: before }),
    (made) => ({ choices: made.map((message) => ({ message })) }),
  )
}
