// The weight of log rows in estimated tokens; the same row always has the same weight
// Cutting a text to a length without breaking a character: no half surrogate pair, no torn-off accent.
// Counters of tokens: the port, the estimate, and four characters a token.

import type { ThreadEvent } from '../../log/event.ts'
import {
  type Answer,
  type Block,
  type Media,
  type Part,
  type ToolCall,
  type ToolResult,
  textOfUserContent,
  type UserContent,
} from '../../view/content.ts'
import { sizeOfImage } from '../../view/images.ts'
import { estimateTokens } from './estimate.ts'

/** What a provider adds around each message or block. */
const ENVELOPE_TOKENS = 4
/** An image whose size is not known: what a full-size one costs after the provider scales it down. */
const IMAGE_TOKENS = 1_600
/** The line that says where the whole of a shortened result is. */
const REF_TOKENS = 14
const PIXELS_PER_TOKEN = 750
/** An image with a longer edge is scaled down to it first. */
const LONGEST_EDGE_PX = 1_568
/** Base64 of a document: four characters for three bytes, mostly not text. */
const CHARS_PER_DOCUMENT_TOKEN = 16

export function weighText(text: string): number {
  return estimateTokens(text) + ENVELOPE_TOKENS
}

export function weighUser(content: UserContent): number {
  if (typeof content === 'string') return weighText(content)
  return content.reduce((sum, part) => sum + weighPart(part), ENVELOPE_TOKENS)
}

/** An answer without its thinking and without its calls. */
export function weighAnswer(answer: Answer): number {
  if (answer.parts === undefined) return weighText(answer.content)
  return answer.parts.reduce(
    (sum, part) => sum + (isThinking(part) ? 0 : weighPart(part)),
    ENVELOPE_TOKENS,
  )
}

/** The thinking of an answer, or undefined if it has none; an empty one weighs, too. */
export function weighThinking(answer: Answer): number | undefined {
  const thinking = answer.parts?.filter(isThinking) ?? []
  return thinking.length === 0
    ? undefined
    : thinking.reduce((sum, part) => sum + weighPart(part), 0)
}

export function weighCall(call: ToolCall): number {
  return (
    estimateTokens(call.name) + estimateTokens(JSON.stringify(call.arguments)) + ENVELOPE_TOKENS
  )
}

export function weighResult({ content, shown }: ToolResult): number {
  const around = shown === undefined ? ENVELOPE_TOKENS : ENVELOPE_TOKENS + REF_TOKENS
  return (shown ?? content).reduce((sum, block) => sum + weighBlock(block), around)
}

function weighBlock(block: Block): number {
  const text = block.text === undefined ? 0 : estimateTokens(block.text)
  if (block.type === 'image') return text + weighImage(block)
  if (block.type === 'native') return text + estimateTokens(JSON.stringify(block.value ?? null))
  return (
    text + (block.data === undefined ? 0 : Math.ceil(block.data.length / CHARS_PER_DOCUMENT_TOKEN))
  )
}

function weighPart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text)
    case 'thinking':
      return estimateTokens(part.thinking) + ENVELOPE_TOKENS
    case 'redacted_thinking':
      return Math.ceil(part.data.length / CHARS_PER_DOCUMENT_TOKEN) + ENVELOPE_TOKENS
    case 'image':
      return weighImage(part.media)
    case 'document':
      return part.media.text === undefined
        ? Math.ceil((part.media.data?.length ?? 0) / CHARS_PER_DOCUMENT_TOKEN)
        : estimateTokens(part.media.text)
    case 'native':
      return estimateTokens(JSON.stringify(part.value))
    case 'tool_call':
      return 0 // weighed with its TOOL_CALL row
  }
}

/** By its dimensions, which its first bytes tell where nobody measured it. */
function weighImage(image: Pick<Media, 'data' | 'widthPx' | 'heightPx'>): number {
  const size = sizeOfImage(image)
  if (size === undefined) return IMAGE_TOKENS
  const { widthPx, heightPx } = size
  const scale = Math.min(1, LONGEST_EDGE_PX / Math.max(widthPx, heightPx))
  return Math.max(1, Math.ceil((widthPx * heightPx * scale * scale) / PIXELS_PER_TOKEN))
}

function isThinking(part: Part): boolean {
  return part.type === 'thinking' || part.type === 'redacted_thinking'
}

// Calibrates the estimate for a model, from its provider's counts

/** What a provider counted, beside our own estimate of the same context. */
export interface Measurement {
  readonly tokens: number
  readonly estimate: number
}

export interface Calibration {
  readonly ratio: number // counted tokens for each estimated one
  readonly samples: number // pairs of measurements it was learned from
  /** What the provider counted beyond the context: tools, mostly. Outlives a change of the context. */
  readonly overheadTokens?: number
  readonly last?: Measurement // to compare the next one with
}

/** Until two measurements are known, the estimate stands as it is. */
export const UNCALIBRATED: Calibration = { ratio: 1, samples: 0 }

