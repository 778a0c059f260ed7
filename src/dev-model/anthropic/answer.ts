// An answer in Anthropic's shape: whole, or as the events of a stream.
import type { Fields, Json } from '../../core/text/json.ts'
import { readMessages } from '../../validate/anthropic/conversation.ts'
import type { Violation } from '../../validate/rule.ts'
import { readFields, readText } from '../../validate/walk.ts'
import { pieces, sseFrame } from '../http.ts'
import type { Ending, ReplyPart } from '../reply.ts'
import { readId, sealed, unsealed } from '../seal.ts'
import type { Turn } from '../wire-format.ts'
import { afterBlock, type Dropped, findPrefix, sealedThinking } from './thinking.ts'

const STOP_REASONS: Readonly<Record<Ending, string>> = {
  end: 'end_turn',
  tool_use: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  window: 'model_context_window_exceeded',
  stop_sequence: 'stop_sequence',
  pause: 'pause_turn',
}

export function wholeMessage(turn: Turn, dropped: readonly Dropped[]): Fields {
  return {
    ...emptyMessage(turn, dropped),
    content: readBlocks(turn),
    ...findEnd(turn),
    usage: readUsage(turn, turn.usage.outputTokens),
  }
}

export function* messageFrames(turn: Turn, dropped: readonly Dropped[]): Iterable<string> {
  yield event({ type: 'message_start', message: emptyMessage(turn, dropped) })
  yield event({ type: 'ping' })
  for (const [index, block] of readBlocks(turn).entries()) {
    const part = turn.reply.parts[index]
    const json = part?.type === 'call' ? part.arguments : ''
    const { start, deltas } = streamed(block, json)
    yield event({ type: 'content_block_start', index, content_block: start })
    for (const delta of deltas) yield event({ type: 'content_block_delta', index, delta })
    yield event({ type: 'content_block_stop', index })
  }
  const { cache_creation, service_tier, inference_geo, speed, ...usage } = readUsage(
    turn,
    turn.usage.outputTokens,
  )
  yield event({ type: 'message_delta', delta: { container: null, ...findEnd(turn) }, usage })
  yield event({ type: 'message_stop' })
}

function event(data: Fields): string {
  return sseFrame(data, readText(data.type))
}

function emptyMessage(turn: Turn, dropped: readonly Dropped[]): Fields {
  const { seed, asked, body } = turn
  const betas = Array.isArray(body.betas) ? body.betas : []
  return {
    id: readId('msg_', seed),
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: readUsage(turn, 1),
    ...(betas.includes('thinking-binding-controls-2026-08-01') && {
      input_transformations: dropped.map(({ place, reason }) => ({
        type: 'thinking_dropped',
        path: place.replaceAll(/\[(\d+)\]/g, '.$1'),
        reason,
      })),
    }),
  }
}

function findEnd({ asked, reply }: Turn): Fields {
  const isCompaction = asked.compaction !== undefined && reply.ending === 'end'
  return {
    stop_reason: isCompaction ? 'compaction' : STOP_REASONS[reply.ending],
    stop_sequence: reply.stopSequence ?? null,
    stop_details:
      reply.ending === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  }
}

function readUsage({ usage }: Turn, outputTokens: number): Fields {
  return {
    input_tokens: usage.uncachedTokens,
    cache_creation_input_tokens: usage.writtenTokens,
    cache_read_input_tokens: usage.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.writtenTokens - usage.writtenForHourTokens,
      ephemeral_1h_input_tokens: usage.writtenForHourTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  }
}

/** A compaction that was cut off has no summary and no content. */
function readBlocks({ asked, body, reply }: Turn): readonly Fields[] {
  if (asked.compaction !== undefined) {
    if (reply.ending !== 'end') return []
    const text = reply.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    return [compactionBlock(body, text)]
  }
  const prefix = findPrefix(body)
  const isOmitted = readFields(body.thinking).display === 'omitted'
  let { told } = prefix
  return reply.parts.map((part) => {
    const block = readBlock(part, isOmitted, (kind, text) =>
      sealedThinking(kind, text, { ...prefix, told }, asked.model),
    )
    told = afterBlock(told, 'assistant', { type: part.type, fields: block })
    return block
  })
}

function readBlock(
  part: ReplyPart,
  isOmitted: boolean,
  seal: (kind: string, text: string) => string,
): Fields {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, citations: null }
    case 'thinking': {
      const thinking = isOmitted ? '' : part.thinking
      return { type: 'thinking', thinking, signature: seal('thinking', thinking) }
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: seal('redacted_thinking', part.data) }
    case 'call':
      return {
        type: 'tool_use',
        id: part.id.startsWith('toolu_') ? part.id : `toolu_${part.id}`,
        name: part.name,
        input: readInput(part.arguments),
        caller: { type: 'direct' },
      }
  }
}

/** Truncated arguments are not valid JSON: the whole message then has none. */
function readInput(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** The start of a block, and its deltas. */
function streamed(block: Fields, json: string): { start: Fields; deltas: readonly Fields[] } {
  const added = (type: string, field: string, text: string) =>
    pieces(text).map((piece) => ({ type, [field]: piece }))
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: added('text_delta', 'text', readText(block.text) ?? ''),
      }
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          ...added('thinking_delta', 'thinking', readText(block.thinking) ?? ''),
          { type: 'signature_delta', signature: block.signature ?? '' },
        ],
      }
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [
          { type: 'input_json_delta', partial_json: '' },
          ...added('input_json_delta', 'partial_json', json),
        ],
      }
    case 'compaction':
      return {
        start: { ...block, content: null },
        deltas: [{ type: 'compaction_delta', content: block.content ?? null }],
      }
    default:
      return { start: block, deltas: [] }
  }
}

/** Anthropic's compaction: its block, and the check of a returned one. */
function compactionBlock(body: Fields, content: string): Fields {
  const { told } = findPrefix(body)
  const of = { prefix: told, model: readText(body.model) ?? '' }
  return { type: 'compaction', content, signature: sealed('compaction', content, of, told) }
}

/** The API rejects a wrong signature, even if everything else is right (VALID-A15). */
export function checkCompactions(body: Fields): readonly Violation[] {
  return readMessages(body)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'compaction'))
    .flatMap(({ fields, place }) => {
      const [content, signature] = [readText(fields.content), readText(fields.signature)]
      if (content === undefined || signature === undefined || signature === '') return []
      if (unsealed('compaction', content, signature) !== undefined) return []
      return [{ id: 'VALID-A15', where: place, message: 'the compaction is not what was signed' }]
    })
}
