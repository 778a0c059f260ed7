// Ollama's own API: what its requests say, and answers line by line.
import type { Fields, Json } from '../../core/text/json.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../../validate/walk.ts'
import type { Asked, AskedPart, AskedTurn } from '../asked.ts'
import { segmentOf, sumOfTokens } from '../count.ts'
import { NO_LINKS } from '../openai/request.ts'
import { withoutOldest } from '../truncate.ts'
import type { WireFormat } from '../wire-format.ts'
import { ollamaLines, ollamaMessage, refuseOllama } from './answer.ts'
import { shapeOfOllama } from './shape.ts'

/** What Ollama reads of a prompt where nobody says otherwise, whatever the model could take. */
const CONTEXT_TOKENS = 4_096

export function ollamaFormat(contextTokens = CONTEXT_TOKENS): WireFormat {
  return {
    id: 'ollama',
    streamType: 'application/x-ndjson',
    links: NO_LINKS,
    shape: shapeOfOllama,
    lost: () => undefined,
    check: () => [],
    read: readOllama,
    segments: (body) => [
      ...listOf(body.tools).map((tool) => segmentOf('tools', tool)),
      ...listOf(body.messages).map((message) => segmentOf('messages', message)),
    ],
    silentWindow: ({ options }, windowTokens) => {
      const { num_ctx } = fieldsOf(options)
      return Math.min(typeof num_ctx === 'number' ? num_ctx : contextTokens, windowTokens)
    },
    fitted: (body, windowTokens) => withoutOldest(body, 'messages', windowTokens),
    account: (_, segments) => ({
      readTokens: 0,
      writtenTokens: 0,
      writtenForHourTokens: 0,
      uncachedTokens: sumOfTokens(segments),
    }),
    whole: ollamaMessage,
    frames: ollamaLines,
    refuse: refuseOllama,
    errorFrame: (refusal) => `${JSON.stringify(refuseOllama(refusal).body)}\n`,
  }
}

function readOllama(body: Fields): Asked {
  const messages = listOf(body.messages).map(fieldsOf)
  const { num_predict: limit, stop } = fieldsOf(body.options)
  const { think } = body
  return {
    wire: 'ollama',
    model: textOf(body.model) ?? '',
    system: messages
      .flatMap(({ role, content }) => (role === 'system' ? [textOf(content) ?? ''] : []))
      .join('\n'),
    turns: turnsOf(messages),
    tools: listOf(body.tools).flatMap((tool) => {
      const { name, parameters } = fieldsOf(fieldsOf(tool).function)
      return typeof name === 'string' ? [{ name, schema: parameters ?? {} }] : []
    }),
    toolChoice: 'auto',
    parallelCalls: true,
    thinking: isGiven(think) && think !== false,
    stream: body.stream !== false,
    stopSequences: (typeof stop === 'string' ? [stop] : listOf(stop)).flatMap(
      (each) => textOf(each) ?? [],
    ),
    ...(typeof limit === 'number' && limit > 0 && { maxOutputTokens: limit }),
  }
}

/** Calls may come without ids: then results belong to them in the order in which they stand. */
function turnsOf(messages: readonly Fields[]): readonly AskedTurn[] {
  const waiting: string[] = []
  return messages.flatMap((message, index): readonly AskedTurn[] => {
    const { role, content, tool_calls, tool_call_id } = message
    const text = textOf(content) ?? ''
    if (role === 'system') return []
    if (role === 'tool') {
      const id = textOf(tool_call_id) ?? waiting.shift() ?? ''
      return [{ role: 'user', parts: [{ type: 'result', id, text, failed: false }] }]
    }
    const said: readonly AskedPart[] = text === '' ? [] : [{ type: 'text', text }]
    if (role === 'user') return [{ role, parts: said }]
    const calls = listOf(tool_calls).map((call, at) => callOf(fieldsOf(call), `${index}-${at}`))
    waiting.splice(0, waiting.length, ...calls.map(({ id }) => id))
    return [{ role: 'assistant', parts: [...said, ...calls] }]
  })
}

function callOf(call: Fields, place: string): Extract<AskedPart, { type: 'call' }> {
  const { name, arguments: value }: { readonly [key: string]: Json } = fieldsOf(call.function)
  return {
    type: 'call',
    id: textOf(call.id) ?? place,
    name: textOf(name) ?? '',
    arguments: value ?? {},
  }
}
