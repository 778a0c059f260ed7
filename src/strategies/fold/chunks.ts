// Folds chunks one by one, each with a new agent; in between it checks the summary and makes room.
import type { CompactionContext, StrategyInput } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { countKept, exactFacts } from '../summary/exact-facts.ts'
import {
  EMPTY_FOLD,
  type FoldState,
  type FoldTask,
  runFoldAgent,
  SummaryFile,
} from './fold-agent.ts'
import { type FoldedPart, FoldProgress, fingerprint } from './fold-progress.ts'
import type { FoldPlan } from './plan.ts'
import { FOLD_PROMPT_VERSION, foldPrompt, halved, makeRoomPrompt, notLonger } from './prompt.ts'

interface FoldWork
  extends Pick<FoldTask, 'request' | 'converse' | 'onUsage'>,
    Pick<StrategyInput, 'nextPrompt' | 'instructions'> {
  readonly plan: FoldPlan
  readonly run: CompactionContext
}

export interface FoldedSummary {
  readonly summary: string
  readonly chunks: number
  /** Folded by an earlier interrupted run. */
  readonly reusedChunks: number
  /** Chunks that added nothing to the summary. */
  readonly unchangedChunks: readonly number[]
  /** Chunks that no model was asked for, since too much was missing already. */
  readonly leftChunks: number
}

/** Of which nothing went into the summary. With more, it would pass for what it is not, and nobody takes it. */
const MOST_UNCHANGED = 1

const MAX_HALVINGS = 4
const NOTHING_YET: FoldedPart = { end: 0, chunks: 0, isLast: false, state: EMPTY_FOLD }

/** Rejects if a chunk cannot be folded; finished chunks stay in the scratch. */
export async function foldChunks(work: FoldWork): Promise<FoldedSummary> {
  const { plan, run } = work
  const progress = new FoldProgress(plan.chunks.join(''), readKey(work), run.scratch)
  const found = (await progress.earlier()) ?? NOTHING_YET
  let done = found
  let rest = listRest(plan.chunks, found)
  const unchangedChunks: number[] = []
  for (let halvings = 0; rest.length > 0 && unchangedChunks.length <= MOST_UNCHANGED; ) {
    const [chunk = '', ...later] = rest
    if (isFull(done.state, plan.maxSummaryChars))
      done = { ...done, state: await makeRoom(work, done.state, plan.maxSummaryChars) }
    const place = { chunk, number: done.chunks + 1, total: done.chunks + rest.length }
    tell(work, place, found.chunks)
    try {
      const state = await foldKeeping(work, place, done.state)
      const isUnchanged = state.summary === done.state.summary
      const end = done.end + chunk.length
      done = { ...done, end, chunks: place.number, isLast: later.length === 0, state }
      rest = later
      // From an unchanged chunk on everything is retried next time: stored parts must be complete.
      if (isUnchanged) unchangedChunks.push(place.number)
      else if (unchangedChunks.length === 0) await progress.keep(done)
    } catch (error) {
      const isTooLong = PrecisError.is(error) && error.code === 'overflow'
      if (!isTooLong || halvings >= MAX_HALVINGS) {
        if (isModelsDoing(error)) await progress.forget()
        throw error
      }
      halvings += 1
      rest = halved(rest)
      done = { ...done, longestChars: Math.max(...rest.map(({ length }) => length)) }
    }
  }
  const { state } = done
  const leftChunks = rest.length
  const chunks = done.chunks + leftChunks
  if (leftChunks === 0) tell(work, { number: chunks + 1, total: chunks }, found.chunks)
  for (const number of unchangedChunks)
    run.onWarning?.(`Nothing of chunk ${number} of ${chunks} went into the summary.`)
  const { summary } = state
  return { summary, chunks, reusedChunks: found.chunks, unchangedChunks, leftChunks }
}

/** Work of a failed model must not be reused; work of a stopped one may. */
function isModelsDoing(error: unknown): boolean {
  return PrecisError.is(error) && error.code === 'model-failed' && !error.retryable
}

