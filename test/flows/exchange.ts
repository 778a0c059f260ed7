// What a provider saw of a conversation so far: requests as they were written, with the answers they got.
import type { Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList } from '../../src/validate/walk.ts'

/**
 * The answer as the provider gave it, told from a body that brings it back as the last one. Undefined
 * where the answer left nothing to send.
 */
export function exchangeOf(request: Json, withAnswer: Json): Exchange | undefined {
  const { messages, input } = readFields(withAnswer)
  const last = readList(messages).findLast((message) => readFields(message).role === 'assistant')
  if (last !== undefined) return { request, answer: last }
  const items = readList(input).slice(readList(readFields(request).input).length)
  const output = items.filter((item) => readFields(item).type !== 'function_call_output')
  return output.length === 0 ? undefined : { request, answer: { output } }
}
