// The digest of a log for `extract`: the ledger, the user's words, and every line with its names.
import type { EntryId } from '../../core/edit/change.ts'
import { readPinnedText } from '../../core/edit/pins.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import type { EventOf, ThreadEvent } from '../../core/log/event.ts'
import {
  type ToolCall,
  type ToolResult,
  textOfUserContent,
  textPartsOf,
} from '../../core/view/content.ts'
import { newId, parseEntryId, readNewEntries } from '../../core/view/entry.ts'
import { isNote } from '../../core/view/request-note.ts'
import { bindingTexts, typedTexts } from '../../core/view/typed-text.ts'
import { folderIn, readArguments } from './arguments.ts'
import { isRefused, isTodoList, withoutNotice } from './client-texts.ts'
import { type EarlierBrief, mayBeBrief, readBrief } from './earlier-brief.ts'
import type { Group, UserMessage, UserWords } from './group.ts'
import { releaseWords } from './group.ts'
import { eachLine, Line, type LineKind, type LineSource, withoutColours } from './lines.ts'
import type { Senses } from './senses.ts'
import { eachTerm, type TermKind } from './terms.ts'
import { type Author, Vocabulary } from './vocabulary.ts'

/** How much of a message is analysed as typed. */
const TYPED_CHARS = 4_000
/** In the place of a group: a call whose words and result are said elsewhere. */
const UNQUOTED = -1

/**
 * Grows in place: a log of a million tokens has a hundred thousand lines. Its owner steps it; other readers
 * must read it before awaiting anything.
 */
export class Digest {
  readonly vocabulary = new Vocabulary()
  readonly groups: Group[] = []
  readonly lines: Line[] = []
  readonly words: UserMessage[] = []
  /** Pins in our list in a file. */
  readonly pinned: UserMessage[] = []
  readonly senses: Senses
  ledger: Ledger | undefined
  turn = 0
  lastEnd = 0 // the last answer without calls
  settledAt = 0 // the answer before the last request
  refusedAt = 0 // a denied call with nothing said since
  lastWords: { readonly seq: number; readonly text: string } | undefined
  readonly #answers: number[] = []
  terms = new Int32Array(1 << 12)
  #termCount = 0
  /** By text: its last line. */
  readonly #last = new Map<string, Line>()
  /** By event: its first line. */
  readonly #firstLine = new Map<number, number>()
  /** Groups of the last answer's calls, by id. */
  readonly #open = new Map<string, number>()
  /** What binds of `words`, in order: cached, so that a message needs no walk over earlier ones. */
  #standing: string[] = []
  #folder: string | undefined // named by the last call
  #list: number | undefined // group of the last call that wrote a todo list

  constructor(senses: Senses) {
    this.senses = senses
    this.ledger = senses.ledger?.init()
  }

  add(event: ThreadEvent): void {
    if (this.ledger) this.ledger = this.senses.ledger?.step(this.ledger, event)
    switch (event.type) {
      case 'USER_MESSAGE':
        this.#addUserMessage(event)
        break
      case 'AGENT_MESSAGE':
        this.turn += 1
        this.#open.clear()
        this.#addAnswer(event)
        this.#addText(event.data.content, this.#group(event.seq, 'agent'), 'said', 'agent')
        break
      case 'TOOL_CALL':
        if (event.data.name !== 'compact') this.#addCall(event.data) // the summary stands for it
        break
      case 'TOOL_RESULT':
        this.#addResult(event.data, event.seq)
        if (isRefused(event.data)) this.refusedAt = event.seq
        break
      case 'SYSTEM_REMINDER':
        if (!isTodoList(event.data))
          this.#addText(event.data, this.#group(event.seq, 'reminder'), 'said', 'tool')
        break
      case 'COMPACTION':
        if (this.turn === 0 && this.words.length === 0) this.#addRecorded(event)
        break
      default:
        break
    }
  }

  answersSince(seq: number): number {
    const before = this.#answers.findLastIndex((answer) => answer <= seq)
    return this.#answers.length - 1 - before
  }

