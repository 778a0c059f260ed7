// Sessions of the Gemini CLI: an answer and the results of its calls stand in one record.
import type { Fields, Json } from '../../src/core/text/json.ts'
import { type Exchange, fieldsOf, listOf, textOf } from '../../src/validate/walk.ts'
import { exchangesAt } from './exchanges.ts'

export function geminiExchanges(text: string): Exchange[] {
  const messages = listOf(fieldsOf(JSON.parse(text)).messages).map(fieldsOf)
  return exchangesAt(
    messages.flatMap(contentsOf),
    ({ role }) => role === 'model',
    (contents) => ({ contents }),
    (made) => ({ candidates: made.map((content) => ({ content })) }),
  )
}

function contentsOf({ type, content, toolCalls }: Fields): readonly Json[] {
  const said = typeof content === 'string' ? (content === '' ? [] : [{ text: content }]) : content
  if (type === 'user') return [{ role: 'user', parts: said ?? [] }]
  if (type !== 'gemini') return []
  const calls = listOf(toolCalls).map(fieldsOf)
  const results = calls.flatMap(({ result }) => listOf(result))
  return [
    { role: 'model', parts: [...listOf(said), ...calls.map(callOf)] },
    ...(results.length === 0 ? [] : [{ role: 'user', parts: results }]),
  ]
}

/** The signatures of its thoughts are not recorded; the first call of a step was sent with one. */
function callOf({ id, name, args }: Fields, index: number): Json {
  return {
    functionCall: { id: id ?? null, name: textOf(name) ?? '', args: args ?? {} },
    ...(index === 0 && { thoughtSignature: 'not recorded' }),
  }
}
