// Shared by the writers of session files: old records stay unchanged, followed by the context.
import type { EntryLabel } from '../core/edit/change.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Json } from '../core/text/json.ts'
import type { Block } from '../core/view/content.ts'
import type { Message, MessagePart } from '../core/view/message.ts'
import { writtenBy } from '../core/view/typed-text.ts'
import { OPENING } from './reading/conversation.ts'
import {
  fieldsIn,
  isAsRead,
  listIn,
  modelRef,
  type RawRecord,
  rawRecords,
  textIn,
} from './reading/raw.ts'
import { findWorkplace } from './reading/workplace.ts'
import type { Exported, Loss, Outgoing } from './session-format.ts'

/** Reports something the format cannot express, once. */
export type Note = (problem: string) => void

/** How a format writes a context. */
export interface RecordWriter {
  /** A new file. */
  fresh(outgoing: Outgoing, note: Note): readonly Json[]
  /** Records appended to the original file that turn its context into this one. */
  changed(outgoing: Outgoing, old: readonly RawRecord[], note: Note): readonly Json[]
}

interface WrittenRecords extends Pick<Exported, 'problems' | 'oldRecords'> {
  readonly records: readonly RawRecord[]
}

interface PlannedRecords extends Pick<Exported, 'problems' | 'oldRecords'> {
  readonly old: readonly RawRecord[]
  readonly made: readonly Json[]
}

/** The records to write: the original ones and what follows. */
function plannedRecords(format: string, outgoing: Outgoing, writer: RecordWriter): PlannedRecords {
  const problems = new Set<string>()
  const note: Note = (problem) => problems.add(problem)
  const { events = [], sideEvents = [] } = outgoing
  const old = rawRecords(format, [events, ...sideEvents])
  const made =
    old.length === 0
      ? writer.fresh(format === OPENAI_ITEMS ? outgoing : withReadableThinking(outgoing), note)
      : isAsRead(format, events)
        ? []
        : writer.changed(outgoing, old, note)
  const isBehind = old.length > 0 && made.length > 0
  return { old, made, problems: [...problems], ...(isBehind && { oldRecords: old.length }) }
}

export function readRecords(
  format: string,
  outgoing: Outgoing,
  writer: RecordWriter,
): WrittenRecords {
  const { old, made, ...facts } = plannedRecords(format, outgoing, writer)
  const last = old.at(-1)?.at ?? 0
  const added = made.map((record, index) => ({ at: last + 1 + index, raw: readText(record) }))
  return { records: [...old, ...added], ...facts }
}

/** One record per line. */
export function writeLines(format: string, outgoing: Outgoing, writer: RecordWriter): Exported {
  const { old, made, ...facts } = plannedRecords(format, outgoing, writer)
  const pieces = { [Symbol.iterator]: () => readLines(old, made, PIECE_CHARS) }
  return {
    get text() {
      return [...readLines(old, made, Infinity)].join('') // one piece avoids a second copy
    },
    pieces,
    ...facts,
  }
}

/** Accepts the items of OpenAI's Responses API unchanged. */
const OPENAI_ITEMS = 'codex'

/** OpenAI's reasoning is encrypted and often has a summary, which other formats get as thinking. */
export function withReadableThinking(outgoing: Outgoing): Outgoing {
  const last = lastModel(outgoing)
  const model = modelRef('openai', last.provider === 'openai' ? last.model : undefined)
  const readable = (part: MessagePart): MessagePart => {
    const thinking = part.type === 'native' ? reasoningText(part.value) : ''
    return thinking === '' ? part : { type: 'thinking', thinking, model }
  }
  const messages = outgoing.view.messages.map(({ role, parts }) => {
    return { role, parts: parts.map(readable) }
  })
  return { ...outgoing, view: { ...outgoing.view, messages } }
}

/** The readable part of a reasoning item; empty if all is encrypted. */
function reasoningText(item: Json): string {
  const { type, summary, content } = fieldsIn(item)
  if (type !== 'reasoning') return ''
  const texts = [...listIn(summary), ...listIn(content)].map((part) => textIn(fieldsIn(part).text))
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n')
}

const PIECE_CHARS = 100_000

function* readLines(
  old: readonly RawRecord[],
  made: readonly Json[],
  pieceChars: number,
): Generator<string> {
  let lines: string[] = []
  let chars = 0
  for (let at = 0; at < old.length + made.length; at += 1) {
    const line = old[at]?.raw ?? readText(made[at - old.length] as Json)
    lines.push(line, '\n')
    chars += line.length
    if (chars < pieceChars) continue
    yield lines.join('')
    lines = []
    chars = 0
  }
  if (lines.length > 0) yield lines.join('')
}

/** The JSON escape of a surrogate, always in lower case, or something similar. */
const HALF = '\\ud'

/** Checking every value for surrogates is slow, and hardly any record has one. */
function readText(record: Json): string {
  const text = JSON.stringify(record)
  return text.includes(HALF) ? JSON.stringify(record, wellFormed) : text
}

/** Most readers reject a lone surrogate. */
export function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' && !value.isWellFormed() ? value.toWellFormed() : value
}

interface SummaryOpening {
  readonly summary: string
  readonly rest: readonly Message[]
}

/** A context in the form of tools after a compaction: a summary, and what follows it. */
export function opened({ view: { messages }, events = [] }: Outgoing, note: Note): SummaryOpening {
  const [first, ...others] = messages
  const [text, ...more] = first?.role === 'user' ? first.parts : []
  if (text?.type === 'text' && isSummary(text.text, events))
    return {
      summary: text.text,
      rest: more.length === 0 ? others : [{ role: 'user', parts: more }, ...others],
    }
  note(
    'this format expects a summary at the start of a compacted context; précis wrote a one-line note instead',
  )
  return { summary: OPENING, rest: messages }
}

