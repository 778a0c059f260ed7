// Writes a context as pi entries, version 3: a summary as a compaction, the rest as messages.
import type { Json } from '../../core/text/json.ts'
import { checkpointToText } from '../../core/view/checkpoint.ts'
import type { Block } from '../../core/view/content.ts'
import type { Message, MessagePart, ToolResultPart } from '../../core/view/message.ts'
import {
  blockWords,
  lastModel,
  type Note,
  opened,
  placeholder,
  splitModel,
  UNSIGNED,
  writeLines,
} from '../outgoing.ts'
import {
  type Fields,
  isFields,
  isKind,
  type RawRecord,
  recordValue,
  STATUS,
  textIn,
} from '../reading/raw.ts'
import { chooseWorkplace } from '../reading/workplace.ts'
import type { Exported, Outgoing, SessionFormat, WriteOptions } from '../session-format.ts'
import { REMINDER } from './message.ts'
import { isOhMyPi, isPi, OH_MY_PI, PI, readPi } from './read.ts'

const VERSION = 3

function writePi(outgoing: Outgoing, options: WriteOptions): Exported {
  return writeLines(PI, outgoing, {
    fresh: ({ view }, note) => {
      if (view.system.length > 0) note('the system prompt has no place in a pi session')
      const entries = new Entries(options, outgoing, note)
      for (const message of view.messages) entries.message(message)
      const timestamp = options.now.toISOString()
      const cwd = chooseWorkplace(outgoing, options)
      const header = { type: 'session', version: VERSION, id: options.newId(), timestamp, cwd }
      return [header, ...entries.done]
    },
    changed: (changed, old, note) => {
      const entries = new Entries(options, outgoing, note, old)
      const { summary, rest } = opened(changed, note)
      entries.compaction(summary)
      for (const message of rest) entries.message(message)
      return entries.done
    },
  })
}

/** pi requires a usage even for unbilled calls. */
const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

class Entries {
  readonly done: Json[] = []
  readonly #options: WriteOptions
  readonly #note: Note
  readonly #model: { provider: string; model: string }
  readonly #toolNames = new Map<string, string>()
  readonly #isLinear: boolean // version 1 has no ids
  #index: number
  #parent: string | null

  constructor(
    options: WriteOptions,
    outgoing: Outgoing,
    note: Note,
    old: readonly RawRecord[] = [],
  ) {
    this.#options = options
    this.#note = note
    this.#model = lastModel(outgoing)
    const header = old.find((record) => recordValue(record).type === 'session')
    this.#isLinear = header !== undefined && recordValue(header).version === undefined
    this.#index = old.length
    const last = old.findLast((record) =>
      textIn(recordValue(record).parentId ?? recordValue(record).id),
    )
    this.#parent = last === undefined ? null : (textIn(recordValue(last).id) ?? null)
  }

