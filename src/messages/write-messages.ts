// Writes a context as messages; unchanged ones are the same objects.
import type { EntryId } from '../core/edit/change.ts'
import { PrecisError } from '../core/errors.ts'
import type { UserContent } from '../core/view/content.ts'
import { findRoot, type Item, parseEntryId } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { MESSAGE_MARK } from '../core/view/refs.ts'
import { countMarks, withoutMarks } from './cache-marks.ts'
import {
  type AnyMessage,
  type Dialect,
  type Remaining,
  type Rewritten,
  textOfContent,
} from './dialect.ts'
import type { MessageLog, Place } from './message-log.ts'

/** An outgoing message and its sources, so that it is built once. */
export interface Outgoing {
  readonly message: AnyMessage
  /** Its message number, if it is an original. */
  readonly number?: number
  /** Its sources, if a compaction wrote all or part of it. */
  readonly madeOf?: string
}

/** What the caller passed in: message numbers, and messages built earlier. */
export interface Current {
  readonly numbers: ReadonlySet<number>
  readonly made: ReadonlyMap<string, AnyMessage>
}

export interface WriteOptions {
  /** Whether the reader can resolve refs; otherwise none are written. */
  readonly refs: boolean
  /** Messages built earlier, by their sources. */
  readonly made: Map<string, AnyMessage>
  /** Absent: all messages are as the caller has them. Other cache marks belong to an earlier request. */
  readonly current?: Current
}

export function writeMessages(log: MessageLog, options: WriteOptions): Outgoing[] {
  const writer = new Writer(log, options)
  for (const [number, ids] of log.entries.entries()) if (ids.length === 0) writer.whole(number)
  writer.headLength = writer.out.length
  for (const item of log.context.items) writer.item(item)
  writer.flush()
  return writer.out
}

/** Consecutive parts of one message. */
interface OpenMessage {
  readonly number: number
  readonly remaining: (Remaining & { readonly id: EntryId })[]
}

class Writer {
  readonly out: Outgoing[] = []
  /** The number of leading system messages. */
  headLength = 0
  readonly #rebuilt = new Set<number>()
  readonly #numbers = new Set<number>()
  readonly #log: MessageLog
  readonly #options: WriteOptions
  readonly #dialect: Dialect
  #open: OpenMessage | undefined
  #said: { id: EntryId; text: string }[] = []

  constructor(log: MessageLog, options: WriteOptions) {
    this.#log = log
    this.#options = options
    this.#dialect = log.dialect
  }

  item({ id, kind }: Item): void {
    if (kind === 'gap') return
    const root = findRoot(id, this.#log.eventAt)
    const places = this.#log.places.get(root)
    if (!parseEntryId(root).original || places === undefined) {
      this.#add(id)
      return
    }
    const rewritten = id === root ? undefined : this.#rewritten(id)
    this.#flushSaid()
    for (const [index, place] of places.entries())
      this.#place(id, place, index === 0 ? rewritten : undefined)
  }

  flush(): void {
    this.#flushMessage()
    this.#flushSaid()
  }

  #place(id: EntryId, { message, at }: Place, rewritten: Rewritten | undefined): void {
    if (this.#open?.number !== message) {
      this.#flushMessage()
      this.#open = { number: message, remaining: [] }
    }
    this.#open?.remaining.push({ id, at, rewritten })
  }

