// Sessions of OpenCode, held through a gateway that speaks Chat Completions.
import type { Fields, Json } from '../../src/core/text/json.ts'
import { type Exchange, fieldsOf, listOf, textOf } from '../../src/validate/walk.ts'
import { chatExchanges } from './exchanges.ts'

export function openCodeExchanges(text: string): Exchange[] {
  const system = { role: 'system', content: 'You are a helpful agent.' }
  const messages = listOf(fieldsOf(JSON.parse(text)).messages).map(fieldsOf)
  return chatExchanges([system, ...messages.flatMap(messagesOf)])
}

/** An answer that failed was not sent again. */
function messagesOf({ info, parts }: Fields): readonly Json[] {
  const { role, error, finish } = fieldsOf(info)
  const all = listOf(parts).map(fieldsOf)
  const texts = (type: string) =>
    all
      .flatMap((part) => (part.type === type ? [textOf(part.text) ?? ''] : []))
      .filter((said) => said !== '')
  const said = texts('text').join('\n')
  // A compaction is a message of the user without words.
  if (role === 'user') return said === '' ? [] : [{ role, content: said }]
  if (error !== undefined || finish === undefined) return []
  const tools = all.filter(({ type }) => type === 'tool')
  return [
    {
      role: 'assistant',
      content: said === '' && tools.length > 0 ? null : said,
      reasoning_content: texts('reasoning').join('\n'),
      ...(tools.length > 0 && { tool_calls: tools.map(callOf) }),
    },
    ...tools.map(resultOf),
  ]
}

function callOf({ callID, tool, state }: Fields): Json {
  return {
    id: callID ?? null,
    type: 'function',
    function: { name: tool ?? null, arguments: JSON.stringify(fieldsOf(state).input ?? {}) },
  }
}

function resultOf({ callID, state }: Fields): Json {
  const { output, error } = fieldsOf(state)
  const content = textOf(output) ?? textOf(error) ?? ''
  return { role: 'tool', tool_call_id: callID ?? null, content }
}
