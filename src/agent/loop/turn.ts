// The loop: deliver messages, compact if full, ask the model, run its calls, until nothing is left.
import type { TurnEnd } from '../../core/agent/frame.ts'
import { CONTINUE_AFTER_COMPACT } from '../../core/edit/continue-prompt.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { asReminder } from '../../core/log/event.ts'
import type { CollectedAnswer } from '../../core/model.ts'
import type { Item } from '../../core/view/entry.ts'
import { billedUsage } from '../../core/window/usage.ts'
import { compactForOverflow, compactIfFull, noteReading } from '../compaction/automatic.ts'
import { isOverfull } from '../compaction/automatic-order.ts'
import type { AfterCall } from '../compaction/compact-call.ts'
import { inherited } from '../compaction/fresh-session.ts'
import type { AgentCore, Task, TaskResult, Turn } from '../core.ts'
import { deliverMessages, say } from '../inbox/deliver.ts'
import { BUSY, withThreadLease } from '../inbox/thread-lease.ts'
import { NO_COMPACTIONS } from '../thread-runtime.ts'
import { type AnswerResult, askModel } from './answer.ts'
import { runCalls } from './calls.ts'
import { fillReminder } from './window-fill.ts'
import { checkpointDrafts, readWindowStatus, type WindowStatus } from './window-status.ts'

export interface TurnOutcome {
  readonly end: TurnEnd
  readonly text: string // the last text of the agent
  readonly error?: PrecisError
}

const INTERRUPTED = 'You were interrupted. Continue.'

/** Never rejects. However it ends, the thread is valid and can be resumed. */
export async function runTurn(turn: Turn): Promise<TurnOutcome> {
  const said = { text: '' }
  turn.desk.ownCompactions = NO_COMPACTIONS
  try {
    return { ...(await runSteps(turn, said)), text: said.text }
  } catch (thrown) {
    const error = asPrecisError(thrown)
    const end = turn.signal.aborted ? 'aborted' : 'failed'
    return { end, text: said.text, ...(end === 'failed' && { error }) }
  } finally {
    await closeOpenCalls(turn)
  }
}

interface Steps {
  overflows: number
  /** Why the last answer saw only part of the context, if no provider refused it. */
  cutSilently?: string | undefined
  /** Consecutive answers with unreadable calls. */
  unreadable: number
}

type StepEnd = { readonly end: TurnEnd; readonly error?: PrecisError } | 'next'

const MAX_UNREADABLE = 2

async function runSteps(turn: Turn, said: { text: string }): Promise<Omit<TurnOutcome, 'text'>> {
  const steps: Steps = { overflows: 0, unreadable: 0 }
  for (let step = 0; step < turn.core.limits.steps; step += 1) {
    const ended = await oneStep(turn, steps, said)
    if (ended !== 'next') return ended
  }
  const most = turn.core.limits.steps
  const message = `The turn was stopped after ${most} ${most === 1 ? 'request' : 'requests'}. Send «continue» to continue.`
  return { end: 'step-limit', error: new PrecisError('step-limit', message) }
}

async function oneStep(turn: Turn, steps: Steps, said: { text: string }): Promise<StepEnd> {
  if (turn.signal.aborted) return { end: 'aborted' }
  await deliverMessages(turn)
  let seen = await readWindowStatus(turn)
  if (steps.cutSilently !== undefined) {
    const refused = new PrecisError('overflow', steps.cutSilently)
    steps.cutSilently = undefined
    // The server silently truncated the request: make room before the next one.
    const ended = await recover(turn, seen, steps, refused)
    if (ended !== 'next') return ended
    seen = await readWindowStatus(turn)
  }
  if (await compactIfFull(turn, seen)) seen = await readWindowStatus(turn)
  if (turn.signal.aborted) return { end: 'aborted' }
  await endOnUserTurn(turn, seen)
  const { answered, now, after } = await turn.desk.request.run(() => oneRound(turn, seen))
  switch (answered.type) {
    case 'aborted':
      return { end: 'aborted' }
    case 'failed':
      return { end: 'failed', error: answered.error }
    case 'overflow':
      return recover(turn, seen, steps, answered.error)
    case 'answer':
      if (answered.collected.answer.content !== '') said.text = answered.collected.answer.content
      return afterAnswer(turn, steps, { collected: answered.collected, now, after })
  }
}

interface Round {
  readonly collected: CollectedAnswer
  readonly now: WindowStatus // after the answer
  readonly after: AfterCall | undefined
}

/** A request, its answer and the results of its calls. Only their own compaction may come between. */
async function oneRound(
  turn: Turn,
  seen: WindowStatus,
): Promise<Omit<Round, 'collected'> & { readonly answered: AnswerResult }> {
  const answered = await askModel(turn, seen)
  if (answered.type !== 'answer') return { answered, now: seen, after: undefined }
  const now = await readWindowStatus(turn)
  noteReading(turn, now)
  const { calls } = answered.collected
  if (calls.length === 0) return { answered, now, after: undefined }
  const after = await runCalls(turn, now, calls)
  if (!turn.signal.aborted && after !== 'wait') await endRound(turn, now, after)
  return { answered, now, after }
}

async function afterAnswer(
  turn: Turn,
  steps: Steps,
  { collected, now: seen, after }: Round,
): Promise<StepEnd> {
  steps.cutSilently = collected.overflow
  if (collected.calls.length > 0) {
    steps.unreadable = 0
    if (turn.signal.aborted) return { end: 'aborted' }
    if (after !== 'wait') return 'next'
    return (await deliverMessages(turn)) ? 'next' : { end: 'waiting' }
  }
  if (collected.brokenCalls.length > 0 && steps.unreadable < MAX_UNREADABLE) {
    steps.unreadable += 1
    await remind(turn, seen, brokenCallsText(collected))
    return 'next'
  }
  sayHowItEnded(turn, collected)
  await compactIfFull(turn, seen)
  return (await deliverMessages(turn)) ? 'next' : { end: 'done' }
}

