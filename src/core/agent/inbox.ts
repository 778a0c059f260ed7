// The inbox: messages waiting for an agent. Durable, and each delivered once.
import type { EventDraft, ThreadEvent } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { UserContent } from '../view/content.ts'

export interface QueuedMessage {
  readonly messageId: string
  readonly content: UserContent
  readonly queuedAt: string // ISO 8601
}

export type Inbox = readonly QueuedMessage[]

/**
 * Waiting messages, oldest first. A USER_MESSAGE with a queued message's id is its delivery. A store accepts
 * an id once, so no message is delivered twice.
 */
export const inboxReducer: Reducer<Inbox> = {
  name: 'inbox',
  version: 2,
  init: () => [],
  step(inbox: Inbox, event: ThreadEvent): Inbox {
    if (event.type === 'MESSAGE_QUEUED') {
      const { messageId, content } = event.data
      if (content === undefined) return inbox
      const queuedAt = event.timestamp.toISOString()
      return [...without(inbox, messageId), { messageId, content, queuedAt }]
    }
    if (inbox.length === 0) return inbox
    if (event.type === 'MESSAGE_WITHDRAWN') return without(inbox, event.data.messageId)
    return event.type === 'USER_MESSAGE' ? without(inbox, event.id) : inbox
  },
  encode: (inbox) => inbox as unknown as Json,
  decode(json) {
    if (!Array.isArray(json) || !json.every(isQueued)) throw new TypeError('no list of messages')
    return json as unknown as Inbox
  },
}

/** The event that delivers a message. */
export function delivery({ messageId, content }: QueuedMessage): EventDraft {
  return { type: 'USER_MESSAGE', id: messageId, data: content, origin: 'typed' }
}

function without(inbox: Inbox, messageId: string): Inbox {
  return inbox.some((message) => message.messageId === messageId)
    ? inbox.filter((message) => message.messageId !== messageId)
    : inbox
}

function isQueued(json: Json): boolean {
  if (typeof json !== 'object' || json === null) return false
  return 'messageId' in json && 'content' in json && 'queuedAt' in json
}
