// One line of a conversation that a compactor follows: what came in, what went out, and its log
import type { AnyMessage, Dialect } from '../messages/dialect.ts'
import { MessageLog } from '../messages/message-log.ts'
import { type Outgoing, writeMessages } from '../messages/write-messages.ts'
import { keyOf } from './message-key.ts'

/** A message as the caller has it: what it says, and its number in the log if it is one of those. */
interface Known {
  readonly key: string
  readonly number?: number | undefined
}

export class Branch {
  readonly log: MessageLog
  /** Messages that compactions wrote: the same objects each time. */
  readonly #made = new Map<string, AnyMessage>()
  #given: readonly Known[]
  #shown: readonly Known[] = []
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
    for (const [index, { number }] of known.entries())
      if (number !== undefined) this.log.messages[number] = messages[index] as AnyMessage
    const first = this.log.messages.length
    this.#given = [
      ...known,
      ...keys.slice(count).map((key, index) => ({ key, number: first + index })),
    ]
    return messages.slice(count)
  }

  /** A branch with the first `count` messages that came in; undefined where they cannot be told apart. */
  fork(count: number): Branch | undefined {
    const given = this.#given.slice(0, count)
    if (given.some(({ number }, index) => number !== index)) return undefined
    const log = this.log.fork(count)
    return log && new Branch(log, given.slice(0, log.messages.length))
  }

  write(refs: boolean): readonly AnyMessage[] {
    const written = writeMessages(this.log, { refs, made: this.#made })
    this.#shown = written.map(knownOf)
    return written.map(({ message }) => message)
  }

  /** The index of a message for the caller. */
  indexOf(number: number): number | undefined {
    const index = this.#given.findIndex((known) => known.number === number)
    return index < 0 ? undefined : index
  }
}

function knownOf({ message, number }: Outgoing): Known {
  return { key: keyOf(message), number }
}

function samePrefix(known: readonly Known[], keys: readonly string[]): number {
  let count = 0
  while (count < known.length && known[count]?.key === keys[count]) count += 1
  return count
}
