// Fresh sessions: when they may start, and how waiting messages move to the new thread.
import type { RunResult } from '../../core/agent/frame.ts'
import type { QueuedMessage } from '../../core/agent/inbox.ts'
import { FRESH_SESSION } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { inheritedDrafts } from '../../core/settings/settings-keys.ts'
import { textOfParts } from '../../core/view/content.ts'
import { listFreshThreads } from '../../threads/past-threads.ts'
import type { AgentCore, Turn } from '../core.ts'
import { withThreadLease } from '../inbox/thread-lease.ts'
import { waitingIn } from '../inbox/waiting.ts'

/** The wording of FRESH-04 and FRESH-05. */
const RESPONDING = 'Cannot compact while responding. Use /abort first.'

const TOO_SHORT = 'Nothing to compact (need at least one exchange)'

const FEWEST_MESSAGES = 2

/** Throws if a new session cannot or need not be started, before anything has happened. */
export async function requireExchange(
  { core, desk }: Turn,
  where: 'alone' | 'beside',
): Promise<void> {
  if (where === 'beside') throw new PrecisError('usage', RESPONDING)
  const { messages } = await core.ports.threads.messages(desk.threadId)
  if (messages.length < FEWEST_MESSAGES) throw new PrecisError('usage', TOO_SHORT)
}

/** A session that another process opened from this thread since, as the end of this run. */
export async function sessionSince(
  { core, desk }: Turn,
  sinceMs: number,
): Promise<RunResult | undefined> {
  const { store, threads } = core.ports
  for await (const { threadId } of listFreshThreads(store, desk.threadId, sinceMs)) {
    const { messages } = await threads.messages(threadId)
    const said = textOfParts(messages[0]?.parts.filter((part) => part.type === 'text') ?? [])
    const summary = /<summary>\n([\s\S]*)\n<\/summary>/.exec(said)?.[1] ?? said
    const run = { runId: threadId, trigger: 'command', strategy: FRESH_SESSION } as const
    return { ...run, success: true, end: 'committed', durationMs: 0, fresh: { threadId, summary } }
  }
  return undefined
}

/**
 * Messages that arrived during the run belong to the new thread. Most are in its first append; these arrived
 * later. Nothing is written to the old thread: `waitingIn` knows where they are.
 */
export async function moveInbox(core: AgentCore, from: string, to: string): Promise<void> {
  const { threads } = core.ports
  const desk = core.desks.of(from)
  await Promise.allSettled(desk.queueing)
  const move = async () => {
    const late = await waitingIn(core, from)
    if (late.length > 0) await threads.append(to, late.map(queuedAgain), { openCalls: 'leave' })
  }
  // A worker on the old thread delivers what arrived later there.
  if (!desk.work) await withThreadLease(core, desk, move, { isBrief: true })
  for (const { messageId } of await waitingIn(core, to))
    core.frames.emit({ type: 'message-queued', threadId: to, messageId })
}

/** Keeps the message id, to recognise it. */
export function queuedAgain({ messageId, content }: QueuedMessage): EventDraft {
  return { type: 'MESSAGE_QUEUED', data: { messageId, content } }
}

/** What a thread inherits: system prompts, model, settings. */
export async function inherited({ ports }: AgentCore, from: string): Promise<EventDraft[]> {
  const { threads } = ports
  const { system } = await threads.messages(from)
  return inheritedDrafts(await threads.state(from), system)
}
