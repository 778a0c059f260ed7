// What the user says, into the thread: at once, or from the inbox where it had to wait.
import type { UserContent } from '../core/content.ts'
import type { EventDraft } from '../core/event.ts'
import { delivery, inboxReducer } from '../core/inbox.ts'
import { threadSettingsReducer } from '../core/thread-settings.ts'
import { reducedBy, type ThreadState } from '../core/thread-state.ts'
import { checkpointDrafts } from './checkpoints.ts'
import type { Turn } from './core.ts'
import { presetOf } from './look.ts'

/** A message of the user's, with the reminder and the checkpoint that go with it. */
export async function say(turn: Turn, content: UserContent): Promise<void> {
  const { core, desk } = turn
  await core.ports.threads.append(desk.threadId, (state) =>
    withCompanions(turn, state, [{ type: 'USER_MESSAGE', data: content, origin: 'typed' }]),
  )
}

/** Delivers everything that waits, in order. True where there was something. */
export async function deliverMessages(turn: Turn): Promise<boolean> {
  const { core, desk } = turn
  const { threadId } = desk
  await Promise.all(desk.queueing)
  const waiting = reducedBy(await core.ports.threads.state(threadId), inboxReducer)
  for (const message of waiting) {
    await core.ports.threads.append(threadId, (state) =>
      withCompanions(turn, state, [delivery(message)]),
    )
    core.frames.emit({ type: 'message-delivered', threadId, messageId: message.messageId })
  }
  return waiting.length > 0
}

/** Puts a message into the inbox: durable, for whoever works on the thread. */
export async function queueMessage(
  { core, desk }: Pick<Turn, 'core' | 'desk'>,
  content: UserContent,
): Promise<string> {
  const { threads, ids } = core.ports
  const { threadId } = desk
  const messageId = ids.next('msg')
  const queued = threads.append(
    threadId,
    [{ type: 'MESSAGE_QUEUED', data: { messageId, content } }],
    {
      openCalls: 'leave',
    },
  )
  desk.queueing.add(queued)
  try {
    await queued
  } finally {
    desk.queueing.delete(queued)
  }
  core.frames.emit({ type: 'message-queued', threadId, messageId })
  return messageId
}

/** Takes back what waits, for the editor it came from: the turn that would have read it has failed. */
export async function returnMessages({ core, desk }: Turn): Promise<UserContent[]> {
  const { threads } = core.ports
  const { threadId } = desk
  await Promise.allSettled(desk.queueing)
  const waiting = reducedBy(await threads.state(threadId), inboxReducer)
  if (waiting.length === 0) return []
  await threads.append(
    threadId,
    waiting.map(({ messageId }) => ({ type: 'MESSAGE_WITHDRAWN', data: { messageId } })),
    { openCalls: 'leave' },
  )
  const messages = waiting.map(({ content }) => content)
  core.frames.emit({ type: 'messages-returned', threadId, messages })
  return messages
}

function withCompanions(turn: Turn, state: ThreadState, said: readonly EventDraft[]): EventDraft[] {
  const { core, desk } = turn
  const reminding = core.ports.reminder?.(desk.threadId)
  const preset = presetOf(reducedBy(state, threadSettingsReducer), core.settings)
  return [
    ...said,
    ...(reminding === undefined ? [] : [{ type: 'SYSTEM_REMINDER', data: reminding } as const]),
    ...checkpointDrafts({ preset }, state),
  ]
}
