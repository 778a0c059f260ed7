// Counts the tokens of a wire request: the estimate of its texts in prompt order.
import { type Fields, isFields, type Json } from '../core/text/json.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { readFields, readText } from '../validate/walk.ts'
import { promptText } from './seal.ts'

/** One tool, one block of the system prompt, or one block of a message. */
export interface Segment {
  readonly level: 'tools' | 'system' | 'messages'
  readonly text: string // as sent, without cache marks
  readonly tokens: number
  /** The lifetime of the prefix up to here, if the client marked it. */
  readonly keepMs?: number
}

/** The provider's overhead per segment. */
export const ENVELOPE_TOKENS = 4

/** An image of unknown size counts as a full-size one. */
const IMAGE_TOKENS = 1_600

/** Base64 of a document: four characters for three bytes, mostly not text. */
const CHARS_PER_DOCUMENT_TOKEN = 16

const IMAGE_TYPES = ['image', 'image_url', 'input_image']

/** Fields that describe others, or that no model sees. */
const SILENT = new Set([
  'type',
  'role',
  'id',
  'status',
  'cache_control',
  'signature',
  'encrypted_content',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'media_type',
])

/** Fields whose value the model sees as JSON text. */
const AS_JSON = new Set(['input', 'input_schema', 'parameters', 'arguments', 'format'])

export function buildSegment(level: Segment['level'], value: Json, speaker = ''): Segment {
  const keepMs = readMark(value)
  return {
    level,
    text: speaker + promptText(value),
    tokens: tokensOfJson(value) + ENVELOPE_TOKENS,
    ...(keepMs !== undefined && { keepMs }),
  }
}

export function sumOfTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The texts of a value at any depth. */
export function tokensOfJson(value: Json): number {
  let tokens = 0
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') tokens += estimateTokens(next)
    else if (Array.isArray(next)) for (const item of next) waiting.push(item)
    else if (isFields(next)) tokens += tokensOfFields(next, waiting)
  }
  return tokens
}

/** Adds uncounted values to `waiting`. */
function tokensOfFields(fields: Fields, waiting: Json[]): number {
  if (IMAGE_TYPES.includes(readText(fields.type) ?? '')) return IMAGE_TOKENS
  let tokens = 0
  for (const [key, value] of Object.entries(fields)) {
    if (SILENT.has(key)) continue
    if (isFields(value) && AS_JSON.has(key)) tokens += estimateTokens(JSON.stringify(value))
    else if (typeof value === 'string' && isBytes(key, fields)) {
      tokens += Math.ceil(value.length / CHARS_PER_DOCUMENT_TOKEN)
    } else waiting.push(value)
  }
  return tokens
}

function isBytes(key: string, fields: Fields): boolean {
  return (key === 'data' && fields.type === 'base64') || key === 'file_data'
}

const FIVE_MINUTES_MS = 5 * 60_000

const ONE_HOUR_MS = 60 * 60_000

/** The mark on a block, or the last one on its nested blocks. */
function readMark(value: Json): number | undefined {
  const { cache_control, content } = readFields(value)
  if (isFields(cache_control)) return readKeepMs(cache_control)
  if (!Array.isArray(content)) return undefined
  return content.reduce<number | undefined>((last, each: Json) => readMark(each) ?? last, undefined)
}

export function readKeepMs(mark: Fields): number {
  return mark.ttl === '1h' ? ONE_HOUR_MS : FIVE_MINUTES_MS
}
