// Ids and times as OpenCode makes them: it shows messages by their time and parts by their id.
import type { WriteOptions } from '../session-format.ts'

const MS_STEPS = 4_096n

const ID_BITS = 48

const TIME_DIGITS = 12

const RANDOM_DIGITS = 14

/** Each message is later than the one before, and each id larger. */
export class Moments {
  readonly #options: WriteOptions
  #time: number
  #ids = 0n

  /** `after` is the time of the last existing message; `count` more end about now. */
  constructor(options: WriteOptions, after: number, count: number) {
    this.#options = options
    this.#time = Math.max(after, options.now.getTime() - count)
  }

  /** Of the message being written. */
  get time(): number {
    return this.#time
  }

  next(): void {
    this.#time += 1
    this.#ids = 0n
  }

  id(prefix: 'msg' | 'prt'): string {
    this.#ids += 1n
    return `${prefix}_${writeDigits(BigInt(this.#time) * MS_STEPS + this.#ids)}${drawRandom(this.#options)}`
  }
}

/** Session ids descend, so that the newest is first. */
export function sessionId(options: WriteOptions): string {
  return `ses_${writeDigits(~(BigInt(options.now.getTime()) * MS_STEPS))}${drawRandom(options)}`
}

function writeDigits(value: bigint): string {
  return BigInt.asUintN(ID_BITS, value).toString(16).padStart(TIME_DIGITS, '0')
}

function drawRandom({ newId }: WriteOptions): string {
  return newId().replaceAll(/\W/g, '').slice(-RANDOM_DIGITS).padStart(RANDOM_DIGITS, '0')
}
