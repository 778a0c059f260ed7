// Writes a context as an OpenCode export: messages with parts, results inside their calls.
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
  readRecords,
  resultsAfter,
  splitModel,
  UNSIGNED,
  wellFormed,
} from '../outgoing.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  isKind,
  type RawRecord,
  rawEnvelope,
  recordValue,
  STATUS,
  textIn,
  urlOfMedia,
} from '../reading/raw.ts'
import type { Exported, Outgoing, SessionFormat, WriteOptions } from '../session-format.ts'
import { Moments, sessionId } from './ids.ts'
import { isOpenCode, OPENCODE, REMINDER, readOpenCode } from './read.ts'
import { sessionInfo } from './session-info.ts'

function writeOpenCode(outgoing: Outgoing, options: WriteOptions): Exported {
  const before = fieldsIn(rawEnvelope(OPENCODE, outgoing.events ?? []))
  const info = isFields(before.info) ? before.info : sessionInfo(outgoing, options)
  const { records, problems, ...facts } = readRecords(OPENCODE, outgoing, {
    fresh: ({ view }, note) => {
      if (view.system.length > 0) note('the system prompt has no place in an OpenCode session')
      return new Messages(options, outgoing, info, note).all(view.messages)
    },
    changed: (changed, old, note) => {
      const messages = new Messages(options, outgoing, info, note, old)
      const { summary, rest } = opened(changed, note)
      messages.compaction(summary)
      return messages.all(rest)
    },
  })
  // Old messages are written unchanged; half a message would break the document.
  const whole = records.filter((record) => isFields(recordValue(record).info))
  const lost = records.length - whole.length
  const note = lost === 0 ? [] : [`${lost} messages that could not be read were left out`]
  const { messages: _, ...around } = before
  const head = JSON.stringify({ ...around, info }, wellFormed).slice(0, -1)
  const messages = whole.map(({ raw }) => raw).join(',\n')
  return {
    text: `${head},"messages":[\n${messages}\n]}\n`,
    problems: [...problems, ...note],
    ...facts,
  }
}

class Messages {
  readonly #done: Json[] = []
  readonly #moments: Moments
  readonly #sessionID: string
  readonly #directory: string
  readonly #note: Note
  readonly #model: { provider: string; model: string }
  #lastUser = ''

  constructor(
    options: WriteOptions,
    outgoing: Outgoing,
    info: Fields,
    note: Note,
    old: readonly RawRecord[] = [],
  ) {
    this.#moments = new Moments(options, lastTime(old), outgoing.view.messages.length + 2)
    this.#sessionID = textIn(info.id) ?? sessionId(options)
    this.#directory = textIn(info.directory) ?? ''
    this.#note = note
    this.#model = lastModel(outgoing)
  }

  all(messages: readonly Message[]): Json[] {
    messages.forEach((message, index) => {
      if (message.role === 'user') this.#user(message.parts)
      else this.#answer(message.parts, resultsAfter(messages, index))
    })
    return this.#done
  }

  compaction(summary: string): void {
    this.#message({ role: 'user', ...this.#userFacts() }, [{ type: 'compaction', auto: false }])
    const facts = { summary: true, mode: 'compaction', agent: 'compaction', finish: 'stop' }
    this.#message(this.#answerFacts(this.#model, facts), [{ type: 'text', text: summary }])
  }

  #user(parts: readonly MessagePart[]): void {
    const written = parts.flatMap((part) => this.#userPart(part))
    if (written.length > 0) this.#message({ role: 'user', ...this.#userFacts() }, written)
  }

