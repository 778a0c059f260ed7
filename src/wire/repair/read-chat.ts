// Reads a Chat Completions document of any shape; unreadable parts become text
import type { LooseMessage } from '../../core/repair/repair.ts'
import { type Fields, fieldsIn, isFields, type Json, listIn, textIn } from '../../core/text/json.ts'
import type { Block } from '../../core/view/content.ts'
import type { ToolResultPart } from '../../core/view/message.ts'
import { readChatPart } from '../content-parts.ts'
import {
  argumentsIn,
  inWords,
  type LooseHistory,
  LooseTurns,
  type PlacedPart,
} from './loose-history.ts'

const PROVIDER = 'openai-chat'

/** What some servers ask for beside the format (VALID-O4, -O5). */
export interface ChatServer {
  /** Whose models think in `reasoning_content`; elsewhere that is no field. */
  readonly thinkingOf?: string
  /** Results name their tools. */
  readonly namesResults?: boolean
}

export function readChat(document: Json, server: ChatServer = {}): LooseHistory {
  const values = Array.isArray(document) ? document : listIn(fieldsIn(document).messages)
  const reader = new ChatReader(server)
  const found = values.findIndex((value) => !isInstruction(value))
  const start = found === -1 ? values.length : found
  const system = values.slice(0, start).map((value, at) => reader.prompt(fieldsIn(value), at))
  for (const [index, value] of values.entries())
    if (index >= start) reader.message(value, `messages[${index}]`)
  const opening = values.slice(0, start)
  const envelope = Array.isArray(document) ? opening : { ...fieldsIn(document), messages: opening }
  return reader.turns.finish(system, envelope)
}

function isInstruction(value: Json): boolean {
  return isFields(value) && (value.role === 'system' || value.role === 'developer')
}

const ROLES: ReadonlyMap<Json | undefined, LooseMessage['role']> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
])

class ChatReader {
  readonly turns = new LooseTurns()
  readonly #server: ChatServer

  constructor(server: ChatServer) {
    this.#server = server
  }

  prompt({ role: _, content, ...rest }: Fields, index: number): string {
    const at = `messages[${index}]`
    this.turns.noteFields(rest, at)
    return this.#content(content, at)
      .map(({ part }) => (part.type === 'text' ? part.text : JSON.stringify(part)))
      .join('\n')
  }

  message(value: Json, at: string): void {
    if (!isFields(value)) {
      this.turns.add('user', at, this.turns.unreadable(value, at, 'a message that is no object'))
      return
    }
    const { role, content, ...rest } = value
    if (role === 'tool' || role === 'function') {
      this.#result(value, at)
      return
    }
    const read = ROLES.get(role) ?? (role === 'model' ? 'assistant' : 'user')
    if (!ROLES.has(role)) {
      const name = typeof role === 'string' ? JSON.stringify(role.slice(0, 30)) : 'none'
      this.turns.note('unreadable', `${at}.role`, `the role is ${name}; it was read as ${read}`)
    }
    if (read === 'assistant') {
      this.#answer(value, at)
      return
    }
    this.turns.noteFields(rest, at)
    const parts = this.#content(content, at)
    if (read === 'user') this.turns.addToResults(at, parts)
    else this.turns.add(read, at, parts)
  }

