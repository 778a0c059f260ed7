// The chunks of a fold, one after the other: each by a new agent, and those of an earlier run taken up.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { isFields } from '../core/repair/as-text.ts'
import type { CompactionContext, StrategyInput } from '../core/strategy.ts'
import { type FoldPlan, halved } from './chunked-fold-plan.ts'
import { fingerprint } from './fingerprint.ts'
import { type FoldTask, runFoldAgent } from './fold-agent.ts'
import { EMPTY_FOLD, type FoldState, SummaryFile } from './fold-agent-tools.ts'
import { FOLD_PROMPT_VERSION, foldPrompt } from './prompts/fold.ts'

export interface FoldWork
  extends Pick<FoldTask, 'request' | 'converse' | 'onUsage'>,
    Pick<StrategyInput, 'nextPrompt' | 'instructions'> {
  readonly plan: FoldPlan
  readonly run: CompactionContext
}

export interface Folded {
  readonly summary: string
  readonly chunks: number
  /** Folded by an earlier run that was cut short. */
  readonly reusedChunks: number
  /** Numbers of chunks of which nothing went into the summary. */
  readonly unchangedChunks: readonly number[]
}

const MAX_HALVINGS = 4

/** Rejects as soon as one chunk cannot be folded; what was finished before stays in the scratch. */
export async function foldChunks(work: FoldWork): Promise<Folded> {
  let chunks = [...work.plan.chunks]
  let keys = keysOf(work, chunks)
  const found = await earlierWork(work, keys)
  let { state } = found
  let halvings = 0
  const unchangedChunks: number[] = []
  for (let at = found.done; at < chunks.length; ) {
    tell(work, at, chunks.length, found.done)
    try {
      const next = await foldChunk(work, chunks, at, state)
      if (next.summary === state.summary) unchangedChunks.push(at + 1)
      // What changed nothing is tried again next time: the model may only have had a bad moment.
      else await work.run.scratch?.set(keys[at] ?? '', asJson(next))
      state = next
      at += 1
    } catch (error) {
      const isTooLong = PrecisError.is(error) && error.code === 'overflow'
      if (!isTooLong || halvings >= MAX_HALVINGS) throw error
      halvings += 1
      chunks = [...chunks.slice(0, at), ...halved(chunks.slice(at))]
      keys = keysOf(work, chunks)
    }
  }
  tell(work, chunks.length, chunks.length, found.done)
  for (const number of unchangedChunks)
    work.run.onWarning?.(`Nothing of chunk ${number} of ${chunks.length} went into the summary.`)
  return {
    summary: state.summary,
    chunks: chunks.length,
    reusedChunks: found.done,
    unchangedChunks,
  }
}

async function foldChunk(
  work: FoldWork,
  chunks: readonly string[],
  at: number,
  state: FoldState,
): Promise<FoldState> {
  const { plan, request, converse, onUsage, nextPrompt, instructions } = work
  const chunk = chunks[at] ?? ''
  const { maxSummaryChars } = plan
  const file = new SummaryFile(state, maxSummaryChars)
  const prompt = foldPrompt({
    chunk,
    number: at + 1,
    total: chunks.length,
    fence: fenceFor([chunk, nextPrompt ?? '', instructions ?? ''].join('\n')),
    maxSummaryChars,
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

/** The last chunk that an earlier run has finished, with the summary as it was then. */
async function earlierWork(
  { run: { scratch } }: FoldWork,
  keys: readonly string[],
): Promise<{ readonly done: number; readonly state: FoldState }> {
  for (let done = keys.length; done > 0; done -= 1) {
    const state = readState(await scratch?.get(keys[done - 1] ?? ''))
    if (state) return { done, state }
  }
  return { done: 0, state: EMPTY_FOLD }
}

/**
 * One key for each chunk, made of all text up to its end, of who folds it, and of what it is told. So a
 * thread that has grown since shares the keys of the chunks that are still the same.
 */
function keysOf(work: FoldWork, chunks: readonly string[]): string[] {
  const { request, nextPrompt = '', instructions = '' } = work
  let key = fingerprint(
    `fold ${FOLD_PROMPT_VERSION}`,
    request.model ?? '',
    nextPrompt,
    instructions,
  )
  return chunks.map((chunk, at) => {
    key = fingerprint(key, chunk, at === chunks.length - 1 ? 'last' : '')
    return key
  })
}

function tell({ run }: FoldWork, done: number, total: number, reused: number): void {
  const kept = reused === 0 ? '' : ` (${reused} were folded before)`
  const message =
    done === total ? `All ${total} chunks are folded` : `Chunk ${done + 1} of ${total}`
  run.onProgress?.({ message: `${message}${kept}`, done, total })
}

function asJson({ summary, registers, nextSavedId }: FoldState): Json {
  return { summary, registers: registers.map(([name, text]) => [name, text]), nextSavedId }
}

/** Whatever is no such state is as good as nothing. */
function readState(json: Json | undefined): FoldState | undefined {
  if (!isFields(json)) return undefined
  const { summary, registers, nextSavedId } = json
  if (typeof summary !== 'string' || summary === '' || typeof nextSavedId !== 'number')
    return undefined
  const pairs = (Array.isArray(registers) ? registers : []).flatMap((pair: Json) => {
    const [name, text] = Array.isArray(pair) ? pair : []
    return typeof name === 'string' && typeof text === 'string' ? [[name, text] as const] : []
  })
  return { summary, registers: pairs, nextSavedId }
}
