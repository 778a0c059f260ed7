// Delivers the user's messages to the thread: at once, or from the inbox.
import { delivery, type Inbox, inboxReducer, type QueuedMessage } from '../../core/agent/inbox.ts'
import { asReminder, type EventDraft } from '../../core/log/event.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { textOfUserContent, type UserContent } from '../../core/view/content.ts'
import { reducedBy, type ThreadState } from '../../core/view/thread-state.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { Turn } from '../core.ts'
import { fillReminder } from '../loop/window-fill.ts'
import { checkpointDrafts, readPreset } from '../loop/window-status.ts'
import { takenFrom, waitingIn } from './waiting.ts'

/** A user message with its reminder and checkpoint. */
export async function say(
  turn: Turn,
  content: UserContent,
  origin: 'typed' | 'model' = 'typed',
): Promise<void> {
  const { core, desk } = turn
  const taken = await takenFrom(core, desk.threadId)
  const reminders = await remindersFor(turn, content)
  await core.ports.threads.append(desk.threadId, (state) => [
    // Messages that moved to a fresh session are not sent here.
    ...reducedBy(state, inboxReducer)
      .filter(({ messageId }) => taken.has(messageId))
      .map(withdrawal),
    { type: 'USER_MESSAGE', data: content, origin },
    ...companions(turn, state, reminders),
  ])
}

/** Delivers all waiting messages in order. True if there were any. */
export async function deliverMessages(turn: Turn): Promise<boolean> {
  const { core, desk } = turn
  const { threadId } = desk
  await Promise.allSettled(desk.queueing) // each sender gets its own error
  const waiting = await waitingIn(core, threadId)
  for (const message of waiting) {
    const reminders = await remindersFor(turn, message.content)
    const delivered = await core.ports.threads.append(threadId, (state) =>
      waitsIn(state, message) ? [delivery(message), ...companions(turn, state, reminders)] : [],
    )
    if (delivered.length === 0) continue
    core.frames.emit({ type: 'message-delivered', threadId, messageId: message.messageId })
  }
  return waiting.length > 0
}

function withdrawal({ messageId }: QueuedMessage): EventDraft {
  return { type: 'MESSAGE_WITHDRAWN', data: { messageId } }
}

/** After losing the lease, another process may have delivered or returned it. */
function waitsIn(state: ThreadState, { messageId }: QueuedMessage): boolean {
  return reducedBy(state, inboxReducer).some((message) => message.messageId === messageId)
}

/** Stores a message in the inbox for the thread's worker. */
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

/** Returns waiting messages to their editor, because the turn that would have read them failed. */
export async function returnMessages({
  core,
  desk,
}: Pick<Turn, 'core' | 'desk'>): Promise<UserContent[]> {
  const { threads } = core.ports
  const { threadId } = desk
  await Promise.allSettled(desk.queueing)
  await threads.context(threadId) // read again: others may have queued something
  const taken = await takenFrom(core, threadId)
  let waiting: Inbox = []
  // Checked within the append, so a message another process delivers is not returned as well.
  const withdraw = (state: ThreadState): EventDraft[] => {
    waiting = reducedBy(state, inboxReducer).filter(({ messageId }) => !taken.has(messageId))
    return waiting.map(withdrawal)
  }
  await threads.append(threadId, withdraw, { openCalls: 'leave' })
  if (waiting.length === 0) return []
  const messages = waiting.map(({ content }) => content)
  core.frames.emit({ type: 'messages-returned', threadId, messages })
  return messages
}

/** Reminders that follow a message. */
async function remindersFor(turn: Turn, content: UserContent): Promise<string[]> {
  const { core, desk } = turn
  const fill = await fillReminder(turn, estimateTokens(textOfUserContent(content)))
  return [...desk.reminders.splice(0), core.ports.reminder?.(desk.threadId), fill].filter(
    (each) => each !== undefined,
  )
}

function companions(
  { core }: Turn,
  state: ThreadState,
  reminders: readonly string[],
): EventDraft[] {
  const preset = readPreset(reducedBy(state, threadSettingsReducer), core.settings)
  return [...reminders.map(asReminder), ...checkpointDrafts({ preset }, state)]
}