  #userPart(part: MessagePart): Fields[] {
    switch (part.type) {
      case 'tool_result':
        return []
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'system_reminder':
        return [{ type: 'text', text: part.text, synthetic: true, metadata: { [REMINDER]: true } }]
      case 'checkpoint':
        this.#note('a checkpoint was written as text')
        return [{ type: 'text', text: checkpointToText(part.id) }]
      case 'image':
      case 'document': {
        const url = urlOfMedia(part.media)
        if (url === undefined) return [{ type: 'text', text: placeholder(part, this.#note) }]
        const filename = part.media.title
        const named = filename === undefined ? {} : { filename }
        return [{ type: 'file', mime: part.media.mimeType, ...named, url }]
      }
      default:
        this.#note('a part that only one provider understands was left out')
        return []
    }
  }

  #answer(parts: readonly MessagePart[], results: ReadonlyMap<string, ToolResultPart>): void {
    const own = parts.find((part) => part.type === 'thinking')
    const model = own?.type === 'thinking' ? splitModel(own.model) : this.#model
    const written = parts.flatMap((part) => this.#answerPart(part, results))
    if (written.length === 0) return
    const finish = parts.some(({ type }) => type === 'tool_call') ? 'tool-calls' : 'stop'
    this.#message(this.#answerFacts(model, { mode: 'build', agent: 'build', finish }), written)
  }

  #answerPart(part: MessagePart, results: ReadonlyMap<string, ToolResultPart>): Fields[] {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'thinking': {
        if (part.signature !== undefined) this.#note(UNSIGNED)
        return [{ type: 'reasoning', text: part.thinking, time: this.#span() }]
      }
      case 'tool_call': {
        const isObject = isFields(part.arguments)
        if (!isObject) this.#note('arguments that are no object were wrapped in one')
        const input = isObject ? part.arguments : { input: part.arguments }
        const state = this.#state(input, part.name, results.get(part.id))
        return [{ type: 'tool', tool: part.name, callID: part.id, state }]
      }
      default:
        this.#note('a part that only one provider understands was left out')
        return []
    }
  }

  #state(input: Json, title: string, result: ToolResultPart | undefined): Json {
    const time = this.#span()
    if (!result) return { status: 'running', input, time: { start: time.start } }
    const isImage = (block: Block) => block.type === 'image' && block.data !== undefined
    const texts = result.content.flatMap((block) =>
      block.type === 'text'
        ? [block.text ?? '']
        : isImage(block)
          ? []
          : [blockWords(block, this.#note)],
    )
    if (texts.length !== 1) this.#note('the texts of a result were joined')
    const text = texts.join('\n')
    const images = result.content.filter(isImage).map(({ mimeType: mime = 'image/*', data }) => {
      return { type: 'file', mime, url: `data:${mime};base64,${data}` }
    })
    if (result.status === 'completed') {
      const attachments = images.length === 0 ? {} : { attachments: images }
      return { status: 'completed', input, output: text, title, metadata: {}, time, ...attachments }
    }
    if (images.length > 0) this.#note('an image in a failed result was left out')
    const kind = isKind(result.status) ? { metadata: { [STATUS]: result.status } } : {}
    return { status: 'error', input, error: text, time, ...kind }
  }

  #span(): { start: number; end: number } {
    const { time } = this.#moments
    return { start: time, end: time }
  }

  #userFacts(): Fields {
    const { provider: providerID, model: modelID } = this.#model
    return { time: { created: this.#moments.time }, agent: 'build', model: { providerID, modelID } }
  }

  #answerFacts(model: { provider: string; model: string }, facts: Fields): Fields {
    const { time } = this.#moments
    return {
      role: 'assistant',
      parentID: this.#lastUser,
      path: { cwd: this.#directory, root: this.#directory },
      cost: 0,
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      modelID: model.model,
      providerID: model.provider,
      time: { created: time, completed: time },
      ...facts,
    }
  }

  #message(info: Fields, parts: readonly Fields[]): void {
    const id = this.#moments.id('msg')
    const sessionID = this.#sessionID
    if (info.role === 'user') this.#lastUser = id
    this.#done.push({
      info: { id, sessionID, ...info },
      parts: parts.map((part) => ({
        id: this.#moments.id('prt'),
        messageID: id,
        sessionID,
        ...part,
      })),
    })
    this.#moments.next()
  }
}

/** The time of the latest existing message: new ones must be later to appear after it. */
function lastTime(old: readonly RawRecord[]): number {
  const times = old.map((record) => {
    const { created } = fieldsIn(fieldsIn(recordValue(record).info).time)
    return typeof created === 'number' ? created + 1 : 0
  })
  return times.reduce((latest, time) => Math.max(latest, time), 0)
}

export const openCode: SessionFormat = {
  id: OPENCODE,
  title: 'OpenCode',
  losses: [
    'system',
    'sealed-thinking',
    'signatures',
    'natives',
    'extras',
    'documents',
    'result-blocks',
    'checkpoints',
    'arguments',
  ],
  detect: isOpenCode,
  read: readOpenCode,
  write: writeOpenCode,
}
