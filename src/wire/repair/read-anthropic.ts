// Reads an Anthropic document of any shape; unreadable parts become text
import { PrecisError } from '../../core/errors.ts'
import type { LooseMessage } from '../../core/repair/repair.ts'
import type { RepairChange } from '../../core/repair/turn.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Block, ModelRef } from '../../core/view/content.ts'
import type { MessagePart } from '../../core/view/message.ts'
import { type Notes, PROVIDER, readBlock, unmarked } from '../anthropic/blocks.ts'
import { readSystem } from '../anthropic/read.ts'
import { isEmpty } from '../anthropic/shape.ts'
import { inWords, type LooseHistory } from './loose-history.ts'

/** Each message gives one message, and each block one part: places in one are places in the other. */
export function readLoosely(document: Json): LooseHistory {
  const reader = new LooseReader(document)
  const values = Array.isArray(document) ? document : isFields(document) ? document.messages : null
  const list: readonly Json[] = Array.isArray(values) ? values : []
  if (!Array.isArray(values)) reader.note('unreadable', 'messages', 'there is no list of messages')
  const messages = list.map((value, index) => reader.message(value, `messages[${index}]`))
  const envelope = Array.isArray(document) ? [] : reader.envelope()
  const system = reader.system(isFields(envelope) ? envelope.system : undefined)
  return { messages, system, envelope, changes: reader.finish() }
}

/** Where each kind may stand: there the reader of blocks takes it. */
const USER_KINDS = new Set(['tool_result', 'image', 'document'])

class LooseReader {
  readonly #changes: RepairChange[] = []
  readonly #notes: Notes = { problems: [], cacheMarks: 0 }
  readonly #document: Json
  readonly #model: string

  constructor(document: Json) {
    this.#document = document
    this.#model =
      isFields(document) && typeof document.model === 'string' ? document.model : 'unknown'
  }

  note(what: RepairChange['what'], where: string, why: string): void {
    this.#changes.push({ what, where, why })
  }

  finish(): readonly RepairChange[] {
    const { cacheMarks } = this.#notes
    if (cacheMarks > 0)
      this.note('left-out-field', 'cache_control', `${cacheMarks} marks, which are placed anew`)
    return this.#changes
  }

  message(value: Json, at: string): LooseMessage {
    if (!isFields(value)) {
      this.note('unreadable', at, 'a message that is no object; it became text')
      return { role: 'user', parts: [inWords(value)] }
    }
    const { role, content, ...rest } = value
    this.#noteFields(rest, at)
    const author: ModelRef = `${PROVIDER}/${typeof value.model === 'string' ? value.model : this.#model}`
    return { role: this.#role(role, at), parts: this.#content(content, at, author) }
  }

  #role(role: Json | undefined, at: string): LooseMessage['role'] {
    if (role === 'user' || role === 'assistant' || role === 'system') return role
    const read = role === 'developer' ? 'system' : role === 'model' ? 'assistant' : 'user'
    const name = typeof role === 'string' ? JSON.stringify(role.slice(0, 30)) : 'none'
    this.note('unreadable', `${at}.role`, `the role is ${name}; it was read as ${read}`)
    return read
  }

  #content(content: Json | undefined, at: string, author: ModelRef): MessagePart[] {
    if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
    if (Array.isArray(content))
      return content.map((block: Json, index) =>
        this.#block(block, `${at}.content[${index}]`, author),
      )
    if (content === undefined || content === null) return []
    if (isFields(content)) {
      this.note('unreadable', `${at}.content`, 'a block that is in no list; read as the only one')
      return [this.#block(content, `${at}.content`, author)]
    }
    this.note('unreadable', `${at}.content`, 'neither a text nor blocks; it became text')
    return [inWords(content)]
  }

