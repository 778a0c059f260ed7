// Ids and times as OpenCode makes them: it shows messages by their time and parts by their id.
import { typedTexts } from '../../core/view/typed-text.ts'
import type { Fields } from '../reading/raw.ts'
import { workplaceOf } from '../reading/workplace.ts'
import type { Outgoing, WriteOptions } from '../session-format.ts'

const MS_STEPS = 4_096n
const ID_BITS = 48
const TIME_DIGITS = 12
const RANDOM_DIGITS = 14

/** Each message is later than the one before, and each id greater than those before it. */
export class Moments {
  readonly #options: WriteOptions
  #time: number
  #ids = 0n

  /** `after` is the time of the last message that is there; `count` more end about now. */
  constructor(options: WriteOptions, after: number, count: number) {
    this.#options = options
    this.#time = Math.max(after, options.now.getTime() - count)
  }

  /** Of the message that is written now. */
  get time(): number {
    return this.#time
  }

  next(): void {
    this.#time += 1
    this.#ids = 0n
  }

  id(prefix: 'msg' | 'prt'): string {
    this.#ids += 1n
    return `${prefix}_${digitsOf(BigInt(this.#time) * MS_STEPS + this.#ids)}${randomOf(this.#options)}`
  }
}

/** Those of sessions descend, so that the newest is the first. */
export function sessionId(options: WriteOptions): string {
  return `ses_${digitsOf(~(BigInt(options.now.getTime()) * MS_STEPS))}${randomOf(options)}`
}

function digitsOf(value: bigint): string {
  return BigInt.asUintN(ID_BITS, value).toString(16).padStart(TIME_DIGITS, '0')
}

function randomOf({ newId }: WriteOptions): string {
  return newId().replaceAll(/\W/g, '').slice(-RANDOM_DIGITS).padStart(RANDOM_DIGITS, '0')
}

// What stands around the messages of an OpenCode session that OpenCode did not record.

/** The version whose shape is written. */
const VERSION = '1.18.33'

/** What OpenCode wants to know of a session that it did not record. */
export function sessionInfo(outgoing: Outgoing, options: WriteOptions): Fields {
  const id = sessionId(options)
  const now = options.now.getTime()
  return {
    id,
    slug: `precis-${id.slice(-8).toLowerCase()}`,
    version: VERSION,
    projectID: 'global',
    directory: workplaceOf(outgoing, options),
    title: readTitle(outgoing),
    time: { created: now, updated: now },
  }
}

const TITLE_CHARS = 80

/** The first words that a person typed; the name that a file is read under says less. */
function readTitle({ events = [], title }: Outgoing): string {
  for (const event of events) {
    const [text] = event.type === 'USER_MESSAGE' ? typedTexts(event) : []
    const line = text?.trim().split('\n', 1)[0]?.slice(0, TITLE_CHARS).trim()
    if (line) return line.toWellFormed()
  }
  return title ?? 'Imported session'
}