  #answer(message: Fields, at: string): void {
    const { role: _, content, refusal, tool_calls: calls, function_call: old, ...others } = message
    const { reasoning_content: thought, ...rest } = others
    const { thinkingOf } = this.#server
    const isKept = thinkingOf !== undefined && listIn(calls).length > 0
    this.turns.noteFields(isKept ? rest : others, at)
    const parts: PlacedPart[] = []
    if (isKept && typeof thought === 'string' && thought !== '') {
      const model = `${thinkingOf}/unknown` as const
      parts.push({ part: { type: 'thinking', thinking: thought, model }, at })
    } else if (isKept && thought !== '')
      this.turns.note('rewritten', `${at}.reasoning_content`, 'it is not there; now it is empty')
    parts.push(...this.#content(content, at))
    if (typeof refusal === 'string' && refusal !== '') {
      this.turns.note('rewritten', `${at}.refusal`, 'a refusal; it is written as text')
      parts.push({ part: { type: 'text', text: refusal }, at: `${at}.refusal` })
    }
    if (calls !== undefined && listIn(calls).length === 0)
      this.turns.note('left-out-field', `${at}.tool_calls`, 'no list of calls; it was left out')
    for (const [index, call] of listIn(calls).entries())
      parts.push(...this.#call(call, `${at}.tool_calls[${index}]`))
    if (isFields(old)) {
      const place = `${at}.function_call`
      this.turns.note('rewritten', place, 'the older form of a call; it is written in the newer')
      parts.push(this.#named(textIn(old.name), old.name, old.arguments, place))
    }
    this.turns.add('assistant', at, parts)
  }

  #call(value: Json, at: string): PlacedPart[] {
    if (!isFields(value)) return this.turns.unreadable(value, at, 'a call that is no object')
    if (value.type === 'custom') {
      this.turns.note('rewritten', at, 'a custom call; it is written as a function call')
      const { name, input } = fieldsIn(value.custom)
      return [this.#named(textIn(value.id), name, { input: input ?? '' }, at)]
    }
    if (value.type !== 'function')
      this.turns.note('unreadable', `${at}.type`, 'no known kind; read as a function call')
    const { name, arguments: given } = fieldsIn(value.function)
    if (typeof given !== 'string')
      this.turns.note('unreadable', `${at}.function.arguments`, 'no text; it is written as JSON')
    return [this.#named(textIn(value.id), name, given, at)]
  }

  #named(
    id: string | undefined,
    name: Json | undefined,
    given: Json | undefined,
    at: string,
  ): PlacedPart {
    if (id === undefined) this.turns.note('unreadable', `${at}.id`, 'no text; read as empty')
    if (typeof name !== 'string')
      this.turns.note('unreadable', `${at}.name`, 'no text; read as empty')
    return {
      part: {
        type: 'tool_call',
        id: id ?? '',
        name: textIn(name) ?? '',
        arguments: argumentsIn(given),
      },
      at,
    }
  }

  #result(message: Fields, at: string): void {
    const { role, tool_call_id: given, name, content, ...rest } = message
    this.turns.noteFields(rest, at)
    const id = textIn(given) ?? (role === 'function' ? textIn(name) : undefined)
    if (id === undefined)
      this.turns.note('unreadable', `${at}.tool_call_id`, 'no text; read as empty')
    if (this.#server.namesResults && (typeof name !== 'string' || name === ''))
      this.turns.note('rewritten', `${at}.name`, 'it named no tool; now it names that of its call')
    if (role === 'function')
      this.turns.note('rewritten', at, 'the older form of a result; it is written in the newer')
    const blocks = this.#content(content, at).map(({ part }): Block => {
      if (part.type === 'text') return { type: 'text', text: part.text }
      const { data, uri, mimeType } = part.type === 'image' ? part.media : {}
      if (data === undefined && uri === undefined)
        return { type: 'native', provider: PROVIDER, value: 'value' in part ? part.value : null }
      return {
        type: 'image',
        ...(mimeType !== undefined && { mimeType }),
        ...(data === undefined ? { uri: uri ?? '' } : { data }),
      }
    })
    const isBlank = blocks.every(({ type, text }) => type === 'text' && !text?.trim())
    if (isBlank) this.turns.note('rewritten', `${at}.content`, 'an empty result; it now says so')
    const part: ToolResultPart = {
      type: 'tool_result',
      id: id ?? '',
      content: isBlank ? [] : blocks,
      status: 'completed',
    }
    this.turns.addToResults(at, [{ part, at }])
  }

  #content(content: Json | undefined, at: string): PlacedPart[] {
    const place = `${at}.content`
    if (content === undefined || content === null || content === '') return []
    if (typeof content === 'string') return [{ part: inWords(content), at: place }]
    if (Array.isArray(content))
      return content.flatMap((part: Json, index) => this.#part(part, `${place}[${index}]`))
    if (!isFields(content)) return this.turns.unreadable(content, place, 'neither a text nor parts')
    this.turns.note('unreadable', place, 'a part that is in no list; read as the only one')
    return this.#part(content, place)
  }

  #part(value: Json, at: string): PlacedPart[] {
    if (!isFields(value)) return this.turns.unreadable(value, at, 'a part that is no object')
    const { type, text, refusal, image_url: image, file, ...rest } = value
    if (type === 'text' && typeof text === 'string') {
      this.turns.noteFields(rest, at)
      return [{ part: { type: 'text', text }, at }]
    }
    if (type === 'refusal' && typeof refusal === 'string') {
      this.turns.note('rewritten', at, 'a refusal; it is written as text')
      return [{ part: { type: 'text', text: refusal }, at }]
    }
    const read = readChatPart({ image_url: image ?? null, file: file ?? null })
    if (type === 'image_url' && read?.type === 'image' && isFields(image)) {
      const { url: _, ...detail } = image
      this.turns.noteFields({ ...rest, ...detail }, at)
      return [{ part: read, at }]
    }
    if (type === 'file' && read?.type === 'document' && read.media.data !== undefined)
      return [{ part: read, at }]
    if (type === 'input_audio' || type === 'file')
      return [{ part: { type: 'native', provider: PROVIDER, value }, at }]
    return this.turns.unreadable(value, at, 'no known kind of part')
  }
}
