// The chunk size and the summary limit of a fold, for its model.
import { PrecisError } from '../../core/errors.ts'
import type { ModelLimits } from '../../core/ports.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { outputRoom } from '../summary/ask-apart.ts'
import { FOLD_SYSTEM, FOLD_TOOLS } from './prompt.ts'
import {
  CHARS_PER_TOKEN,
  chunkMessages,
  type RenderedThread,
  TARGET_CHUNK_TOKENS,
  TOLERANCE_TOKENS,
} from './render-thread.ts'

export interface FoldPlan {
  readonly chunks: readonly string[]
  readonly maxSummaryChars: number
  readonly maxOutputTokens: number
}

export interface FoldPlanInput {
  readonly rendered: RenderedThread
  readonly limits: ModelLimits
  /** The prompt around each chunk. */
  readonly promptTokens: number
  /** The longest useful summary. */
  readonly summaryTokens: number
}

/** The usable share of a window, given estimation errors. */
const TRUSTED = 0.85

/** Half of the remaining room is for the chunk; the summary is read and partly rewritten. */
const CHUNK_SHARE = 0.5

const SUMMARY_SHARE = 0.2

const MAX_SUMMARY_TOKENS = 15_000

const MIN_SUMMARY_TOKENS = 100

/** With less room a fold would be all overhead. */
const MIN_ROOM_TOKENS = 1_000

const MAX_ROUNDS = 8

/** Chunks have the design's size, unless the window is too small or the text too dense. */
export function planFold({
  rendered,
  limits,
  promptTokens,
  summaryTokens,
}: FoldPlanInput): FoldPlan {
  const maxOutputTokens = outputRoom(limits)
  const roomTokens = computeRoom(limits, promptTokens, maxOutputTokens)
  const longestSummary = Math.max(
    MIN_SUMMARY_TOKENS,
    Math.min(MAX_SUMMARY_TOKENS, summaryTokens, Math.floor(roomTokens * SUMMARY_SHARE)),
  )
  return {
    chunks: buildChunks(rendered, Math.floor(roomTokens * CHUNK_SHARE)),
    maxSummaryChars: Math.floor(longestSummary * charsPerToken(rendered.markdown)),
    maxOutputTokens,
  }
}

/** The start of every conversation. */
const INSTRUCTION_TOKENS = estimateTokens(FOLD_SYSTEM + JSON.stringify(FOLD_TOOLS))

function computeRoom(
  { windowTokens }: ModelLimits,
  promptTokens: number,
  outputTokens: number,
): number {
  if (windowTokens === undefined) return Number.MAX_SAFE_INTEGER
  const taken = INSTRUCTION_TOKENS + promptTokens + outputTokens
  const room = Math.floor(windowTokens * TRUSTED) - taken
  if (room >= MIN_ROOM_TOKENS) return room
  throw new PrecisError(
    'irreducible',
    `The window of ${windowTokens} tokens is too small to fold a thread in: ${taken} are taken before a chunk is read.`,
    {
      hint: 'Set models.fast to a model with a larger window, or type /strategy cascade and then /compact.',
    },
  )
}

function charsPerToken(markdown: string): number {
  return Math.min(CHARS_PER_TOKEN, markdown.length / Math.max(1, estimateTokens(markdown)))
}

const TARGET_CHARS = TARGET_CHUNK_TOKENS * CHARS_PER_TOKEN

const TOLERANCE_CHARS = TOLERANCE_TOKENS * CHARS_PER_TOKEN

/** At four characters per token; smaller if a chunk has more tokens than the room. */
function buildChunks(
  { markdown, messageBoundaries }: RenderedThread,
  roomTokens: number,
): string[] {
  let scale = 1
  for (let round = 0; ; round += 1) {
    const chunks = chunkMessages(
      markdown,
      messageBoundaries,
      Math.max(2, Math.floor(TARGET_CHARS * scale)),
      Math.floor(TOLERANCE_CHARS * scale),
    )
    const densest = Math.max(...chunks.map(estimateTokens))
    if (densest <= roomTokens || round >= MAX_ROUNDS) return chunks
    const longest = Math.max(...chunks.map(({ length }) => length))
    const filled = Math.min(scale, longest / (TARGET_CHARS + TOLERANCE_CHARS))
    scale = filled * Math.min(0.9, roomTokens / densest)
  }
}
