// Sessions of pi, in the shape of the API that each was held through.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'
import { anthropicExchanges, chatExchanges, jsonLines } from './exchanges.ts'

interface PiSession {
  readonly api: string
  readonly model: string
  readonly exchanges: readonly Exchange[]
}

export function piExchanges(text: string): PiSession {
  const entries = jsonLines(text)
  const last = entries.map(messageOf).findLast(({ role }) => role === 'assistant')
  const api = readText(last?.api) ?? ''
  const exchanges = windowsOf(entries).flatMap((messages) =>
    api === 'anthropic-messages'
      ? anthropicExchanges(messages.flatMap(anthropicMessages))
      : chatExchanges([SYSTEM, ...messages.flatMap(chatMessages)]),
  )
  return { api, model: readText(last?.model) ?? '', exchanges }
}

const SYSTEM: Json = { role: 'system', content: 'You are a helpful agent.' }

function messageOf({ type, message }: Fields): Fields {
  return type === 'message' ? readFields(message) : {}
}

/** A compaction starts anew: its summary, what it kept, and what came later. */
function windowsOf(entries: readonly Fields[]): readonly (readonly Fields[])[] {
  const windows: Fields[][] = [[]]
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== 'compaction') windows.at(-1)?.push(messageOf(entry))
    else {
      const first =
        typeof entry.firstKeptEntryIndex === 'number' ? entry.firstKeptEntryIndex : index
      const summary = { role: 'user', content: readText(entry.summary) ?? '' }
      windows.push([summary, ...entries.slice(first, index).map(messageOf)])
    }
  }
  return windows.map(withoutBroken)
}

/** Answers that failed or were aborted are not sent, nor what came back for their calls. */
function withoutBroken(messages: readonly Fields[]): readonly Fields[] {
  const whole = messages.filter(
    ({ role, stopReason }) =>
      role !== 'assistant' || (stopReason !== 'error' && stopReason !== 'aborted'),
  )
  const called = new Set(
    whole.flatMap(({ content }) => readList(content).map((block) => readFields(block).id)),
  )
  const results = new Set(whole.map(({ toolCallId }) => toolCallId))
  return whole
    .filter(({ role, toolCallId }) => role !== 'toolResult' || called.has(toolCallId))
    .flatMap((message) => [message, ...missingResults(message, results)])
}

/** A call that a compaction came in between of: the agent tells the model that there is no result. */
function missingResults(
  { role, content }: Fields,
  results: ReadonlySet<Json | undefined>,
): readonly Fields[] {
  if (role !== 'assistant') return []
  return readList(content).flatMap((block) => {
    const { type, id } = readFields(block)
    if (type !== 'toolCall' || results.has(id)) return []
    const said = [{ type: 'text', text: 'No result provided' }]
    return [{ role: 'toolResult', toolCallId: id ?? null, content: said, isError: true }]
  })
}

function blocksOf({ content }: Fields): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return readList(content).map(readFields)
}

/** What the user ran himself is told as text. */
function spoken(message: Fields): Fields {
  if (message.role !== 'bashExecution') return message
  const { command, output } = message
  return { role: 'user', content: `Ran ${readText(command) ?? ''}\n${readText(output) ?? ''}` }
}

function anthropicMessages(message: Fields): readonly Json[] {
  const { role, toolCallId, isError } = message
  const blocks = blocksOf(spoken(message)).flatMap(anthropicBlock)
  switch (role) {
    case 'assistant':
      return blocks.length === 0 ? [] : [{ role, content: blocks }]
    case 'toolResult': {
      const result = { type: 'tool_result', tool_use_id: toolCallId ?? null, content: blocks }
      return [{ role: 'user', content: [{ ...result, is_error: isError ?? false }] }]
    }
    case 'user':
    case 'bashExecution':
      return blocks.length === 0 ? [] : [{ role: 'user', content: blocks }]
    default:
      return []
  }
}

function anthropicBlock(block: Fields): readonly Json[] {
  const { type, text, thinking, thinkingSignature, id, name, data, mimeType } = block
  switch (type) {
    case 'text':
      return (readText(text) ?? '').trim() === '' ? [] : [{ type, text: text ?? '' }]
    case 'thinking':
      return thinkingSignature
        ? [{ type, thinking: thinking ?? '', signature: thinkingSignature }]
        : []
    case 'toolCall':
      return [
        { type: 'tool_use', id: id ?? null, name: name ?? null, input: block.arguments ?? {} },
      ]
    case 'image':
      return [
        { type, source: { type: 'base64', media_type: mimeType ?? null, data: data ?? null } },
      ]
    default:
      return []
  }
}

function chatMessages(message: Fields): readonly Json[] {
  const { role, toolCallId } = message
  const blocks = blocksOf(spoken(message))
  const texts = (type: string, field: string) =>
    blocks.flatMap((block) => (block.type === type ? [readText(block[field]) ?? ''] : [])).join('')
  const said = texts('text', 'text')
  switch (role) {
    case 'assistant': {
      const calls = blocks.filter(({ type }) => type === 'toolCall').map(chatCall)
      const content = said === '' && calls.length > 0 ? null : said
      const reasoning = texts('thinking', 'thinking')
      return [
        {
          role,
          content,
          reasoning_content: reasoning,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
      ]
    }
    case 'toolResult':
      return [{ role: 'tool', tool_call_id: toolCallId ?? null, content: said }]
    case 'user':
    case 'bashExecution':
      return [{ role: 'user', content: said }]
    default:
      return []
  }
}

function chatCall({ id, name, arguments: given }: Fields): Json {
  return {
    id: id ?? null,
    type: 'function',
    function: { name: name ?? null, arguments: JSON.stringify(given ?? {}) },
  }
}
