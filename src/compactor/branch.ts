// One line of a conversation that a compactor follows: what came in, what went out, and its log
import { parseEntryId } from '../core/view/entry.ts'
import type { AnyMessage, Dialect } from '../messages/dialect.ts'
import { MessageLog } from '../messages/message-log.ts'
import { type Current, type Outgoing, writeMessages } from '../messages/write-messages.ts'
import { keyOf } from './message-key.ts'

/** A message as the caller has it: what it says, and its number in the log if it is one of those. */
interface Known {
  readonly key: string
  readonly number?: number | undefined
  /** What it is made of, if a compaction wrote it. */
  readonly madeOf?: string | undefined
}

export class Branch {
  readonly log: MessageLog
  /** Messages that compactions wrote: the same objects each time. */
  readonly #made = new Map<string, AnyMessage>()
  #given: readonly Known[]
  #shown: readonly Known[] = []
  #current: Current = { numbers: new Set(), made: new Map() }
  /** Branches of one conversation have the same. */
  root: object = this
  /** A compaction was undone: the next one waits until the window is full. */
  isHeld = false
  /** How large the context was when nothing could be done about it. */
  stuckTokens = 0

  constructor(log: MessageLog, given: readonly Known[] = []) {
    this.log = log
    this.#given = given
  }

  static of(dialect: Dialect): Branch {
    return new Branch(new MessageLog(dialect))
  }

  /** How many of the messages it knows, from the first on; and whether it knows all that it has. */
  match(keys: readonly string[]): { readonly count: number; readonly isWhole: boolean } {
    const [given, shown] = [samePrefix(this.#given, keys), samePrefix(this.#shown, keys)]
    const isGiven = given === this.#given.length
    const isShown = shown === this.#shown.length && shown > 0
    if (isShown && (!isGiven || shown > given)) return { count: shown, isWhole: true }
    return { count: given, isWhole: isGiven }
  }

  /** Takes in messages that it matches as a whole, and returns those that are new. */
  take(messages: readonly object[], keys: readonly string[], count: number): readonly object[] {
    const list = this.#given.length === count && samePrefix(this.#given, keys) === count
    const known = list ? this.#given : this.#shown
    const made = new Map<string, AnyMessage>()
    for (const [index, { number, madeOf }] of known.entries()) {
      const message = messages[index] as AnyMessage
      if (number !== undefined) this.log.messages[number] = message
      if (madeOf !== undefined) made.set(madeOf, message)
    }
    const first = this.log.messages.length
    this.#given = [
      ...known,
      ...keys.slice(count).map((key, index) => ({ key, number: first + index })),
    ]
    this.#current = { numbers: new Set(this.#given.flatMap(({ number }) => number ?? [])), made }
    return messages.slice(count)
  }

  /** Whether an answer is among the first messages: those before it may be the same in any conversation. */
  hasAnswerWithin(count: number): boolean {
    const numbers = this.#given.slice(0, count).map(({ number }) => number)
    return numbers.some((number) => {
      if (number === undefined) return true // written by a compaction
      const ids = this.log.entries[number] ?? []
      return ids.some((id) => this.log.eventAt(parseEntryId(id).seq)?.type === 'AGENT_MESSAGE')
    })
  }

  /** A branch with the first `count` messages that came in; undefined where they cannot be told apart. */
  fork(count: number): Branch | undefined {
    const given = this.#given.slice(0, count)
    if (given.some(({ number }, index) => number !== index)) return undefined
    const log = this.log.fork(count)
    return log && new Branch(log, given.slice(0, log.messages.length))
  }

  write(refs: boolean): readonly AnyMessage[] {
    const written = writeMessages(this.log, { refs, made: this.#made, current: this.#current })
    this.#shown = written.map(knownOf)
    return written.map(({ message }) => message)
  }

  /** The index of a message for the caller. */
  indexOf(number: number): number | undefined {
    const index = this.#given.findIndex((known) => known.number === number)
    return index < 0 ? undefined : index
  }
}

function knownOf({ message, number, madeOf }: Outgoing): Known {
  return { key: keyOf(message), number, madeOf }
}

function samePrefix(known: readonly Known[], keys: readonly string[]): number {
  let count = 0
  while (count < known.length && known[count]?.key === keys[count]) count += 1
  return count
}
