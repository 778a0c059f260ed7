// Folds chunks one after the other, each with a new agent; reuses chunks of an earlier run
import type { CompactionContext, StrategyInput } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { countKept, exactFacts } from '../summary/checks.ts'
import {
  EMPTY_FOLD,
  type FoldState,
  type FoldTask,
  runFoldAgent,
  SummaryFile,
} from './fold-agent.ts'
import { type FoldedPart, FoldProgress, fingerprint } from './fold-progress.ts'
import { allowanceOf, isFull, makeRoom } from './fold-room.ts'
import { type FoldPlan, halved, notLonger } from './plan.ts'
import { FOLD_PROMPT_VERSION, foldPrompt } from './prompt.ts'

interface FoldWork
  extends Pick<FoldTask, 'request' | 'converse' | 'onUsage'>,
    Pick<StrategyInput, 'nextPrompt' | 'instructions'> {
  readonly plan: FoldPlan
  readonly run: CompactionContext
}

export interface FoldedSummary {
  readonly summary: string
  readonly chunks: number
  /** Folded by an earlier run that was cut short. */
  readonly reusedChunks: number
  /** Numbers of chunks of which nothing went into the summary. */
  readonly unchangedChunks: readonly number[]
}

const MAX_HALVINGS = 4
const NOTHING_YET: FoldedPart = { end: 0, chunks: 0, isLast: false, state: EMPTY_FOLD }

/** Rejects as soon as one chunk cannot be folded; what was finished before stays in the scratch. */
export async function foldChunks(work: FoldWork): Promise<FoldedSummary> {
  const { plan, run } = work
  const progress = new FoldProgress(plan.chunks.join(''), readKey(work), run.scratch)
  const found = (await progress.earlier()) ?? NOTHING_YET
  let done = found
  let rest = restOf(plan.chunks, found)
  const unchangedChunks: number[] = []
  for (let halvings = 0; rest.length > 0; ) {
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
      // From what changed nothing on, all is tried again next time: what is kept must lack nothing.
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
  const { chunks, state } = done
  tell(work, { number: chunks + 1, total: chunks }, found.chunks)
  for (const number of unchangedChunks)
    run.onWarning?.(`Nothing of chunk ${number} of ${chunks} went into the summary.`)
  return { summary: state.summary, chunks, reusedChunks: found.chunks, unchangedChunks }
}

/** A model that failed has left work that nobody should build on; one that was stopped has not. */
function isModelsDoing(error: unknown): boolean {
  return PrecisError.is(error) && error.code === 'model-failed' && !error.retryable
}

/** What is left of the chunks behind the part that is folded, none longer than is known to fit. */
function restOf(chunks: readonly string[], { end, longestChars }: FoldedPart): string[] {
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

/**
 * A model that throws the summary away, or adds nothing to it, has made a slip, or lies: it is asked once more,
 * from the summary as it was, and then no more.
 */
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

/** Perhaps there was no room for it. */
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
      hint: 'Choose another model as models.fast, or another strategy.',
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
    allowanceChars: allowanceOf(
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

/** The name of a tag that the text does not contain: so nothing in it can close the tag. */
function fenceFor(text: string): string {
  for (let salt = 0; ; salt += 1) {
    const fence = `transcript-${fingerprint(text, String(salt))}`
    if (!text.includes(fence)) return fence
  }
}

/** Who folds, and what they are told besides the text. */
function readKey({ request, nextPrompt = '', instructions = '' }: FoldWork): string {
  return fingerprint(`fold ${FOLD_PROMPT_VERSION}`, request.model ?? '', nextPrompt, instructions)
}

function tell({ run }: FoldWork, place: Omit<Place, 'chunk'>, reused: number): void {
  const { number, total } = place
  const kept = reused === 0 ? '' : ` (${reused} were folded before)`
  const message = number > total ? `All ${total} chunks are folded` : `Chunk ${number} of ${total}`
  run.onProgress?.({ message: `${message}${kept}`, done: number - 1, total })
}

// Detects that an edit lost most of a summary, by its remaining words

/** Of the words that stood there, so many must be there afterwards. */
const LEAST_KEPT = 0.4
/** In fewer words hardly anything is said. */
const FEWEST_WORDS = 3
/** A summary of more words that says something else altogether has lost what it held, however long it is. */
const MANY_WORDS = 30

/** A few words may grow into others; many may not, and none may just go. */
export function losesMost(before: string, after: string): boolean {
  const held = wordsIn(before)
  if (held.size < FEWEST_WORDS) return false
  const left = wordsIn(after)
  const kept = [...held].filter((word) => left.has(word)).length / held.size
  if (kept >= LEAST_KEPT) return false
  return left.size < held.size || held.size >= MANY_WORDS || losesFacts(before, after)
}

/** What a short summary knew exactly does not grow into something else. */
function losesFacts(before: string, after: string): boolean {
  const facts = exactFacts(before)
  return facts.size > 0 && countKept(facts, [after]) < facts.size * LEAST_KEPT
}

/** Where words are not set apart, each character counts as one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}\p{M}_]+/gu

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? [])
}