/** Adds what the model needs to continue after the results. */
async function endRound(
  turn: Turn,
  seen: WindowStatus,
  after: AfterCall | undefined,
): Promise<void> {
  const isReplaced = after === 'continue' && seen.preset.tool === 'ranges'
  if (isReplaced && !(await endsWithResults(turn))) await remind(turn, seen, CONTINUE_AFTER_COMPACT)
  else await checkpointRound(turn, seen)
}

async function recover(
  turn: Turn,
  seen: WindowStatus,
  steps: Steps,
  refused: PrecisError,
): Promise<StepEnd> {
  const { overflowRetries } = turn.core.limits
  if (steps.overflows >= overflowRetries)
    return {
      end: 'failed',
      error: tooLong(refused, `${overflowRetries} compactions were not enough.`),
    }
  steps.overflows += 1
  // The refusal may have revealed a smaller window, so reduce the output limit, too.
  const now = await readWindowStatus(turn)
  if (isShorterNow(seen, now)) return 'next'
  const recovered = await compactForOverflow(turn, now, refused)
  if (recovered.retry) return 'next'
  if (turn.signal.aborted) return { end: 'aborted' }
  return { end: 'failed', error: tooLong(refused, recovered.why) }
}

function isShorterNow(before: WindowStatus, now: WindowStatus): boolean {
  return now.outputTokens < before.outputTokens && !isOverfull(now)
}

function tooLong(refused: PrecisError, why: string): PrecisError {
  return new PrecisError('overflow', `The conversation is too long for the model. ${why}`, {
    hint: 'Type /strategy cascade and then /compact, start a new thread with /new, unpin what is no longer needed, or choose a model with a larger window.',
    cause: refused,
  })
}

/** The request must end with something for the model to answer. */
async function endOnUserTurn(turn: Turn, seen: WindowStatus): Promise<void> {
  const { context } = seen.state
  const isSent = ({ kind }: Item) =>
    kind !== 'gap' && (kind !== 'checkpoint' || seen.preset.checkpoints)
  const last = context.items.toArray().findLast(isSent)
  if (last?.kind !== 'answer') return
  await remind(turn, seen, context.active.length > 0 ? CONTINUE_AFTER_COMPACT : INTERRUPTED)
}

async function remind(turn: Turn, seen: WindowStatus, reminder: string): Promise<void> {
  await turn.core.ports.threads.append(turn.desk.threadId, (state) => [
    asReminder(reminder),
    ...checkpointDrafts(seen, state),
  ])
}

/** In presets with checkpoints every user turn ends with one, even a turn of results. */
async function checkpointRound(turn: Turn, seen: WindowStatus): Promise<void> {
  const { threads, reminder } = turn.core.ports
  const { threadId } = turn.desk
  const fill = await fillReminder(turn)
  const reminders = [...turn.desk.reminders.splice(0), reminder?.(threadId), fill].filter(
    (each) => each !== undefined,
  )
  if (!seen.preset.checkpoints && reminders.length === 0) return
  await threads.append(threadId, (state) => [
    ...reminders.map(asReminder),
    ...checkpointDrafts(seen, state),
  ])
}

async function endsWithResults({ core, desk }: Turn): Promise<boolean> {
  const { items } = await core.ports.threads.context(desk.threadId)
  return items.last?.kind === 'result'
}

function brokenCallsText({ brokenCalls }: CollectedAnswer): string {
  const names = brokenCalls.map(({ name }) => name).join(', ')
  return `The arguments of your call to ${names} were cut off or are no JSON, so it was not run. Call again, with shorter arguments if they were long.`
}

const ENDINGS: Readonly<Record<string, string>> = {
  length: 'The answer was cut off: it reached the longest that the model may write.',
  refusal: 'The model refused to answer.',
}

function sayHowItEnded({ core, desk }: Turn, { answer }: CollectedAnswer): void {
  const message = ENDINGS[answer.stopReason ?? '']
  if (message !== undefined)
    core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'warning', message })
}

/** An open call would be waited for, and no one is left to answer it. */
async function closeOpenCalls({ core, desk, lost }: Turn): Promise<void> {
  if (lost?.aborted) return
  const { threads } = core.ports
  const { open } = await threads.context(desk.threadId)
  if (open.size === 0) return
  await threads.append(
    desk.threadId,
    [...open].map((id) => ({
      type: 'TOOL_RESULT',
      data: { id, content: [{ type: 'text', text: 'aborted' }], status: 'aborted' },
    })),
    { openCalls: 'leave' },
  )
}

export async function runTask(
  core: AgentCore,
  { parent, prompt, title }: Task,
): Promise<TaskResult> {
  const { threads } = core.ports
  const from = parent.desk.threadId
  const { version } = await threads.context(from)
  const threadId = await threads.create(
    {
      from: { threadId: from, seq: version },
      reason: 'task',
      ...(title !== undefined && { title }),
    },
    await inherited(core, from),
  )
  const outcome = await withThreadLease(
    core,
    core.desks.of(threadId),
    async (turn) => {
      await say(turn, prompt, 'model')
      return runTurn(turn)
    },
    { depth: parent.depth + 1, signal: parent.signal },
  )
  if (outcome === BUSY) return { threadId, end: 'failed', text: '' }
  const { end, text, error } = outcome
  const { eventCount, ...usage } = billedUsage(await threads.usage(threadId))
  return {
    threadId,
    end,
    text,
    ...(eventCount > 0 && { usage }),
    ...(error && { error }),
  }
}
