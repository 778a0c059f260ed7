// The agent: messages and commands in, turns and compactions out, one thing at a time on each thread.
import { parseCommand } from '../core/agent/commands.ts'
import type { FrameListener, RunResult, TurnEnd } from '../core/agent/frame.ts'
import type { Proposal } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { bearsEntry, type ThreadEvent } from '../core/log/event.ts'
import { textOfUserContent, type UserContent } from '../core/view/content.ts'
import { type CommandReply, runCommand } from './commands/commands.ts'
import { undoCompaction, undoLast } from './commands/undo.ts'
import { compactAsJob } from './compaction/background.ts'
import { compactByCommand, type OrderOptions } from './compaction/compact-thread.ts'
import { moveInbox } from './compaction/fresh-session.ts'
import { applyPreview, type PreviewedProposal, previewCompaction } from './compaction/preview.ts'
import { type AgentCore, FrameHub, type Turn } from './core.ts'
import { deliverMessages, queueMessage, returnMessages, say } from './inbox/deliver.ts'
import { BUSY, tellWaiting, type WorkOptions, withThreadLease } from './inbox/thread-lease.ts'
import { waitingIn } from './inbox/waiting.ts'
import { runTask, runTurn, type TurnOutcome } from './loop/turn.ts'
import { AGENT_LIMITS, type AgentPorts, type AgentSettings } from './ports.ts'
import { type ThreadRuntime, ThreadRuntimes } from './thread-runtime.ts'

/** The outcome of a message. Errors are part of it, never thrown. */
export type SendOutcome =
  | {
      readonly status: TurnEnd
      readonly text: string // the last text of the agent
      readonly error?: PrecisError
      /** Undelivered messages, because the turn failed or was stopped. */
      readonly returned: readonly UserContent[]
      /** The new session in which it was said, behind an `@compact` that has opened one. */
      readonly threadId?: string
    }
  /** The thread is busy: the message will be delivered as soon as possible. */
  | { readonly status: 'queued'; readonly messageId: string; readonly threadId?: string }
  | { readonly status: 'command'; readonly reply: CommandReply }

export interface SendOptions {
  readonly signal?: AbortSignal
  /**
   * If another process works on the thread, resolve only when the message is delivered, by either process.
   */
  readonly isPatient?: boolean
}

export interface Agent {
  /** Returns the function that unsubscribes. */
  on(listener: FrameListener): () => void
  /** Runs a command or sends a message. Rejects only for an unknown thread. */
  sendMessage(threadId: string, content: UserContent, options?: SendOptions): Promise<SendOutcome>
  /** Resumes a thread: delivers waiting messages and finishes what was interrupted. */
  resume(threadId: string, options?: SendOptions): Promise<SendOutcome>
  compact(threadId: string, options?: OrderOptions): Promise<RunResult>
  /** What `compact` would do. Changes nothing. */
  preview(threadId: string, options?: Omit<OrderOptions, 'leaveInbox'>): Promise<PreviewedProposal>
  /** Applies a preview with its proposal, or an edited one. */
  applyPreview(
    threadId: string,
    preview: PreviewedProposal,
    proposal?: Proposal,
  ): Promise<RunResult>
  /** Undoes the last compaction, or the given one, between two requests. */
  undo(threadId: string, compaction?: number): Promise<ThreadEvent>
  redo(threadId: string): Promise<ThreadEvent>
  /** Stops running work; resolves when it has stopped. */
  abort(threadId: string): Promise<void>
  /** Stops everything. The threads stay as they are. */
  close(): Promise<void>
}