/** The remaining chunks, none longer than known to fit. */
function listRest(chunks: readonly string[], { end, longestChars }: FoldedPart): string[] {
  let at = 0
  return chunks.flatMap((chunk) => {
    const left = chunk.slice(Math.max(0, end - at))
    at += chunk.length
    if (left === '') return []
    return longestChars === undefined ? [left] : notLonger(left, longestChars)
  })
}

interface Place {
  readonly chunk: string
  readonly number: number // from 1
  readonly total: number
}

/** A model that discards the summary, or adds nothing, is asked once more from the previous summary. */
async function foldKeeping(work: FoldWork, place: Place, state: FoldState): Promise<FoldState> {
  const { number, total } = place
  const next = await foldChunk(work, place, state)
  if (next.summary === state.summary) return foldUnchanged(work, place, state)
  if (!losesMost(state.summary, next.summary)) return next
  work.run.onWarning?.(
    `With chunk ${number} of ${total} most of the summary was lost; it is folded once more.`,
  )
  const again = await foldChunk(work, place, state, 'lost')
  if (!losesMost(state.summary, again.summary)) return again
  throw lostTwice(place)
}

/** There may have been no room. */
async function foldUnchanged(work: FoldWork, place: Place, state: FoldState): Promise<FoldState> {
  const { plan, run } = work
  const { number, total } = place
  run.onWarning?.(`Chunk ${number} of ${total} has changed nothing; it is folded once more.`)
  const isCrowded = state.summary.length > plan.maxSummaryChars / 2
  const roomy = isCrowded ? await makeRoom(work, state, plan.maxSummaryChars) : state
  const again = await foldChunk(work, place, roomy, 'unchanged')
  if (losesMost(roomy.summary, again.summary)) throw lostTwice(place)
  return again.summary === roomy.summary ? state : again
}

function lostTwice({ number, total }: Place): PrecisError {
  return new PrecisError(
    'model-failed',
    `The model has lost most of the summary with chunk ${number} of ${total}, twice.`,
    {
      hint: 'Choose another model as models.fast, or type /strategy cascade and then /compact.',
      details: { ending: 'summary-lost', chunk: number },
    },
  )
}

async function foldChunk(
  work: FoldWork,
  place: Place,
  state: FoldState,
  again?: 'lost' | 'unchanged',
): Promise<FoldState> {
  const { plan, request, converse, onUsage, nextPrompt, instructions } = work
  const { maxSummaryChars } = plan
  const file = new SummaryFile(state, maxSummaryChars)
  const prompt = foldPrompt({
    ...place,
    fence: fenceFor([place.chunk, nextPrompt ?? '', instructions ?? ''].join('\n')),
    maxSummaryChars,
    allowanceChars: computeAllowance(
      state.summary.length,
      maxSummaryChars,
      1 + place.total - place.number,
    ),
    ...(again && { again }),
    ...(nextPrompt !== undefined && { nextPrompt }),
    ...(instructions !== undefined && { instructions }),
  })
  await runFoldAgent({ prompt, file, request, converse, onUsage })
  return file.state
}

/** A tag name the text does not contain, so nothing in it can close the tag. */
function fenceFor(text: string): string {
  for (let salt = 0; ; salt += 1) {
    const fence = `transcript-${fingerprint(text, String(salt))}`
    if (!text.includes(fence)) return fence
  }
}

/** Identifies the model and its instructions. */
function readKey({ request, nextPrompt = '', instructions = '' }: FoldWork): string {
  return fingerprint(`fold ${FOLD_PROMPT_VERSION}`, request.model ?? '', nextPrompt, instructions)
}

function tell({ run }: FoldWork, place: Omit<Place, 'chunk'>, reused: number): void {
  const { number, total } = place
  const kept = reused === 0 ? '' : ` (${reused} were folded before)`
  const message = number > total ? `All ${total} chunks are folded` : `Chunk ${number} of ${total}`
  run.onProgress?.({ message: `${message}${kept}`, done: number - 1, total })
}

/** The share of earlier words that must survive. */
const LEAST_KEPT = 0.4
/** Fewer words say hardly anything. */
const FEWEST_WORDS = 3
/** A larger summary that says something else has lost its content, however long it is. */
const MANY_WORDS = 30