  #block(value: Json, at: string, author: ModelRef): MessagePart {
    const type = isFields(value) && typeof value.type === 'string' ? value.type : ''
    try {
      const block = isFields(value) ? this.#completed(value, type, at) : value
      const role = USER_KINDS.has(type) ? 'user' : 'assistant'
      const read = readBlock(block, at, role, author, this.#notes)
      if (read.kind === 'misplaced') return inWords(value)
      this.#noteFields(read.rest, at)
      if (read.kind === 'part') return read.part as MessagePart
      if (read.kind === 'call') return { type: 'tool_call', ...read.call }
      const { id, content, status } = read.result
      return { type: 'tool_result', id, content, status }
    } catch (thrown) {
      if (!PrecisError.is(thrown)) throw thrown
      return this.#unreadable(value, type, at, author, thrown.message)
    }
  }

  /** A block of a round with what it needs to be read: an id, a name. */
  #completed(block: Fields, type: string, at: string): Fields {
    const needed =
      type === 'tool_use' ? ['id', 'name'] : type === 'tool_result' ? ['tool_use_id'] : []
    const missing = needed.filter((name) => typeof block[name] !== 'string')
    for (const name of missing) this.note('unreadable', `${at}.${name}`, 'no text; read as empty')
    if (type === 'tool_use' && (block.input === undefined || block.input === null))
      this.note('unreadable', `${at}.input`, 'no input; read as an empty one')
    const names = Object.fromEntries(missing.map((name) => [name, '']))
    const { is_error: isError, ...others } = block
    if (
      type !== 'tool_result' ||
      isError === undefined ||
      isError === null ||
      typeof isError === 'boolean'
    )
      return { ...block, ...names }
    this.note('unreadable', `${at}.is_error`, 'neither true nor false; read as true')
    return { ...others, ...names, is_error: true }
  }

  /** Thinking is never told in words: a block without its text stays one that cannot be sent. */
  #unreadable(
    value: Json,
    type: string,
    at: string,
    author: ModelRef,
    reason: string,
  ): MessagePart {
    if (type === 'thinking' || type === 'redacted_thinking')
      return { type: 'thinking', thinking: '', model: author }
    this.note('unreadable', at, `${reason}; it became text`)
    if (type !== 'tool_result' || !isFields(value)) return inWords(value)
    // The round stays whole, whatever the tool said.
    const id = typeof value.tool_use_id === 'string' ? value.tool_use_id : ''
    const content: Block[] = [{ type: 'text', text: JSON.stringify(value.content ?? null) }]
    return { type: 'tool_result', id, content, status: value.is_error ? 'failed' : 'completed' }
  }

  /** Metadata of a saved answer says nothing to the model, so nobody will miss it in a request. */
  #noteFields(rest: Fields, at: string): void {
    if (isEmpty(rest)) return
    this.note(
      'left-out-field',
      at,
      `fields that are not written again: ${Object.keys(rest).join(', ')}`,
    )
  }

  envelope(): Json {
    if (!isFields(this.#document)) return {}
    const fields = Object.entries(unmarked(this.#document, this.#notes)).map(([name, value]) => {
      if (name === 'messages') return [name, []]
      const isList = (name === 'system' || name === 'tools') && Array.isArray(value)
      return [name, isList ? this.#filled(name, value) : value]
    })
    return Object.fromEntries(fields)
  }

  #filled(name: string, list: readonly Json[]): Json {
    return list
      .map((item) => (isFields(item) ? unmarked(item, this.#notes) : item))
      .filter((item, index) => {
        const isBlank = isFields(item) && typeof item.text === 'string' && item.text.trim() === ''
        if (!isBlank || name !== 'system') return true
        this.note('blank-text', `system[${index}]`, 'a text of blanks alone; it was left out')
        return false
      })
  }

  system(system: Json | undefined): string[] {
    try {
      const text = readSystem(system)
      return text === undefined || text === '' ? [] : [text]
    } catch (thrown) {
      if (!PrecisError.is(thrown)) throw thrown
      this.note('unreadable', 'system', `${thrown.message}; it became text`)
      return [JSON.stringify(system)]
    }
  }
}