export function createAgent(ports: AgentPorts, settings: AgentSettings): Agent {
  const closing = new AbortController()
  const frames = new FrameHub(ports.clock)
  const core: AgentCore = {
    ports,
    settings,
    limits: { ...AGENT_LIMITS, ...settings.limits },
    frames,
    desks: new ThreadRuntimes(),
    owner: ports.ids.next('agent'),
    closing: closing.signal,
    runTask: (task) => runTask(core, task),
    deliverWaiting: (desk) => deliverWaiting(core, desk),
  }
  const working = ports.jobs?.work(
    (threadId, signal) => compactAsJob(core, threadId, signal),
    closing.signal,
  )
  // Failing to work on jobs is reported at close; other processes can do them.
  working?.catch(() => undefined)
  const agent: Agent = {
    on: (listener) => frames.on(listener),
    async sendMessage(threadId, content, options = {}) {
      if (closing.signal.aborted) throw new PrecisError('aborted', 'The agent is closed.')
      const command = parseCommand(textOfUserContent(content))
      if (!command) return deliver(core, threadId, content, options)
      // Called through the object, so that a wrapped `compact` is used.
      const compact: Agent['compact'] = (...args) => agent.compact(...args)
      const reply = await runCommand({ core, threadId, compact, ...options }, command)
      const { next, compaction } = reply
      if (next !== undefined) {
        const said = await deliver(core, reply.threadId ?? threadId, next, options)
        return reply.threadId === undefined ? said : { ...said, threadId: reply.threadId }
      }
      if (compaction) await settleInbox(core, threadId, compaction)
      return { status: 'command', reply }
    },
    async resume(threadId, options = {}) {
      await ports.threads.context(threadId) // an unknown thread fails at once
      const desk = core.desks.of(threadId)
      // The running work will continue by itself.
      if (desk.work) return { status: 'queued', messageId: '' }
      return workUntilQuiet(core, desk, goOn, options)
    },
    async compact(threadId, { leaveInbox = false, ...options } = {}) {
      const result = await compactByCommand(core, threadId, options)
      if (!leaveInbox) await settleInbox(core, threadId, result)
      return result
    },
    preview: (threadId, options) => previewCompaction(core, threadId, options),
    applyPreview: (threadId, preview, proposal = preview.prepared.proposal) =>
      applyPreview(core, threadId, preview, proposal, agent.compact),
    undo: (threadId, compaction) =>
      compaction === undefined
        ? undoLast(core, threadId)
        : undoCompaction(core, threadId, compaction),
    redo: (threadId) => core.desks.of(threadId).request.run(() => ports.threads.redo(threadId)),
    abort: (threadId) => stop(core.desks.of(threadId)),
    async close() {
      closing.abort()
      await Promise.all(core.desks.busy().map(stop))
      await working
    },
  }
  return agent
}

async function deliver(
  core: AgentCore,
  threadId: string,
  content: UserContent,
  options: SendOptions,
): Promise<SendOutcome> {
  await core.ports.threads.context(threadId) // an unknown thread fails at once
  const desk = core.desks.of(threadId)
  while (desk.work?.isBrief) await desk.work.settled
  if (!desk.work) {
    const outcome = await workUntilQuiet(
      core,
      desk,
      async (turn) => {
        await say(turn, content)
        return runTurn(turn)
      },
      options,
    )
    if (outcome.status !== 'queued') return outcome
  }
  const messageId = await queueMessage({ core, desk }, content)
  // The current worker may have checked the inbox for the last time before this.
  const outcome = await pump(core, desk, options)
  if (outcome) return outcome
  if (desk.work && !options.isPatient) return { status: 'queued', messageId }
  const watching = untilDelivered(core, desk, messageId, options)
  if (options.isPatient) tellWaiting(core, desk)
  if (options.isPatient) return (await watching) ?? { status: 'queued', messageId }
  watching.catch((error: Error) => report(core, threadId, error))
  return { status: 'queued', messageId }
}

/**
 * The process that works on the thread delivers the message. If it dies, its lease ends and this one takes
 * over. Undefined if others delivered or returned the message.
 */
async function untilDelivered(
  core: AgentCore,
  desk: ThreadRuntime,
  messageId: string,
  options: SendOptions,
): Promise<SendOutcome | undefined> {
  const { clock } = core.ports
  const stop = AbortSignal.any([core.closing, ...(options.signal ? [options.signal] : [])])
  while (!stop.aborted) {
    await clock.sleep(core.limits.leaseMs / 3, stop)
    if (stop.aborted) break
    const waiting = await waitingIn(core, desk.threadId)
    if (!waiting.some((message) => message.messageId === messageId)) return undefined
    const outcome = await pump(core, desk, options)
    if (outcome) return outcome
  }
  return undefined
}

