// Sessions of the Gemini CLI: an answer and the results of its calls stand in one record.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'
import { exchangesAt } from './exchanges.ts'

export function geminiExchanges(text: string): Exchange[] {
  const messages = readList(readFields(JSON.parse(text)).messages).map(readFields)
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
  const calls = readList(toolCalls).map(readFields)
  const results = calls.flatMap(({ result }) => readList(result))
  return [
    { role: 'model', parts: [...readList(said), ...calls.map(callOf)] },
    ...(results.length === 0 ? [] : [{ role: 'user', parts: results }]),
  ]
}

/** The signatures of its thoughts are not recorded; the first call of a step was sent with one. */
function callOf({ id, name, args }: Fields, index: number): Json {
  return {
    functionCall: { id: id ?? null, name: readText(name) ?? '', args: args ?? {} },
    ...(index === 0 && { thoughtSignature: 'not recorded' }),
  }
}