/** Between closer measurements, what a provider adds around each message would distort the ratio. */
export const MIN_DELTA_TOKENS = 200
const LOWEST_RATIO = 0.5
const HIGHEST_RATIO = 3
const LOWEST_WEIGHT = 0.25

/**
 * One more measurement of a growing context; undefined if there is none, as after a change of the
 * context: what follows is not compared with what was before. Only what was added between two
 * measurements counts, so the constant part (system prompt, tools) cancels out.
 */
export function calibrate(
  calibration: Calibration,
  measured: Measurement | undefined,
): Calibration {
  const { last, ...learned } = calibration
  if (measured === undefined || !isUsable(measured)) {
    return last === undefined ? calibration : { ...learned, ratio: ratioOfWhole(calibration) }
  }
  if (last === undefined) return anchored(learned, measured)
  const estimated = measured.estimate - last.estimate
  const counted = measured.tokens - last.tokens
  // It shrank although nothing was changed here: start again from what is there now.
  if (estimated < 0 || counted < 0) return anchored(learned, measured)
  if (estimated < MIN_DELTA_TOKENS) return calibration
  const { ratio, samples } = learned
  const weight = Math.max(LOWEST_WEIGHT, 1 / (samples + 1))
  const better = ratio + weight * (clamp(counted / estimated) - ratio)
  return anchored({ ratio: better, samples: samples + 1 }, measured)
}

/**
 * The ratio for a whole context rather than for what is added to it. The context is a part of what was
 * counted last, so a ratio by which it would be more is too high.
 */
export function ratioOfWhole({ ratio, last }: Calibration): number {
  return last ? Math.min(ratio, clamp(last.tokens / last.estimate)) : ratio
}

function anchored(learned: Calibration, { tokens, estimate }: Measurement): Calibration {
  const overheadTokens = Math.max(0, Math.round(tokens - learned.ratio * estimate))
  return { ...learned, overheadTokens, last: { tokens, estimate } }
}

function isUsable({ tokens, estimate }: Measurement): boolean {
  return Number.isFinite(tokens) && tokens > 0 && Number.isFinite(estimate) && estimate >= 0
}

function clamp(ratio: number): number {
  return Math.min(HIGHEST_RATIO, Math.max(LOWEST_RATIO, ratio))
}

/** How far a cut moves for the sake of a whole character; beyond that only surrogate pairs count. */
const LONGEST_CLUSTER_CHARS = 32

/** What belongs to the character before it: accents, emoji modifiers, joiners, tags. */
const EXTENDS = /^(?:\u200d|\p{M}|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])/u
const ZERO_WIDTH_JOINER = 0x200d

/** The beginning of a text, at most `maxChars` UTF-16 units long. */
export function cutHead(text: string, maxChars: number): string {
  const limit = wholeFrom0(maxChars)
  if (text.length <= limit) return text
  const lowest = Math.max(0, limit - LONGEST_CLUSTER_CHARS)
  for (let at = limit; at >= lowest; at -= 1) if (isBoundary(text, at)) return text.slice(0, at)
  return text.slice(0, splitsPair(text, limit) ? limit - 1 : limit)
}

/** The end of a text, at most `maxChars` UTF-16 units long. */
export function cutTail(text: string, maxChars: number): string {
  const limit = wholeFrom0(maxChars)
  if (text.length <= limit) return text
  const start = text.length - limit
  const highest = Math.min(text.length, start + LONGEST_CLUSTER_CHARS)
  for (let at = start; at <= highest; at += 1) if (isBoundary(text, at)) return text.slice(at)
  return text.slice(splitsPair(text, start) ? start + 1 : start)
}

/** A length that is not a number keeps nothing: a caller that lost count must not get everything. */
function wholeFrom0(maxChars: number): number {
  return maxChars > 0 ? Math.floor(maxChars) : 0
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true
  if (splitsPair(text, at) || text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER) return false
  return !EXTENDS.test(text.slice(at, at + 2))
}

function splitsPair(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

const CHARS_PER_TOKEN = 4

export function charsOverFour(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

/** What the events of a conversation come to, each rounded by itself; other types count nothing. */
export function estimateConversationTokens(events: readonly ThreadEvent[]): number {
  return events.reduce((sum, event) => sum + tokensOfEvent(event), 0)
}

function tokensOfEvent(event: ThreadEvent): number {
  switch (event.type) {
    case 'USER_MESSAGE':
      return charsOverFour(textOfUserContent(event.data))
    case 'AGENT_MESSAGE':
      return charsOverFour(event.data.content)
    case 'TOOL_RESULT':
      return charsOverFour(JSON.stringify(event.data))
    default:
      return 0
  }
}

/** Counters of tokens: the port, the estimate, and four characters a token. */
export interface TokenCounter {
  readonly id: 'chars4' | 'estimate' | 'o200k'
  /** A whole number from 0, the same for the same text. Never throws, whatever the text holds. */
  count(text: string): number
}

export const chars4Counter: TokenCounter = { id: 'chars4', count: charsOverFour }

export const estimateCounter: TokenCounter = { id: 'estimate', count: estimateTokens }