/** Runs turns as long as messages wait, because no one else would deliver them. */
async function workUntilQuiet(
  core: AgentCore,
  desk: ThreadRuntime,
  run: (turn: Turn) => Promise<TurnOutcome>,
  options: WorkOptions,
): Promise<SendOutcome> {
  const ended = await withThreadLease(core, desk, (turn) => withFrames(turn, run), options)
  if (ended === BUSY) return { status: 'queued', messageId: '' }
  return (await pump(core, desk, options)) ?? ended
}

/** Finishes interrupted work. Otherwise the model is not asked. */
async function goOn(turn: Turn): Promise<TurnOutcome> {
  const delivered = await deliverMessages(turn)
  if (!delivered && !(await isUnfinished(turn))) return { end: 'done', text: '' }
  return runTurn(turn)
}

/** The last event is not the agent's, or it was cut short. */
async function isUnfinished({ core, desk }: Turn): Promise<boolean> {
  const events = await core.ports.threads.getEvents(desk.threadId)
  const last = events.findLast(bearsEntry)
  if (last?.type !== 'AGENT_MESSAGE') return last !== undefined
  const { stopReason, calls } = last.data
  return calls.length > 0 || stopReason === 'aborted' || stopReason === 'error'
}

/** Undefined if nothing waits, or another worker is active. */
async function pump(
  core: AgentCore,
  desk: ThreadRuntime,
  options: WorkOptions,
): Promise<SendOutcome | undefined> {
  if (desk.work || core.closing.aborted || options.signal?.aborted) return undefined
  const waiting = await waitingIn(core, desk.threadId)
  if (waiting.length === 0 || desk.work || core.closing.aborted) return undefined
  const outcome = await workUntilQuiet(core, desk, goOn, options)
  return outcome.status === 'queued' ? undefined : outcome
}

/** Messages sent during a compaction: delivered now, or returned if it failed. */
async function settleInbox(
  core: AgentCore,
  threadId: string,
  { success, fresh }: RunResult,
): Promise<void> {
  if (fresh) await moveInbox(core, threadId, fresh.threadId)
  const desk = core.desks.of(threadId)
  if (desk.work || core.closing.aborted) return
  if (fresh) deliverWaiting(core, core.desks.of(fresh.threadId))
  else if (success) deliverWaiting(core, desk)
  else await returnMessages({ core, desk })
}

function deliverWaiting(core: AgentCore, desk: ThreadRuntime): void {
  const { threadId } = desk
  pump(core, desk, {}).catch((error: Error) => report(core, threadId, error))
}

function report({ frames }: AgentCore, threadId: string, error: Error): void {
  frames.emit({ type: 'error', threadId, error, context: { operation: 'turn', threadId } })
}

async function withFrames(
  turn: Turn,
  run: (turn: Turn) => Promise<TurnOutcome>,
): Promise<SendOutcome & { readonly status: TurnEnd }> {
  const { frames, closing } = turn.core
  const { threadId } = turn.desk
  frames.emit({ type: 'turn-start', threadId })
  const { end, text, error } = await run(turn)
  // At the end of the process, waiting messages stay for the next process.
  const isOurs = !closing.aborted && !turn.lost?.aborted
  const isCutShort = (end === 'failed' || end === 'aborted') && isOurs
  const returned = isCutShort ? await returnMessages(turn) : []
  if (error)
    frames.emit({ type: 'error', threadId, error, context: { operation: 'turn', threadId } })
  // A listener that sends a message on this frame must not find the thread busy.
  if (turn.desk.work) turn.desk.work.isBrief = true
  frames.emit({ type: 'turn-end', threadId, end, ...(error && { error }) })
  return { status: end, text, returned, ...(error && { error }) }
}

async function stop(desk: ThreadRuntime): Promise<void> {
  for (const waiting of desk.waiting) waiting.abort()
  desk.work?.controller.abort()
  desk.stopCompaction?.()
  await desk.work?.settled
  await desk.compaction
}
