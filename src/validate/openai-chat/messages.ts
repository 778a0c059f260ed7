// A Chat Completions request as the rules see it: messages, calls and parts with their places.
import type { Fields, Json } from '../../core/text/json.ts'
import { fieldsOf, listOf, textOf } from '../walk.ts'

export interface ChatMessage {
  readonly where: string // `messages[3]`
  readonly role: string | undefined
  readonly fields: Fields
}

export interface ChatCall {
  readonly where: string // `messages[3].tool_calls[0]`
  readonly id: string | undefined
  /** `function` or `custom`: the field that holds name and arguments. */
  readonly kind: 'function' | 'custom'
  readonly body: Fields
}

export interface ChatPart {
  readonly where: string // `messages[3].content[1]`
  readonly fields: Fields
}

export function messagesOf(request: Json): readonly ChatMessage[] {
  return listOf(fieldsOf(request).messages).map((message, index) => {
    const fields = fieldsOf(message)
    return { where: `messages[${index}]`, role: textOf(fields.role), fields }
  })
}

/** The calls of an assistant message; other roles have none. */
export function callsOf({ where, role, fields }: ChatMessage): readonly ChatCall[] {
  if (role !== 'assistant') return []
  return listOf(fields.tool_calls).map((value, index) => {
    const call = fieldsOf(value)
    const kind = call.type === 'custom' ? 'custom' : 'function'
    return {
      where: `${where}.tool_calls[${index}]`,
      id: textOf(call.id),
      kind,
      body: fieldsOf(call[kind]),
    }
  })
}

/** The parts of a content that is a list. */
export function partsOf({ where, fields }: ChatMessage): readonly ChatPart[] {
  return listOf(fields.content).map((part, index) => ({
    where: `${where}.content[${index}]`,
    fields: fieldsOf(part),
  }))
}

/** Everything a message says in words, with the place of each text. */
export function textsOf(message: ChatMessage): readonly { where: string; text: string }[] {
  const { where, fields } = message
  if (typeof fields.content === 'string') {
    return [{ where: `${where}.content`, text: fields.content }]
  }
  return partsOf(message).flatMap((part) => {
    const text = textOf(part.fields.text)
    return text === undefined ? [] : [{ where: `${part.where}.text`, text }]
  })
}
