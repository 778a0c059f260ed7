// A Chat Completions request as the rules see it: messages, calls and parts with their places.
import type { Fields, Json } from '../../core/text/json.ts'
import { readFields, readList, readText } from '../walk.ts'

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

export function readMessages(request: Json): readonly ChatMessage[] {
  return readList(readFields(request).messages).map((message, index) => {
    const fields = readFields(message)
    return { where: `messages[${index}]`, role: readText(fields.role), fields }
  })
}

/** The calls of an assistant message; other roles have none. */
export function findCalls({ where, role, fields }: ChatMessage): readonly ChatCall[] {
  if (role !== 'assistant') return []
  return readList(fields.tool_calls).map((value, index) => {
    const call = readFields(value)
    const kind = call.type === 'custom' ? 'custom' : 'function'
    return {
      where: `${where}.tool_calls[${index}]`,
      id: readText(call.id),
      kind,
      body: readFields(call[kind]),
    }
  })
}

/** The parts of a content that is a list. */
export function readParts({ where, fields }: ChatMessage): readonly ChatPart[] {
  return readList(fields.content).map((part, index) => ({
    where: `${where}.content[${index}]`,
    fields: readFields(part),
  }))
}

/** Everything a message says in words, with the place of each text. */
export function readTexts(message: ChatMessage): readonly { where: string; text: string }[] {
  const { where, fields } = message
  if (typeof fields.content === 'string') {
    return [{ where: `${where}.content`, text: fields.content }]
  }
  return readParts(message).flatMap((part) => {
    const text = readText(part.fields.text)
    return text === undefined ? [] : [{ where: `${part.where}.text`, text }]
  })
}
