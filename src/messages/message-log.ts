// An array of messages as a log: events, context, and the place of each entry in the messages.
import type { EntryId } from '../core/edit/change.ts'
import { notesIn } from '../core/edit/pins.ts'
import type { LogReducer } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import {
  bearsEntry,
  EVENT_VERSION,
  type EventAt,
  type EventDraft,
  isChange,
  type PinData,
  type ThreadEvent,
} from '../core/log/event.ts'
import { isRecord } from '../core/text/json.ts'
import {
  type Answer,
  type Part,
  type TokenUsage,
  textOfParts,
  type UserContent,
} from '../core/view/content.ts'
import { type Context, emptyContext, foldEvent, foldEvents } from '../core/view/context.ts'
import { findRoot, isNewEntry, originalId, parseEntryId } from '../core/view/entry.ts'
import { writtenBy } from '../core/view/typed-text.ts'
import { type AnyMessage, type Dialect, linkIfNew, originalOf, type Piece } from './dialect.ts'

/** The place of an entry: its message number, and its part indices if it shares the message. */
export interface Place {
  readonly message: number
  readonly at?: readonly number[] | undefined
}

/** Without clock and ids: only an event's number and data are ever read. */
const EPOCH = new Date(0)
const THREAD_ID = 'messages'

type BareDraft = Pick<EventDraft, 'type' | 'data' | 'origin'>

function buildEvent(seq: number, draft: BareDraft): ThreadEvent {
  return {
    ...draft,
    v: EVENT_VERSION,
    id: `${THREAD_ID}.${seq}`,
    threadId: THREAD_ID,
    seq,
    timestamp: EPOCH,
  } as ThreadEvent
}

/** Grows by messages and changes. */
export class MessageLog {
  readonly dialect: Dialect
  readonly events: ThreadEvent[] = []
  /** The messages by number, as last seen; null if restored from a store and not given since. */
  readonly messages: AnyMessage[] = []
  readonly places = new Map<EntryId, readonly Place[]>()
  /** The entries of each message; none for system messages. */
  readonly entries: (readonly EntryId[])[] = []
  readonly pins: PinData[] = []
  context: Context = emptyContext()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  readonly eventAt: EventAt = (seq) => this.events[seq - 1]

  readonly #reduced = new Map<object, { readonly state: unknown; readonly count: number }>()

  /** A reducer's state over all events. Continues where it was, since states may grow in place. */
  readonly reduce = <S>(reducer: LogReducer<S>): S => {
    const known = this.#reduced.get(reducer)
    let state = known ? (known.state as S) : reducer.init()
    for (const event of this.events.slice(known?.count)) state = reducer.step(state, event)
    this.#reduced.set(reducer, { state, count: this.events.length })
    return state
  }

  /** A separate log with the first `count` messages, and what happened before the next one. */
  fork(count = this.messages.length): MessageLog | undefined {
    let kept = count
    for (const places of this.places.values()) {
      const numbers = places.map(({ message }) => message)
      // An answer of several messages is not split.
      if (numbers.some((number) => number >= count)) kept = Math.min(kept, ...numbers)
    }
    if (this.entries.slice(kept).some((ids) => ids.length === 0)) return undefined
    const later = this.entries
      .slice(kept)
      .flat()
      .map((id) => parseEntryId(id).seq)
    const end = Math.min(this.events.length + 1, ...later)
    const log = new MessageLog(this.dialect)
    log.events.push(...this.events.slice(0, end - 1))
    log.messages.push(...this.messages.slice(0, kept))
    log.entries.push(...this.entries.slice(0, kept))
    const isEarlier = (id: EntryId) => parseEntryId(id).seq < end
    for (const [id, places] of this.places) if (isEarlier(id)) log.places.set(id, places)
    log.pins.push(...this.pins.filter(({ entries = [] }) => entries.every(isEarlier)))
    log.context = foldEvents(log.events, log.eventAt)
    return log
  }

  /** Adopts stored events whose messages and places come from elsewhere. */
  restore(events: readonly ThreadEvent[]): void {
    for (const { seq, type, data, origin } of events)
      this.events.push(buildEvent(seq, { type, data, ...(origin && { origin }) } as BareDraft))
    this.context = foldEvents(this.events, this.eventAt)
  }

  append(draft: BareDraft): ThreadEvent {
    const event = buildEvent(this.events.length + 1, draft)
    this.events.push(event)
    this.context = foldEvent(this.context, event, this.eventAt)
    return event
  }