  #flushMessage(): void {
    const open = this.#open
    this.#open = undefined
    if (!open) return
    const { number, remaining } = open
    const ids = this.#log.entries[number] ?? []
    const left = remaining.map(({ id }) => id)
    const isWhole = ids.length === left.length && ids.every((id, index) => id === left[index])
    if (isWhole) this.whole(number)
    else this.#rebuild(open)
  }

  whole(number: number): void {
    const message = this.#message(number)
    this.#numbers.add(number)
    if (this.#isBoundToMissing(number)) {
      const madeOf = `${number} alone`
      const make = () => withoutMarks(this.#dialect.bond?.free(message) ?? message)
      this.out.push({ message: this.#made(madeOf, make), madeOf })
    } else
      this.out.push({ message: this.#isCurrent(number) ? message : withoutMarks(message), number })
  }

  #message(number: number): AnyMessage {
    const message: AnyMessage | null | undefined = this.#log.messages[number]
    if (message) return message
    throw new PrecisError('not-found', `The store has no copy of message ${number}.`, {
      where: `messages[${number}]`,
      hint: 'It was not JSON. Pass the whole history to `fit` after a restart.',
    })
  }

  /** An incomplete answer may lack the part the rest is bound to. */
  #isBoundToMissing(number: number): boolean {
    const needed = this.#dialect.bond?.needs(this.#log.messages, number) ?? []
    return needed.some((each) => !this.#numbers.has(each))
  }

  #isCurrent(number: number): boolean {
    return this.#options.current?.numbers.has(number) ?? true
  }

  /** With the cache marks of the caller's current message. */
  #rebuild({ number, remaining }: OpenMessage): void {
    const madeOf = `${number}: ${remaining.map(({ id }) => id).join(' ')}`
    const make = () => this.#dialect.rebuild(this.#message(number), remaining)
    const isFirst = this.#isCurrent(number) && !this.#rebuilt.has(number)
    const marks = isFirst ? countMarks(this.#message(number)) : 0
    this.#rebuilt.add(number)
    const marked = marks === 0 ? undefined : make()
    if (marked && countMarks(marked) <= marks) this.out.push({ message: marked, madeOf })
    else this.out.push({ message: this.#made(madeOf, () => withoutMarks(make())), madeOf })
  }

  #made(key: string, make: () => AnyMessage): AnyMessage {
    const { made, current } = this.#options
    const given = current?.made.get(key)
    if (given) return given
    const known = made.get(key) ?? make()
    made.set(key, known)
    return known
  }

  /** An entry written by a compaction. Several texts in the user's role form one message. */
  #add(id: EntryId): void {
    this.#flushMessage()
    const content = contentOf(id, this.#log.eventAt)
    if (content?.kind === 'answer') {
      const text = this.#text(content.answer.content)
      if (this.#isFirst()) {
        this.#said.push({ id, text })
        return
      }
      this.#flushSaid()
      if (text.trim() !== '') this.#put([id], 'assistant', text)
    } else if (content?.kind === 'user')
      this.#said.push({ id, text: this.#text(textOfContent(content.content)) })
    else if (content?.kind === 'reminder') this.#said.push({ id, text: this.#text(content.text) })
  }

  /** Providers want the user first: a summary that replaces the first answer gets the user's role. */
  #isFirst(): boolean {
    return this.out.length === this.headLength && this.#said.every(({ text }) => text.trim() === '')
  }

  #flushSaid(): void {
    const said = this.#said.filter(({ text }) => text.trim() !== '')
    this.#said = []
    if (said.length === 0) return
    const text = said.map((each) => each.text).join('\n\n')
    this.#put(
      said.map(({ id }) => id),
      'user',
      text,
    )
  }

  #put(ids: readonly EntryId[], role: 'user' | 'assistant', text: string): void {
    const make = () => this.#dialect.make(role, text, this.#log.messages.filter(Boolean))
    const madeOf = `${role} ${ids.join(' ')}`
    this.out.push({ message: this.#made(madeOf, make), madeOf })
  }

  #rewritten(id: EntryId): Rewritten | undefined {
    const content = contentOf(id, this.#log.eventAt)
    switch (content?.kind) {
      case 'user':
        return { kind: 'user', content: this.#content(content.content) }
      case 'answer':
        return { kind: 'answer', text: this.#text(content.answer.content) }
      case 'result': {
        const blocks = content.result.content.map((block) =>
          block.type === 'text' && block.text !== undefined
            ? this.#unreferenced(block, block.text)
            : block,
        )
        return { kind: 'result', content: blocks }
      }
      default:
        return undefined
    }
  }

  #content(content: UserContent): UserContent {
    if (typeof content === 'string') return this.#text(content)
    return content.map((part) =>
      part.type === 'text' ? this.#unreferenced(part, part.text) : part,
    )
  }

  /** The same object if there is nothing to remove. */
  #unreferenced<T extends object>(part: T, text: string): T {
    const cleaned = this.#text(text)
    return cleaned === text ? part : { ...part, text: cleaned }
  }

  #text(text: string): string {
    return this.#options.refs ? text : withoutRefs(text)
  }
}

const REF = String.raw`\[ref:(?:[^\s\]]{1,250}:)?[ec]\d[\d.]{0,30}(?:@\d{1,15})?\]`

/** For lines that start with that mark but continue a message. */
const OTHER_MARK = '• '

/** In order: the last one catches what the others do not match. */
const REWORDED: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /[;.]? ?\brecall reads (?:it|them|the originals) again, by ref(?: \(such as [^)\n]{1,300}\))? or by words/g,
    '',
  ],
  [/ Refs can be read again\./g, ''],
  [/ Refs: recall, or precis show REF --in FILE\./g, ''],
  [new RegExp(`\\[The whole: ${REF}\\]`, 'g'), '[Shortened.]'],
  [new RegExp(`characters left out: ${REF} …`, 'g'), 'characters left out …'],
  [new RegExp(`, ${REF} to ${REF}`, 'g'), ''],
  [new RegExp(`[;.] (?:The whole|here|as they were here|What was written here): ${REF}`, 'g'), ''],
  [
    new RegExp(`The request ${REF} is not answered yet`, 'g'),
    'The last request is not answered yet',
  ],
  [
    new RegExp(`The requests ${REF} to ${REF} are not answered yet`, 'g'),
    'The last requests are not answered yet',
  ],
  [new RegExp(`up to and including ${REF}:`, 'g'), 'up to here:'],
  [new RegExp(`up to and including ${REF} \\(`, 'g'), 'up to and including the last one ('],
  [/, ref [ec]\d[\d.]{0,30}\]/g, ']'],
  [/\[image ref [ec]\d[\d.]{0,30}\]/g, '[image]'],
  [new RegExp(`^${REF} `, 'gm'), MESSAGE_MARK],
  [new RegExp(` ?${REF}`, 'g'), ''],
]

const LISTS = new RegExp(`^${REF} `, 'm')
const MARKED = new RegExp(`^${MESSAGE_MARK}`, 'gm')

function withoutRefs(text: string): string {
  const quoted = LISTS.test(text) ? text.replaceAll(MARKED, OTHER_MARK) : text
  return REWORDED.reduce((known, [pattern, words]) => known.replaceAll(pattern, words), quoted)
}
