// One run of a compaction: what was ordered, what is known of it so far, and what is told of it in the end.
import type { CompactionPlan, FreshThread } from '../../compaction/plan.ts'
import type { RunTab } from '../../compaction/run-tab.ts'
import type { QueuedMessage, RunInfo, RunResult } from '../../core/agent/frame.ts'
import type { CompactionReport } from '../../core/edit/report.ts'
import { FRESH_SESSION } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { asReminder, type EventDraft, type EventOf } from '../../core/log/event.ts'
import { inheritedDrafts, threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { type TokenUsage, textOfParts } from '../../core/view/content.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { freshThreadsOf } from '../../threads/past-threads.ts'
import type { AgentCore, ThreadRuntime, Turn } from '../core.ts'
import { waitingIn } from '../inbox/deliver.ts'
import { type HeldLease, holdLease, tellWaiting, withThreadLease } from '../inbox/thread-lease.ts'
import { checkpointDrafts, readPreset } from '../loop/window-status.ts'
import type { AgentModel } from '../ports.ts'

/** A plan, and what only the agent needs to know of it. */
export interface Order {
  readonly plan: CompactionPlan & { readonly signal: AbortSignal }
  readonly message: string // for people, when it starts
  /** The version of the thread that was looked at. */
  readonly seenVersion?: number | undefined
  /** It cannot even be proposed while calls wait for results: it begins when the round is over. */
  readonly isAtRest?: boolean
  /** The conversation's own model. */
  readonly model?: AgentModel | undefined
}

/** A run in progress: what is known of it so far. */
export interface RunState {
  readonly core: AgentCore
  readonly desk: ThreadRuntime
  readonly order: Order
  readonly runId: string
  strategy: string
  spent: TokenUsage | undefined // of all attempts
  tab?: RunTab // what it owes, once it holds the thread
  isLost?: boolean // another process has the thread now
}

export type RunEnd =
  | {
      readonly end: 'committed'
      readonly event: EventOf<'COMPACTION'>
      /** Absent where another process has committed it. */
      readonly report?: CompactionReport
    }
  | { readonly end: 'committed'; readonly fresh: FreshThread }
  | { readonly end: 'refused' | 'vetoed' | 'aborted' | 'failed'; readonly error: PrecisError }

export function readInfo({ runId, order, strategy }: RunState): RunInfo {
  return { runId, trigger: order.plan.trigger, strategy }
}

/** `model` is who was asked for the summaries, where that is known. */
export function readResult(
  run: RunState,
  ended: RunEnd,
  durationMs: number,
  model: Pick<AgentModel, 'costOf'> | undefined,
): RunResult {
  const { spent } = run
  const base = { ...readInfo(run), success: ended.end === 'committed', end: ended.end, durationMs }
  const costUsd = spent && model?.costOf(spent)
  const cost = { ...(spent && { usage: spent }), ...(costUsd !== undefined && { costUsd }) }
  if (ended.end !== 'committed') return { ...base, error: ended.error, ...cost }
  if ('fresh' in ended) return { ...base, fresh: ended.fresh, ...cost }
  const { event, report } = ended
  const { before, after } = event.data
  const saved =
    before?.tokens === undefined || after?.tokens === undefined
      ? undefined
      : Math.max(0, before.tokens - after.tokens)
  return {
    ...base,
    end: endOf(event),
    event,
    ...(before && { before }),
    ...(after && { after }),
    ...(saved !== undefined && { tokensSaved: saved }),
    ...cost,
    ...(report && { report }),
  }
}

/** A command may be answered by a change without edits (ALWAYS-02). That changed nothing. */
export function endOf({ data }: EventOf<'COMPACTION'>): 'committed' | 'nothing' {
  return data.edits.length === 0 ? 'nothing' : 'committed'
}

/** What hooks say to the model. While calls wait for results nothing may come between: it is said behind those. */
export async function remindOf(
  { core, desk }: RunState,
  { fresh }: RunResult,
  texts: readonly string[],
): Promise<void> {
  const { threads } = core.ports
  const appended = await threads.append(
    fresh?.threadId ?? desk.threadId,
    (state) => {
      if (state.context.open.size > 0) return []
      const preset = readPreset(reducedBy(state, threadSettingsReducer), core.settings)
      return [...texts.map(asReminder), ...checkpointDrafts({ preset }, state)]
    },
    { openCalls: 'leave' },
  )
  if (appended.length === 0) desk.reminders.push(...texts)
}

// Only one compaction of a thread at a time, across processes: whoever comes second waits for the first.

const POLL_MS = 200

/**
 * What a turn does, its own lease keeps apart; but a compaction in the background outlives its turn.
 * Without `waits` it is refused where another one runs. `waited` says that there was one.
 */
export async function takeCompaction(
  core: AgentCore,
  threadId: string,
  { waits, signal }: { readonly waits: boolean; readonly signal: AbortSignal },
): Promise<HeldLease & { readonly waited: boolean }> {
  const { ports, limits, owner } = core
  const { store, clock } = ports
  const untilMs = clock.now().getTime() + limits.waitMs
  const name = `compaction:${threadId}`
  for (let waited = false; ; waited = true) {
    const lease = await holdLease({ store, clock, name, owner, ttlMs: limits.leaseMs })
    if (lease) return { ...lease, waited }
    if (!waits || clock.now().getTime() >= untilMs) throw runsElsewhere(threadId)
    if (!waited) tellWaiting(core, core.desks.of(threadId))
    await clock.sleep(POLL_MS, signal)
    if (signal.aborted) throw new PrecisError('aborted', 'The compaction was aborted.')
  }
}

/** What another process has committed since. */
export async function compactionSince(
  { ports }: AgentCore,
  threadId: string,
  version: number,
): Promise<EventOf<'COMPACTION'> | undefined> {
  const events = await ports.threads.getEvents(threadId)
  return events.findLast(
    (event): event is EventOf<'COMPACTION'> => event.type === 'COMPACTION' && event.seq > version,
  )
}

function runsElsewhere(threadId: string): PrecisError {
  const message = 'Another compaction of this thread is running; go on without one.'
  return new PrecisError('store-busy', message, { where: threadId, retryable: true })
}

// Fresh sessions: when one may be started, and what waits in the old thread and moves to the new one.

/** Commands are refused in these words (FRESH-04, FRESH-05). */
const RESPONDING = 'Cannot compact while responding. Use /abort first.'
const TOO_SHORT = 'Nothing to compact (need at least one exchange)'
const FEWEST_MESSAGES = 2

/** Throws where a new session cannot or need not be started. Nothing has happened then. */
export async function requireExchange(
  { core, desk }: Turn,
  where: 'alone' | 'beside',
): Promise<void> {
  if (where === 'beside') throw new PrecisError('usage', RESPONDING)
  const { messages } = await core.ports.threads.messages(desk.threadId)
  if (messages.length < FEWEST_MESSAGES) throw new PrecisError('usage', TOO_SHORT)
}

/** A new session that another process has opened from this thread since then, as the end of this run. */
export async function sessionSince(
  { core, desk }: Turn,
  sinceMs: number,
): Promise<RunResult | undefined> {
  const { store, threads } = core.ports
  for await (const { threadId } of freshThreadsOf(store, desk.threadId, sinceMs)) {
    const { messages } = await threads.messages(threadId)
    const said = textOfParts(messages[0]?.parts.filter((part) => part.type === 'text') ?? [])
    const summary = /<summary>\n([\s\S]*)\n<\/summary>/.exec(said)?.[1] ?? said
    const run = { runId: threadId, trigger: 'command', strategy: FRESH_SESSION } as const
    return { ...run, success: true, end: 'committed', durationMs: 0, fresh: { threadId, summary } }
  }
  return undefined
}

/**
 * Messages that came while it ran belong where the conversation goes on. Most are in the new thread from
 * its beginning; these came since. Nothing is written to the old one: `waitingIn` knows where they are.
 */
export async function moveInbox(core: AgentCore, from: string, to: string): Promise<void> {
  const { threads } = core.ports
  const desk = core.desks.of(from)
  await Promise.allSettled(desk.queueing)
  const move = async () => {
    const late = await waitingIn(core, from)
    if (late.length > 0) await threads.append(to, late.map(queuedAgain), { openCalls: 'leave' })
  }
  // Where somebody works on the old thread already, they say there what came after the new one began.
  if (!desk.work) await withThreadLease(core, desk, move, { isBrief: true })
  for (const { messageId } of await waitingIn(core, to))
    core.frames.emit({ type: 'message-queued', threadId: to, messageId })
}

/** Under the same name: so that it is known to be the same. */
export function queuedAgain({ messageId, content }: QueuedMessage): EventDraft {
  return { type: 'MESSAGE_QUEUED', data: { messageId, content } }
}

/** What one thread takes over from another: its system prompts, its model, its settings. */
export async function inherited({ ports }: AgentCore, from: string): Promise<EventDraft[]> {
  const { threads } = ports
  const { system } = await threads.messages(from)
  return inheritedDrafts(await threads.state(from), system)
}