  /** Appends messages. `usage` is the provider's count for the request of the last answer. */
  add(messages: readonly unknown[], usage?: TokenUsage): void {
    const read = messages.map((message, index) => this.#read(message, index))
    const lastAnswer = read.findLastIndex((pieces) => pieces.some(({ kind }) => kind === 'answer'))
    const system: string[] = []
    let isHead = this.events.length === 0
    let answer: OpenAnswer | undefined
    for (const [index, pieces] of read.entries()) {
      const number = this.messages.push(messages[index] as AnyMessage) - 1
      const ids: EntryId[] = []
      this.entries.push(ids)
      for (const piece of pieces) {
        const place: Place = { message: number, at: piece.at }
        if (piece.kind === 'system' && isHead) {
          system.push(piece.text)
          continue
        }
        if (isHead && system.length > 0)
          this.append({ type: 'SYSTEM_PROMPT', data: system.join('\n\n') })
        isHead = false
        if (piece.kind === 'answer') {
          if (!piece.joins || answer === undefined) {
            if (answer) this.#addAnswer(answer)
            answer = { parts: [], calls: [], places: [] }
          }
          answer.parts.push(...piece.parts)
          answer.calls.push(...piece.calls)
          answer.places.push({ place, ids })
          if (index === lastAnswer) answer.usage = usage
          continue
        }
        if (answer) this.#addAnswer(answer)
        answer = undefined
        this.#addOther(piece, place, ids)
      }
    }
    if (answer) this.#addAnswer(answer)
    if (isHead && system.length > 0)
      this.append({ type: 'SYSTEM_PROMPT', data: system.join('\n\n') })
  }

  #read(message: unknown, index: number): readonly Piece[] {
    if (isRecord(message)) return this.dialect.read(message)
    throw new PrecisError('invalid-input', `messages[${index}] is not an object.`, {
      where: `messages[${index}]`,
      hint: 'Pass the array of messages that you send to the model.',
    })
  }

  #addAnswer({ parts, calls, places, usage }: OpenAnswer): void {
    const data: Answer = {
      content: textOfParts(parts),
      parts,
      calls: calls.map(({ id }) => id),
      ...(usage && { tokenUsage: usage }),
    }
    const { seq } = this.append({ type: 'AGENT_MESSAGE', data })
    for (const call of calls) this.append({ type: 'TOOL_CALL', data: { ...call, answer: seq } })
    const id = originalId(seq)
    this.places.set(
      id,
      places.map(({ place }) => place),
    )
    for (const { ids } of places) ids.push(id)
  }

  #addOther(piece: Exclude<Piece, { kind: 'answer' }>, place: Place, ids: EntryId[]): void {
    const last =
      piece.kind === 'attached'
        ? this.context.items.toArray().findLast(({ kind }) => kind === 'answer')
        : undefined
    if (last) {
      this.places.set(last.id, [...(this.places.get(last.id) ?? []), place])
      ids.push(last.id)
      return
    }
    const id = originalId(this.append(buildDraft(piece)).seq)
    this.places.set(id, [place])
    ids.push(id)
    const isKept = piece.kind === 'result' ? piece.isKept : piece.kind !== 'user'
    if (isKept) this.pins.push({ pinId: `kept.${id}`, entries: [id], by: 'pattern' })
  }
}

interface OpenAnswer {
  readonly parts: Answer['parts'] extends readonly (infer P)[] | undefined ? P[] : never
  readonly calls: Extract<Piece, { kind: 'answer' }>['calls'][number][]
  readonly places: { readonly place: Place; readonly ids: EntryId[] }[]
  usage?: TokenUsage | undefined
}

function buildDraft(piece: Exclude<Piece, { kind: 'answer' }>): BareDraft {
  switch (piece.kind) {
    case 'user':
      return {
        type: 'USER_MESSAGE',
        data: partNotes(piece.content),
        origin: writtenBy(piece.content),
      }
    case 'result':
      return { type: 'TOOL_RESULT', data: piece.result }
    default:
      return { type: 'SYSTEM_REMINDER', data: 'text' in piece ? piece.text : '' }
  }
}

/**
 * Splits the notes of an earlier compaction in one message into parts; otherwise the second could not be
 * read.
 */
function partNotes(content: UserContent): UserContent {
  const parts: readonly Part[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const parted = parts.flatMap((part): readonly Part[] =>
    part.type === 'text' ? notesIn(part.text).map((text) => ({ ...part, text })) : [part],
  )
  return parted.length === parts.length ? content : parted
}

/** Does nothing for unknown messages. */
export function relink(log: MessageLog): void {
  for (const event of log.events) {
    if (bearsEntry(event)) link(log, originalId(event.seq), event.data)
    if (!isChange(event)) continue
    for (const put of event.data.edits.flatMap((edit) => edit.put))
      if (isNewEntry(put) && put.of) link(log, findRoot(put.of, log.eventAt), put.data)
  }
}

/** Identifies a part by its content among its source messages. */
function link(log: MessageLog, root: EntryId, data: unknown): void {
  const parts = partsIn(data)
  if (parts.length === 0) return
  const numbers = new Set((log.places.get(root) ?? []).map(({ message }) => message))
  const known = new Map<string, unknown>()
  for (const number of numbers) {
    const message: AnyMessage | undefined = log.messages[number]
    const pieces = message ? log.dialect.read(message) : []
    for (const part of pieces.flatMap(partsOfPiece))
      known.set(JSON.stringify(part), originalOf(part))
  }
  for (const part of parts) linkIfNew(part, known.get(JSON.stringify(part)))
}

function partsOfPiece(piece: Piece): readonly object[] {
  if (piece.kind === 'user') return partsIn(piece.content)
  if (piece.kind === 'answer') return piece.parts
  return piece.kind === 'result' ? piece.result.content : []
}

/** The parts in an event's data: of a user message, a result, or an answer. */
function partsIn(data: unknown): readonly object[] {
  if (Array.isArray(data)) return data
  const { content, parts } = Object(data)
  if (Array.isArray(content)) return content
  return Array.isArray(parts) ? parts : []
}
