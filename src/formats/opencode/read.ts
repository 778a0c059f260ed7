// OpenCode's exports: one document with a message for each call of the model, tools with their results.
import type { Json } from '../../core/text/json.ts'
import type { Part, StopReason, TokenUsage } from '../../core/view/content.ts'
import { dataUrl } from '../../wire/content-parts.ts'
import { type Origin, summaryEntries } from '../reading/conversation.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  keptStatus,
  listIn,
  modelRef,
  type RawRecord,
  textIn,
  timeIn,
  usageFrom,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import type { Sample, Source, Step } from '../session-format.ts'

export const OPENCODE = 'opencode'
/** Marks a text written for a reminder. */
export const REMINDER = 'precis_reminder'

const STOP_REASONS: { readonly [reason: string]: StopReason } = {
  stop: 'end',
  'tool-calls': 'tool_use',
  length: 'length',
  'content-filter': 'refusal',
}

export function isOpenCode({ items, keys }: Sample): boolean {
  const isMessage = ({ value }: { value: Json }) =>
    isFields(value) && isFields(value.info) && Array.isArray(value.parts)
  return items.some((item) => item.list === 'messages' && isMessage(item)) && keys.includes('info')
}

export function readOpenCode(source: Source, notes: ReadNotes): AsyncIterable<Step> {
  return readItems(source, ['messages'], notes, new MessageReader(notes))
}

class MessageReader extends OneThreadReader {
  readonly #cleared: string[] = []
  #compaction: Fields | undefined

  constructor(notes: ReadNotes) {
    super(OPENCODE, notes)
  }

  read(message: Fields, record: RawRecord): KeptBecause {
    const info = fieldsIn(message.info)
    const parts = listIn(message.parts).filter(isFields)
    const id = textIn(info.id) ?? `message ${record.at}`
    const origin = { record, names: [id], ...timeIn(fieldsIn(info.time).created) }
    if (info.role === 'user') return this.#user(parts, origin)
    if (info.role !== 'assistant') return 'a message of an unknown role'
    if (info.summary === true) return this.#summary(info, parts, record)
    this.#answer(id, info, parts, origin)
    return undefined
  }

  override end(): void {
    this.conversation.flush()
    this.#clear()
  }

