// Claude Code's session files: one content block per line, a tree of lines, compactions in between.
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { Conversation, type Origin, summaryEntries } from '../reading/conversation.ts'
import { eachLine } from '../reading/lines.ts'
import type { ReadNotes } from '../reading/notes.ts'
import type { RawRecord } from '../reading/raw.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  listIn,
  objectIn,
  textIn,
  timeIn,
} from '../reading/raw.ts'
import {
  type KeptBecause,
  type ParsedLine,
  type RecordReader,
  readEach,
  readItems,
  readLines,
} from '../reading/record-reader.ts'
import { MAIN, type Sample, type Source, type Step } from '../session-format.ts'
import { attachedText, queuedBy, queuedPrompt } from './attachment.ts'
import { Branches } from './branches.ts'
import { AnswerLines, readUserLine } from './message.ts'

export const CLAUDE_CODE = 'claude-code'

const CONVERSATION: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment'])

export function isClaudeCode({ lines, items }: Sample): boolean {
  const isLine = (line: Fields) =>
    typeof line.sessionId === 'string' || typeof line.uuid === 'string' || 'leafUuid' in line
  return (
    lines.some(
      (line) =>
        isLine(line) &&
        (line.type === 'user' || line.type === 'assistant') &&
        'content' in fieldsIn(line.message),
    ) ||
    lines.some((line) => line.type === 'file-history-snapshot' || line.type === 'summary') ||
    items.some(({ list, value }) => list === 'loglines' && isFields(value))
  )
}

export async function* readClaudeCode(source: Source, notes: ReadNotes): AsyncGenerator<Step> {
  if (await startsAsDocument(source)) {
    yield* readItems(source, ['loglines'], notes, new LineReader(notes, new Branches()))
    return
  }
  const branches = new Branches()
  const isHeld = (source.bytes ?? HELD_BYTES) < HELD_BYTES
  const held: ParsedLine[][] = []
  for await (const lines of eachLine(source, (bytes) => isHeld && notes.read(bytes))) {
    const looked = lines.map((line) => ({ ...line, parsed: objectIn(line.text) }))
    for (const { parsed, number } of looked) branches.add(parsed ?? {}, number)
    if (isHeld) held.push(looked)
  }
  const reader = new LineReader(notes, branches)
  yield* isHeld ? readEach(held, notes, reader) : readLines(source, notes, reader)
}

/** The active branch is known only at the end: shorter files are held until then, longer ones read twice. */
const HELD_BYTES = 16_000_000

