// Sessions of OpenCode, held through a gateway that speaks Chat Completions.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'
import { chatExchanges } from './exchanges.ts'

export function openCodeExchanges(text: string): Exchange[] {
  const system = { role: 'system', content: 'You are a helpful agent.' }
  const messages = readList(readFields(JSON.parse(text)).messages).map(readFields)
  return chatExchanges([system, ...messages.flatMap(messagesOf)])
}

/** An answer that failed was not sent again. */
function messagesOf({ info, parts }: Fields): readonly Json[] {
  const { role, error, finish } = readFields(info)
  const all = readList(parts).map(readFields)
  const texts = (type: string) =>
    all
      .flatMap((part) => (part.type === type ? [readText(part.text) ?? ''] : []))
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
    function: { name: tool ?? null, arguments: JSON.stringify(readFields(state).input ?? {}) },
  }
}

function resultOf({ callID, state }: Fields): Json {
  const { output, error } = readFields(state)
  const content = readText(output) ?? readText(error) ?? ''
  return { role: 'tool', tool_call_id: callID ?? null, content }
}
