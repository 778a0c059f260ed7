// One request and its answer: built from the thread, streamed to listeners, appended as a whole.
import { Spending } from '../../core/billed-answer.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import {
  AnswerCollector,
  type CollectedAnswer,
  type ModelRequest,
  type ModelRetry,
} from '../../core/model.ts'
import type { Answer, TokenUsage } from '../../core/view/content.ts'
import { sumUsage } from '../../core/window/usage.ts'
import { type Turn, traced } from '../core.ts'
import { requestFor } from './request.ts'
import type { WindowStatus } from './window-status.ts'

export type AnswerResult =
  | { readonly type: 'answer'; readonly collected: CollectedAnswer }
  /** The provider says that the request is too long for the window. */
  | { readonly type: 'overflow'; readonly error: PrecisError }
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly error: PrecisError }

/** Never rejects because of the provider. No compaction may be applied meanwhile. */
export async function askModel(turn: Turn, seen: WindowStatus): Promise<AnswerResult> {
  const { core, desk } = turn
  for (let broken = 0; ; broken += 1) {
    const built = await core.ports.threads.messages(desk.threadId)
    const request = requestFor(seen, built, turn.signal)
    const collector = new AnswerCollector(seen.model.ref)
    const spending = new Spending(seen.model.ref, request)
    const failure = await traced('precis.request', { model: seen.model.ref }, () =>
      stream(turn, seen, request, { collector, spending }),
    )
    owe(desk, failure === undefined ? spending.before : spending.brokenOff())
    if (failure === undefined) return keep(turn, collector.collected())
    const { error, hasBegun } = failure
    // Before its first frame the provider has retried already, with the pauses that the server asked for.
    const isBroken = hasBegun && error.retryable && broken < core.limits.brokenAnswers
    if (error.code === 'overflow' || !isBroken || turn.signal.aborted)
      return leaveOff(turn, collector, error)
    const { threadId } = desk
    core.frames.emit({ type: 'answer-restart', threadId, reason: error.message })
  }
}

/** Shows when a provider asks for a pause; otherwise the agent would seem to hang. */
export function retryTeller({ core, desk }: Pick<Turn, 'core' | 'desk'>) {
  return (retry: ModelRetry) =>
    core.frames.emit({ type: 'model-retry', threadId: desk.threadId, ...retry })
}

interface Failure {
  readonly error: PrecisError
  /** A frame arrived before the error. */
  readonly hasBegun: boolean
}

/** What ended it; undefined if it was completed. */
async function stream(
  { core, desk }: Turn,
  { model }: WindowStatus,
  request: ModelRequest,
  { collector, spending }: { readonly collector: AnswerCollector; readonly spending: Spending },
): Promise<Failure | undefined> {
  const { threadId } = desk
  let hasBegun = false
  try {
    const onRetry = retryTeller({ core, desk })
    const { onBegin } = spending
    for await (const frame of model.provider.stream({ ...request, onRetry, onBegin })) {
      hasBegun = true
      collector.add(frame)
      spending.hear(frame)
      if (frame.type === 'text-delta' || frame.type === 'thinking-delta')
        core.frames.emit({ type: frame.type, threadId, text: frame.text })
    }
    return undefined
  } catch (thrown) {
    return { error: asPrecisError(thrown), hasBegun }
  }
}

/** Records spending until an answer with its usage is in the log. */
function owe(desk: Turn['desk'], usage: TokenUsage | undefined): void {
  if (usage) desk.owed = sumUsage(desk.owed, usage)
}

async function keep(turn: Turn, collected: CollectedAnswer): Promise<AnswerResult> {
  for (const problem of collected.repairs) notice(turn, problem)
  await append(turn, collected.answer, collected.calls)
  return { type: 'answer', collected }
}

/** Keeps the text of an interrupted answer; its calls are not run. */
async function leaveOff(
  turn: Turn,
  collector: AnswerCollector,
  error: PrecisError,
): Promise<AnswerResult> {
  const isAborted = turn.signal.aborted || error.code === 'aborted'
  const { answer } = collector.collected(isAborted ? 'aborted' : 'error')
  const isWorthKeeping = answer.content.trim() !== '' && error.code !== 'overflow'
  if (isWorthKeeping && !turn.lost?.aborted) {
    const { content, model, stopReason } = answer
    await append(
      turn,
      { content, ...(model && { model }), calls: [], ...(stopReason && { stopReason }) },
      [],
    )
  }
  if (isAborted) return { type: 'aborted' }
  return error.code === 'overflow' ? { type: 'overflow', error } : { type: 'failed', error }
}

async function append(
  { core, desk }: Turn,
  answer: Answer,
  calls: CollectedAnswer['calls'],
): Promise<void> {
  const { threadId, owed } = desk
  const data = owed ? { ...answer, unfinishedUsage: owed } : answer
  const drafts: EventDraft[] = [
    { type: 'AGENT_MESSAGE', data },
    ...calls.map(
      (call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } }), // numbered by the log
    ),
  ]
  const events = await core.ports.threads.append(threadId, drafts)
  const seq = events.find((event) => event.type === 'AGENT_MESSAGE')?.seq
  if (seq === undefined) throw new PrecisError('internal', 'The answer is not in the log.')
  delete desk.owed
  core.frames.emit({ type: 'answer-end', threadId, seq })
}

function notice({ core, desk }: Turn, message: string): void {
  core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'info', message })
}
