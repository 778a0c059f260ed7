// Messages of one role in a row: a turn.
import type { Fields, Json } from '../../core/text/json.ts'
import type { ReadBlock } from './blocks.ts'

export interface ReadMessage {
  readonly path: string
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly ReadBlock[]
  readonly rest: Fields // what stood beside role and content
  readonly original: Json
}

/** Messages of one role in a row: the API reads them as one. */
export interface Turn {
  readonly role: ReadMessage['role']
  readonly messages: readonly ReadMessage[]
}

export function turnsOf(messages: readonly ReadMessage[]): Turn[] {
  const turns: { role: ReadMessage['role']; messages: ReadMessage[] }[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === message.role) last.messages.push(message)
    else turns.push({ role: message.role, messages: [message] })
  }
  return turns
}