  /** Outputs cleared to save room are still in the file; the time of clearing is not. */
  #clear(): void {
    const blanks = this.#cleared.splice(0)
    if (blanks.length > 0) this.conversation.compaction({ put: [], blanks, metadata: {} })
  }

  #user(parts: readonly Fields[], origin: Origin & { record: RawRecord }): KeptBecause {
    const compaction = parts.find(({ type }) => type === 'compaction')
    if (compaction) {
      this.#compaction = compaction
      this.conversation.raw(origin.record)
      return undefined
    }
    const isReminder = (part: Fields) => fieldsIn(part.metadata)[REMINDER] === true
    const reminders = parts.filter(isReminder)
    const content = parts.flatMap((part) => (isReminder(part) ? [] : userPart(part)))
    if (content.length + reminders.length === 0) return 'a message without content'
    if (content.length > 0) this.conversation.user(content, origin, 'typed')
    reminders.forEach(({ text }, index) => {
      const isFirst = content.length === 0 && index === 0
      this.conversation.reminder(textIn(text) ?? '', isFirst ? origin : {})
    })
    return undefined
  }

  /** A failed attempt leaves an unfinished summary, which changed nothing. */
  #summary(info: Fields, parts: readonly Fields[], record: RawRecord): KeptBecause {
    const text = parts
      .flatMap((part) => (part.type === 'text' ? [textIn(part.text) ?? ''] : []))
      .join('\n')
    if (text.trim() === '' || textIn(info.finish) === undefined) return 'a compaction that failed'
    const about = this.#compaction ?? {}
    this.#compaction = undefined
    const from = textIn(about.tail_start_id)
    const usage = readUsage(fieldsIn(info.tokens))
    this.conversation.raw(record)
    this.#clear()
    this.conversation.compaction({
      put: summaryEntries(text),
      ...(from !== undefined && { keepFrom: from }),
      ...(usage && { usage }),
      metadata: { recorded: about },
    })
    return undefined
  }

  #answer(id: string, info: Fields, parts: readonly Fields[], origin: Origin): void {
    const model = modelRef(textIn(info.providerID) ?? 'unknown', info.modelID)
    const usage = readUsage(fieldsIn(info.tokens))
    const stopReason = readStopReason(info)
    this.conversation.answer(id, origin, {
      model,
      ...(stopReason && { stopReason }),
      ...(usage && { tokenUsage: usage }),
    })
    for (const part of parts) {
      const text = textIn(part.text) ?? ''
      if (part.type === 'text') this.conversation.part({ type: 'text', text })
      else if (part.type === 'reasoning')
        this.conversation.part({
          type: 'thinking',
          thinking: text,
          ...computeSignature(part),
          model,
        })
      else if (part.type === 'tool') {
        const name = textIn(part.tool) ?? 'unnamed'
        const call = textIn(part.callID) ?? textIn(part.id) ?? name
        this.conversation.call(call, name, fieldsIn(part.state).input ?? {})
      }
    }
    for (const part of parts) if (part.type === 'tool') this.#result(part, origin)
  }

  #result(part: Fields, { timestamp }: Origin): void {
    const state = fieldsIn(part.state)
    const id = textIn(part.callID) ?? textIn(part.id) ?? textIn(part.tool) ?? 'unnamed'
    const isError = state.status === 'error'
    if (state.status !== 'completed' && !isError) return
    const text = textIn(isError ? state.error : state.output) ?? ''
    const images = listIn(state.attachments).flatMap((file) => {
      const media = dataUrl(textIn(fieldsIn(file).url), textIn(fieldsIn(file).mime) ?? 'image/*')
      return media?.data !== undefined && media.mimeType.startsWith('image/')
        ? [{ type: 'image' as const, data: media.data, mimeType: media.mimeType }]
        : []
    })
    this.conversation.result(
      {
        id,
        content: text === '' && images.length > 0 ? images : [{ type: 'text', text }, ...images],
        status: isError ? (keptStatus(state.metadata) ?? 'failed') : 'completed',
      },
      { ...(timestamp && { timestamp }) },
    )
    if (fieldsIn(state.time).compacted !== undefined) this.#cleared.push(id)
  }
}

function userPart(part: Fields): Part[] {
  if (part.type === 'text') {
    const text = textIn(part.text) ?? ''
    return [{ type: 'text', text, ...(part.synthetic === true && { from: 'client' }) }]
  }
  if (part.type !== 'file') return []
  const mimeType = textIn(part.mime) ?? 'application/octet-stream'
  const media = dataUrl(textIn(part.url), mimeType)
  if (!media) return []
  const title = textIn(part.filename)
  const type = mimeType.startsWith('image/') ? 'image' : 'document'
  return [{ type, media: { ...media, mimeType, ...(title !== undefined && { title }) } }]
}

function computeSignature(part: Fields): { signature?: string } {
  const signature = textIn(fieldsIn(fieldsIn(part.metadata).anthropic).signature)
  return signature === undefined ? {} : { signature }
}

function readStopReason({ finish, error }: Fields): StopReason | undefined {
  const name = textIn(fieldsIn(error).name)
  if (name !== undefined) return name.includes('Abort') ? 'aborted' : 'error'
  return STOP_REASONS[textIn(finish) ?? '']
}

function readUsage(tokens: Fields): TokenUsage | undefined {
  const { input, output, reasoning } = tokens
  const { read: cacheRead, write: cacheWrite } = fieldsIn(tokens.cache)
  return usageFrom({ input, output, reasoning, cacheRead, cacheWrite, inputHoldsCache: false })
}