/** Few words may be rephrased; many may not, and none may vanish. */
export function losesMost(before: string, after: string): boolean {
  const held = wordsIn(before)
  if (held.size < FEWEST_WORDS) return false
  const left = wordsIn(after)
  const kept = [...held].filter((word) => left.has(word)).length / held.size
  if (kept >= LEAST_KEPT) return false
  return left.size < held.size || held.size >= MANY_WORDS || losesFacts(before, after)
}

/** Exact facts of a short summary must not be rephrased. */
function losesFacts(before: string, after: string): boolean {
  const facts = exactFacts(before)
  return facts.size > 0 && countKept(facts, [after]) < facts.size * LEAST_KEPT
}

/** Without blanks between words, each character counts. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}\p{M}_]+/gu

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? [])
}

/** Above this share of the limit, make room before the next chunk. */
const FULL = 0.75
/** The target of making room. */
const ROOMY = 0.5
/** The share of exact facts that must survive, or as many as code keeps. */
const LEAST_SUMMARY_KEPT = 0.8

/** One chunk's allowance: a fair part of the rest, but never next to nothing. */
function computeAllowance(summaryChars: number, maxChars: number, chunksLeft: number): number {
  const left = Math.max(0, maxChars - summaryChars)
  return Math.floor(Math.max(maxChars / 8, Math.min(left, (2 * left) / Math.max(1, chunksLeft))))
}

function isFull({ summary }: FoldState, maxChars: number): boolean {
  return summary.length > maxChars * FULL
}

/** Never fails because of a model: in that case code shortens all lines, old and new alike. */
async function makeRoom(
  task: Pick<FoldTask, 'request' | 'converse' | 'onUsage'>,
  state: FoldState,
  maxChars: number,
): Promise<FoldState> {
  const targetChars = Math.floor(maxChars * ROOMY)
  const byCode = shortened(state.summary, targetChars)
  const file = new SummaryFile(state, maxChars)
  const prompt = makeRoomPrompt({ summaryChars: state.summary.length, targetChars })
  try {
    await runFoldAgent({ ...task, prompt, file })
  } catch (error) {
    if (!PrecisError.is(error) || error.code !== 'model-failed') throw error
    return { ...state, summary: byCode }
  }
  const made = file.state
  const isShort = made.summary.length <= maxChars * FULL && made.summary.trim() !== ''
  return isShort && keepsEnough(state.summary, made.summary, byCode)
    ? made
    : { ...state, summary: byCode }
}

function keepsEnough(before: string, after: string, byCode: string): boolean {
  const facts = exactFacts(before)
  const kept = countKept(facts, [after])
  return kept >= facts.size * LEAST_SUMMARY_KEPT || kept >= countKept(facts, [byCode])
}

/** A shorter line would say nothing. */
const SHORTEST_LINE_CHARS = 24

/**
 * Cuts every line to the longest common length that fits; if there are too many, drops those in the middle.
 */
function shortened(text: string, targetChars: number): string {
  const lines = [...new Set(text.split('\n').filter((line) => line.trim() !== ''))]
  const longest = Math.max(...lines.map(({ length }) => length), SHORTEST_LINE_CHARS)
  const cutTo = (chars: number) => lines.map((line) => cutLine(line, chars))
  let [low, high] = [SHORTEST_LINE_CHARS, longest]
  while (low < high) {
    const chars = Math.ceil((low + high) / 2)
    if (cutTo(chars).join('\n').length <= targetChars) low = chars
    else high = chars - 1
  }
  const cut = cutTo(low)
  while (cut.length > 2 && cut.join('\n').length > targetChars)
    cut.splice(Math.floor(cut.length / 2), 1)
  return `${cut.join('\n')}\n`
}

/** First without filler words; if that is not enough, the start and the exact facts of the line. */
function cutLine(line: string, chars: number): string {
  if (line.length <= chars) return line
  const bare = line.replace(FILLERS, '')
  if (bare.length <= chars) return bare
  const facts = cutHead([...exactFacts(bare)].join(', '), chars - 1)
  return `${cutHead(bare, chars - facts.length - 1).trimEnd()} ${facts}`.trim()
}

const FILLERS =
  /\b(?:the|an?|is|are|was|were|has|have|had|been|be|that|which|of|so|and|then|also|very|really|just|in order)\b[ \t]+/gi