  #addAnswer({ seq, data: { content, calls } }: EventOf<'AGENT_MESSAGE'>): void {
    this.#answers.push(seq)
    this.refusedAt = 0
    if (calls.length === 0) this.lastEnd = seq
    if (content.trim() !== '') this.lastWords = { seq, text: content }
  }

  /** The lines of one event, which are contiguous. */
  linesOf(seq: number): readonly Line[] {
    return Array.from(this.numberedLinesOf(seq), ([, line]) => line)
  }

  *numberedLinesOf(seq: number): Generator<readonly [number, Line]> {
    const from = this.#firstLine.get(seq) ?? this.lines.length
    for (let at = from; this.lines[at]?.seq === seq; at += 1) yield [at, this.lines[at] as Line]
  }

  termsOf({ firstTerm, termCount }: Line): Int32Array {
    return this.terms.subarray(firstTerm, firstTerm + termCount)
  }

  /** A text without an event: an earlier summary whose originals are unavailable. */
  addSummary(text: string, entry: EntryId): void {
    const { seq } = parseEntryId(entry)
    const brief = readBrief(text)
    if (brief) this.#addBrief(brief, seq, entry)
    else this.#addText(text, this.#group(seq, 'agent', '', entry), 'said', 'agent')
  }

  #addUserMessage(event: EventOf<'USER_MESSAGE'>): void {
    const { data, seq, origin } = event
    // A file of plain messages may have a brief and later text in one message.
    const texts: string[] = []
    const beside: string[] = []
    for (const { text, from } of textPartsOf(data)) {
      const brief = !from && mayBeBrief(origin, this.groups) ? readBrief(text) : undefined
      const pins =
        from || origin === 'tool' || origin === 'model' ? undefined : readPinnedText(text)
      if (brief) this.#addBrief(brief, seq)
      else if (pins)
        this.pinned.push({ seq, text: '', binding: pins.flatMap((pin) => pin.text ?? []) })
      else (from ? beside : texts).push(text)
    }
    const text = withoutNotice((texts.length === 0 ? beside : texts).join('').trim())
    const typed = texts.length === 0 ? '' : typedTexts(event).join('').trim()
    const isTask = typed === '' && origin === 'model' && text !== ''
    // A sub-agent's task was written by a model and is not binding.
    if (typed !== '') this.#addWords({ seq, text: typed }, [], bindingTexts(event).join(''))
    else if (isTask) this.words.push({ seq, text, binding: [] })
    const speaker =
      typed !== ''
        ? 'user'
        : isTask
          ? 'task'
          : origin === 'client' || origin === 'tool' || origin === undefined || origin === 'typed'
            ? 'reminder'
            : 'agent'
    // What an earlier compaction's note says about itself is outdated.
    const isOld = typed === '' && isNote(text)
    const said = isOld ? text.slice(text.indexOf('\n') + 1) : text
    this.#addText(said, this.#group(seq, speaker), 'said', typed !== '' ? 'user' : 'tool')
    if (texts.length === 0) return
    for (const each of beside) this.#addText(each, this.#group(seq, 'reminder'), 'said', 'tool')
  }

  #addWords(words: UserWords, binding: readonly string[] = [], own = words.text): void {
    const asked = this.lastWords?.text ?? ''
    const typed = words.text.slice(0, TYPED_CHARS)
    const settled = this.senses.settle(own.slice(0, TYPED_CHARS), asked, this.#standing)
    const to = this.senses.referentOf(words.text, asked)
    this.settledAt = this.lastEnd
    const sentences = this.senses.supersede(this.words, typed)
    if (settled.gone.size > 0) {
      releaseWords(this.words, settled.gone)
      this.#standing = this.#standing.filter((each) => !settled.gone.has(each))
    }
    const bound = [...binding, ...settled.binding]
    this.#standing.push(...bound)
    this.words.push({ ...words, sentences, binding: bound, ...(to !== undefined && { to }) })
  }

  /** A brief at the start of a file: its sources are in no log. */
  #addRecorded({ data, seq }: EventOf<'COMPACTION'>): void {
    for (const [index, entry] of readNewEntries(data.edits).entries()) {
      const text = entry?.type === 'USER_MESSAGE' ? textOfUserContent(entry.data) : ''
      const brief = entry?.label === 'summary' ? readBrief(text) : undefined
      if (brief) this.#addBrief(brief, seq, newId(seq, index))
    }
  }

  /** The user's words in it stay the user's, and the goal stays the goal. */
  #addBrief({ goal, said, constraints, rest }: EarlierBrief, seq: number, entry?: EntryId): void {
    const named = entry === undefined ? {} : { entry }
    const spoken = [...(goal === undefined ? [] : [goal]), ...said]
    // A brief may have constraints only: the goal was still visible when it was written.
    const [first, ...others] =
      spoken.length === 0 && constraints.length > 0 ? [constraints.join('\n')] : spoken
    if (first !== undefined) this.#addWords({ seq, text: first, ...named }, constraints)
    for (const text of others) this.#addWords({ seq, text, ...named })
    const group = this.#group(seq, 'agent', '', entry, true)
    this.#addText(rest, group, 'said', 'agent')
  }

  #addCall(call: ToolCall): void {
    const { short, long } = readArguments(
      this.senses.argumentsOf(call, [this.ledger?.root, this.#folder]),
    )
    this.#folder = folderIn(call) ?? this.#folder
    if (this.senses.isTodoChange(call)) {
      this.#open.set(call.id, UNQUOTED)
      return
    }
    const head = [call.name, ...short].join(' ')
    const group = this.#group(call.answer, 'call', head)
    this.#open.set(call.id, group)
    if (this.senses.isTodoList(call)) this.#supersede(group)
    const { length } = this.lines
    this.#addLine(head, 0, this.#source(head, group, 'head', 'agent'), short)
    if (this.lines.length > length) (this.groups[group] as Group).headLine = length
    for (const text of long) this.#addText(text, group, 'argument', 'agent')
  }

  /** Only the last state of a todo list counts. */
  #supersede(list: number): void {
    const before = this.#list
    this.#list = list
    if (before === undefined) return
    const { seq, resultSeq } = this.groups[before] as Group
    for (const line of [...this.linesOf(seq), ...this.linesOf(resultSeq)])
      if (line.group === before) line.isRepeated = true
  }

  #addResult({ id, content, status }: ToolResult, seq: number): void {
    const index = (id === undefined ? undefined : this.#open.get(id)) ?? this.#group(seq, 'result')
    if (index === UNQUOTED) return
    const group = this.groups[index] as Group
    group.resultSeq = seq
    group.status = status
    for (const { text = '' } of content) this.#addText(text, index, 'result', 'tool')
  }

  #group(seq: number, speaker: Group['speaker'], head = '', entry?: EntryId, isBrief = false) {
    const named = entry === undefined ? {} : { entry }
    const open = { headLine: -1, resultSeq: 0, status: 'completed' } as const
    this.groups.push({ seq, speaker, head, isBrief, ...named, ...open })
    return this.groups.length - 1
  }

  #addText(text: string, group: number, kind: LineKind, author: Author): void {
    const plain = withoutColours(text)
    const source = this.#source(plain, group, kind, author)
    eachLine(plain, (line, from) => this.#addLine(line, from, source))
  }

  #source(text: string, group: number, kind: LineKind, author: Author): LineSource {
    const { seq, resultSeq } = this.groups[group] as Group
    return { seq: kind === 'result' ? resultSeq : seq, group, kind, author, text }
  }

  /** A line without names cannot be asked for. */
  #addLine(text: string, from: number, source: LineSource, whole: readonly string[] = []): void {
    const { seq, author } = source
    const index = this.lines.length
    const firstTerm = this.#termCount
    for (const name of whole) this.#addTerm(name, 'argument', author, index)
    eachTerm(text, (start, end, termKind) =>
      this.#addTerm(text.slice(start, end), termKind, author, index),
    )
    const termCount = this.#termCount - firstTerm
    if (termCount === 0) return
    const earlier = this.#last.get(text)
    if (earlier) earlier.isRepeated = true
    const line = new Line(source, text, from, firstTerm, termCount)
    if (!this.#firstLine.has(seq)) this.#firstLine.set(seq, index)
    this.lines.push(line)
    this.#last.set(text, line)
  }

  #addTerm(name: string, kind: TermKind, author: Author, line: number): void {
    const number = this.vocabulary.seen(name, kind, author, this.turn)
    if (!this.vocabulary.isNewIn(number, line)) return
    if (this.#termCount === this.terms.length) {
      const larger = new Int32Array(2 * this.terms.length)
      larger.set(this.terms)
      this.terms = larger
    }
    this.terms[this.#termCount] = number
    this.#termCount += 1
  }
}