  /** Keeps nothing from before: the remaining context is written again after it. */
  compaction(summary: string): void {
    const kept = this.#isLinear
      ? { firstKeptEntryIndex: this.#index + 1 }
      : { firstKeptEntryId: 'none' }
    this.#add({ type: 'compaction', summary, ...kept, tokensBefore: 0 })
  }

  message({ role, parts }: Message): void {
    if (role === 'assistant') this.#answer(parts)
    else this.#user(parts)
  }

  #answer(parts: readonly MessagePart[]): void {
    const own = parts.find((part) => part.type === 'thinking')
    const { provider, model } = own?.type === 'thinking' ? splitModel(own.model) : this.#model
    const content = parts.flatMap((part) => this.#answerBlock(part))
    if (content.length === 0) return
    const isCall = parts.some(({ type }) => type === 'tool_call')
    const stopReason = isCall ? 'toolUse' : 'stop'
    const api = provider === 'anthropic' ? 'anthropic-messages' : 'openai-completions'
    const facts = { api, provider, model, usage: NO_USAGE, stopReason }
    this.#message({ role: 'assistant', content, ...facts })
  }

  #answerBlock(part: MessagePart): Json[] {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'thinking': {
        if (part.signature !== undefined) this.#note(UNSIGNED)
        return [{ type: 'thinking', thinking: part.thinking }]
      }
      case 'tool_call': {
        const isObject = isFields(part.arguments)
        if (!isObject) this.#note('arguments that are no object were wrapped in one')
        this.#toolNames.set(part.id, part.name)
        const given = isObject ? part.arguments : { input: part.arguments }
        return [{ type: 'toolCall', id: part.id, name: part.name, arguments: given }]
      }
      case 'native':
        if (part.provider === PI) return [part.value]
        this.#note(`a part that only ${part.provider} understands was left out`)
        return []
      case 'redacted_thinking':
        this.#note('sealed thinking was left out')
        return []
      default:
        return [{ type: 'text', text: placeholder(part, this.#note) }]
    }
  }

  #user(parts: readonly MessagePart[]): void {
    const content: Json[] = []
    for (const part of parts) {
      if (part.type === 'tool_result') this.#result(part)
      else if (part.type !== 'system_reminder') content.push(...this.#userBlock(part))
    }
    if (content.length > 0) this.#message({ role: 'user', content })
    for (const part of parts)
      if (part.type === 'system_reminder')
        this.#add({
          type: 'custom_message',
          customType: REMINDER,
          content: part.text,
          display: false,
        })
  }

  #userBlock(part: MessagePart): Json[] {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'checkpoint') {
      this.#note('a checkpoint was written as text')
      return [{ type: 'text', text: checkpointToText(part.id) }]
    }
    if (part.type === 'image' && part.media.data !== undefined)
      return [{ type: 'image', data: part.media.data, mimeType: part.media.mimeType }]
    if (part.type === 'native') {
      if (part.provider === PI) return [part.value]
      this.#note(`a part that only ${part.provider} understands was left out`)
      return []
    }
    return [{ type: 'text', text: placeholder(part, this.#note) }]
  }

  #result({ id, content, status }: ToolResultPart): void {
    this.#message({
      role: 'toolResult',
      toolCallId: id,
      toolName: this.#toolNames.get(id) ?? 'unknown',
      content: content.map((block) => this.#resultBlock(block)),
      isError: status !== 'completed',
      ...(isKind(status) && { details: { [STATUS]: status } }),
    })
  }

  #resultBlock(block: Block): Json {
    if (block.type === 'text') return { type: 'text', text: block.text ?? '' }
    if (block.type === 'image' && block.data !== undefined)
      return { type: 'image', data: block.data, mimeType: block.mimeType ?? 'image/*' }
    if (block.type === 'native' && block.provider === PI && block.value !== undefined)
      return block.value
    return { type: 'text', text: blockWords(block, this.#note) }
  }

  #message(message: Fields): void {
    this.#add({ type: 'message', message: { ...message, timestamp: this.#options.now.getTime() } })
  }

  #add(entry: Fields): void {
    const timestamp = this.#options.now.toISOString()
    this.#index += 1
    if (this.#isLinear) {
      this.done.push({ ...entry, timestamp })
      return
    }
    // Eight hex digits from the end of an id: its start is a time that many ids share.
    const id = this.#options.newId().replaceAll('-', '').slice(-8)
    this.done.push({ ...entry, id, parentId: this.#parent, timestamp })
    this.#parent = id
  }
}

export const pi: SessionFormat = {
  id: PI,
  title: 'pi',
  losses: [
    'system',
    'sealed-thinking',
    'signatures',
    'natives',
    'extras',
    'documents',
    'image-urls',
    'checkpoints',
    'arguments',
  ],
  detect: isPi,
  read: (source, notes) => readPi(PI, source, notes),
  write: writePi,
}

export const ohMyPi: SessionFormat = {
  id: OH_MY_PI,
  title: 'Oh My Pi',
  losses: [],
  detect: isOhMyPi,
  read: (source, notes) => readPi(OH_MY_PI, source, notes),
}