/** Sessions of the web page: the same lines in one document, without ids. */
async function startsAsDocument(source: Source): Promise<boolean> {
  for await (const lines of eachLine(source))
    return lines.some(({ text }) => /^\s*\{?\s*"loglines"|^\s*\{\s*$/.test(text))
  return false
}

class LineReader implements RecordReader {
  readonly #notes: ReadNotes
  readonly #left: ReadonlySet<number>
  readonly #isSubAgent: boolean
  readonly #main = new Conversation(CLAUDE_CODE, MAIN)
  readonly #sides = new Map<string, Conversation>()
  readonly #answers: AnswerLines
  readonly #sideOf = new Map<string, string>() // line → the root of its sidechain
  readonly #steps: Step[] = []
  #boundary: Fields | undefined

  constructor(notes: ReadNotes, branches: Branches) {
    this.#notes = notes
    this.#left = branches.left()
    this.#isSubAgent = branches.isSubAgent
    this.#answers = new AnswerLines(notes)
    if (this.#left.size > 0)
      notes.problem(
        `${this.#left.size} lines are on branches that were left; they are kept, out of the context`,
      )
  }

  drain(): Step[] {
    return [
      ...this.#steps.splice(0),
      ...this.#main.drain(),
      ...[...this.#sides.values()].flatMap((side) => side.drain()),
    ]
  }

  keep(record: RawRecord): void {
    this.#main.raw(record)
  }

  envelope(value: Json): void {
    this.#main.envelope(value)
  }

  end(): void {
    if (this.#boundary)
      this.#notes.problem('the file ends with a compaction that has no summary; it is not applied')
    for (const conversation of [this.#main, ...this.#sides.values()]) conversation.flush()
  }

  read(line: Fields, record: RawRecord): KeptBecause {
    try {
      return this.#read(line, record)
    } catch (thrown) {
      if (!PrecisError.is(thrown)) throw thrown
      this.#notes.problem(`line ${record.at}: ${thrown.message}; kept as it is`)
      return 'a message of another shape'
    }
  }

  #read(line: Fields, record: RawRecord): KeptBecause {
    if (this.#left.has(record.at)) return 'on a branch that was left'
    if (!CONVERSATION.has(line.type)) return `${textIn(line.type) ?? 'untyped'}: not sent`
    const to = this.#conversationOf(line)
    const uuid = textIn(line.uuid)
    const origin = { record, ...(uuid && { names: [uuid] }), ...timeIn(line.timestamp) }
    if (line.type === 'system') return this.#system(line, record, to)
    if (line.type === 'attachment') return attach(fieldsIn(line.attachment), origin, to)
    if (line.isCompactSummary === true && this.#boundary) this.#summary(line, record)
    else if (line.type === 'assistant') this.#answers.read(line, origin, to)
    else readUserLine(line, origin, to, this.#notes)
    return undefined
  }

  #system(line: Fields, record: RawRecord, to: Conversation): KeptBecause {
    if (line.subtype === 'compact_boundary') {
      to.raw(record)
      to.flush()
      this.#boundary = fieldsIn(line.compactMetadata)
      return undefined
    }
    if (line.subtype !== 'microcompact_boundary')
      return `system ${textIn(line.subtype) ?? ''}: not sent`
    const about = fieldsIn(line.microcompactMetadata)
    const blanks = listIn(about.compactedToolIds).filter((id) => typeof id === 'string')
    to.raw(record)
    if (blanks.length > 0) to.compaction({ put: [], blanks, metadata: { recorded: about } })
    return undefined
  }

  #summary(line: Fields, record: RawRecord): void {
    const about = this.#boundary ?? {}
    this.#boundary = undefined
    const { content } = fieldsIn(line.message)
    const texts = listIn(content).map((block) => textIn(fieldsIn(block).text) ?? '')
    const kept = listIn(fieldsIn(about.preservedMessages).uuids)
    const head = textIn(fieldsIn(about.preservedSegment).headUuid)
    this.#main.raw(record)
    this.#main.compaction({
      put: [
        ...summaryEntries(textIn(content) ?? texts.join('\n')),
        ...kept.flatMap((uuid) => (typeof uuid === 'string' ? [{ keep: uuid }] : [])),
      ],
      ...(kept.length === 0 && head !== undefined && { keepFrom: head }),
      metadata: { recorded: about },
    })
  }

  /** The main conversation, or the sidechain of the line's parents. */
  #conversationOf(line: Fields): Conversation {
    if (line.isSidechain !== true || this.#isSubAgent) return this.#main
    const uuid = textIn(line.uuid) ?? ''
    const root = this.#sideOf.get(textIn(line.parentUuid) ?? '') ?? uuid
    this.#sideOf.set(uuid, root)
    const known = this.#sides.get(root)
    if (known) return known
    const side = new Conversation(CLAUDE_CODE, root)
    this.#sides.set(root, side)
    const { content } = fieldsIn(line.message)
    const title = textIn(content)?.split('\n', 1)[0]?.slice(0, 80)
    this.#steps.push({ type: 'thread', thread: root, ...(title && { title }) })
    return side
  }
}

function attach(attachment: Fields, origin: Origin, to: Conversation): KeptBecause {
  const prompt = queuedPrompt(attachment)
  const text = prompt === undefined ? attachedText(attachment) : undefined
  if (prompt !== undefined) to.queued(prompt, origin, queuedBy(attachment))
  else if (text !== undefined) to.reminder(text, origin)
  else return `attachment ${textIn(attachment.type) ?? ''}: nothing to send`
  return undefined
}
