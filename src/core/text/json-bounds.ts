// Bounds on JSON before parsing: the number of values and the depth.
import { PrecisError } from '../errors.ts'

export interface JsonLimits {
  readonly values: number
  readonly depth: number
}

const QUOTE = 0x22

const COMMA = 0x2c

const OPEN_LIST = 0x5b

const CLOSE_LIST = 0x5d

const OPEN_OBJECT = 0x7b

const CLOSE_OBJECT = 0x7d

/** Accepts text in pieces. Only counts characters, so invalid JSON passes and is left to the parser. */
export class JsonBounds {
  readonly #limits: JsonLimits
  #values = 0
  #depth = 0
  #isText = false
  #isEscaped = false

  constructor(limits: JsonLimits) {
    this.#limits = limits
  }

  /** Throws at the first excess. */
  take(text: string): void {
    let at = 0
    while (at < text.length) at = this.#isText ? this.#inText(text, at) : this.#outside(text, at)
  }

  #outside(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const sign = text.charCodeAt(at)
      if (sign === QUOTE) {
        this.#isText = true
        return at + 1
      }
      if (sign === COMMA) this.#count()
      else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
        this.#depth += 1
        this.#count()
        if (this.#depth > this.#limits.depth)
          throw tooLarge('is nested too deeply', `${this.#limits.depth} levels`)
      } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT)
        this.#depth = Math.max(0, this.#depth - 1)
    }
    return text.length
  }

  /** Skips to the closing quote. Most strings are long and have no escapes. */
  #inText(text: string, from: number): number {
    let at = this.#isEscaped ? from + 1 : from
    this.#isEscaped = false
    for (;;) {
      const quote = text.indexOf('"', at)
      const end = quote < 0 ? text.length : quote
      let escapes = 0
      while (end - 1 - escapes >= at && text[end - 1 - escapes] === '\\') escapes += 1
      const isEscaped = escapes % 2 === 1
      if (quote < 0) {
        this.#isEscaped = isEscaped
        return text.length
      }
      at = quote + 1
      if (isEscaped) continue
      this.#isText = false
      return at
    }
  }

  #count(): void {
    this.#values += 1
    if (this.#values > this.#limits.values)
      throw tooLarge('has too many values', `${this.#limits.values.toLocaleString('en-US')} values`)
  }
}

function tooLarge(what: string, most: string): PrecisError {
  return new PrecisError('payload-too-large', `The JSON ${what}.`, {
    hint: `The limit is ${most}.`,
  })
}

/** Shorter texts cannot delay anyone. */
const LONG_CHARS = 100_000

/** No session record exceeds this. Its parts are processed at once. */
const RECORD_LIMITS: JsonLimits = { values: 300_000, depth: 500 }

/** `JSON.parse` for one record of an untrusted file. */
export function parseRecord(text: string): unknown {
  if (text.length > LONG_CHARS) new JsonBounds(RECORD_LIMITS).take(text)
  return JSON.parse(text)
}