/** A person's first request is never a summary. */
function isSummary(text: string, events: readonly ThreadEvent[]): boolean {
  if (writtenBy(text) === 'model') return true
  return events.some(
    (event) =>
      (event.type === 'USER_MESSAGE' && event.origin === 'summary' && event.data === text) ||
      (event.type === 'COMPACTION' &&
        event.data.edits.some(({ put = [] }) =>
          put.some((entry) => 'data' in entry && SUMS_UP.has(entry.label) && entry.data === text),
        )),
  )
}

const SUMS_UP: ReadonlySet<EntryLabel | undefined> = new Set(['summary', 'brief'])

/** The newest models reject a request if the prefix of signed thinking has changed. */
export const UNSIGNED =
  'thinking is written without its signature, which is valid only in its own session'

/** A text for a part without an equivalent, so that the model knows it was there. */
export function placeholder(part: MessagePart, note: Note): string {
  const media = part.type === 'image' || part.type === 'document' ? part.media : undefined
  if (media?.text !== undefined) {
    note('the text of a document was written as text')
    return media.text
  }
  const named = media?.title ?? media?.uri ?? media?.mimeType ?? part.type
  note(`a ${part.type} cannot be written in this format: a note stands in its place`)
  return `[${part.type}: ${named}]`
}

const WORDS_CHARS = 500

/** A text for a result block without an equivalent: its content if short. */
export function blockWords({ type, text, uri, mimeType, value }: Block, note: Note): string {
  note(`a ${type} in a result was written as a note`)
  if (text !== undefined) return text
  const said = value === undefined ? '' : JSON.stringify(value)
  if (said !== '' && said.length <= WORDS_CHARS) return said
  return `[${type}: ${uri ?? mimeType ?? textIn(fieldsIn(value).type) ?? ''}]`
}

/** The model of the last answer, as `provider/model`. */
export function lastModel({ events = [], view }: Outgoing): { provider: string; model: string } {
  const said = events.findLast(
    (event) =>
      event.type === 'MODEL_CHANGED' ||
      (event.type === 'AGENT_MESSAGE' && event.data.model !== undefined),
  )
  const thought = view.messages
    .flatMap(({ parts }) => parts)
    .findLast((part) => part.type === 'thinking')
  const ref =
    said?.type === 'MODEL_CHANGED' || said?.type === 'AGENT_MESSAGE'
      ? said.data.model
      : thought?.model
  return splitModel(ref ?? 'unknown/unknown')
}

export function splitModel(ref: string): { provider: string; model: string } {
  const at = ref.indexOf('/')
  return at < 0
    ? { provider: 'unknown', model: ref }
    : { provider: ref.slice(0, at), model: ref.slice(at + 1) }
}

/** Results by call, from the message after each answer. */
export function resultsAfter(messages: readonly Message[], index: number) {
  const parts = messages[index + 1]?.parts ?? []
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.id, part]] : [])))
}

/** A sentence for each loss of writing this context. */
export function lossesIn({ view, events = [] }: Outgoing, losses: readonly Loss[]): string[] {
  const parts = view.messages.flatMap((message) => message.parts)
  const said = losses.flatMap((loss) => {
    const { sentence, meets } = SIGNS[loss] ?? {}
    return sentence !== undefined && parts.some((part) => meets?.(part)) ? [sentence] : []
  })
  const isPlaceLost = losses.includes('workplace') && findWorkplace(events) !== undefined
  return isPlaceLost ? [...said, 'the working directory has no place in this format'] : said
}

interface Sign {
  readonly sentence: string
  meets(part: MessagePart): boolean
}

/** Losses the wire modules do not report themselves. */
const SIGNS: { readonly [L in Loss]?: Sign } = {
  failures: {
    sentence: 'a failed tool call shows only in the text of its result',
    meets: (part) => part.type === 'tool_result' && part.status !== 'completed',
  },
  'failure-kinds': {
    sentence: 'an aborted or denied result was written as a failed one',
    meets: (part) =>
      part.type === 'tool_result' && (part.status === 'aborted' || part.status === 'denied'),
  },
  documents: {
    sentence: 'a document was written in the form that the API takes',
    meets: (part) => part.type === 'document',
  },
  'result-media': {
    sentence: 'an image in a result was moved behind it',
    meets: (part) =>
      part.type === 'tool_result' && part.content.some((block) => block.type !== 'text'),
  },
  'result-blocks': {
    sentence: 'the texts of a result were joined',
    meets: (part) => part.type === 'tool_result' && part.content.length > 1,
  },
  'empty-results': {
    sentence: 'an empty result was given a word',
    meets: (part) =>
      part.type === 'tool_result' && part.content.every((block) => block.text?.trim() === ''),
  },
  checkpoints: {
    sentence: 'a checkpoint was written as text',
    meets: (part) => part.type === 'checkpoint',
  },
  reminders: {
    sentence: 'a reminder was written as text of the user',
    meets: (part) => part.type === 'system_reminder',
  },
  arguments: {
    sentence: 'arguments that are no object were wrapped in one',
    meets: (part) =>
      part.type === 'tool_call' &&
      (typeof part.arguments !== 'object' ||
        part.arguments === null ||
        Array.isArray(part.arguments)),
  },
}
