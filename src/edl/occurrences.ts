// Finds every occurrence of a text in another in one pass, in linear time

/** Ends of all occurrences, overlapping ones included, that lie between `start` and `end`. */
export class Occurrences {
  readonly #wanted: string
  /** For each length of a beginning of the wanted text: its longest beginning that is also its end. */
  readonly #overlaps: Int32Array

  constructor(wanted: string) {
    this.#wanted = wanted
    this.#overlaps = new Int32Array(wanted.length + 1)
    let matched = 0
    for (let at = 1; at < wanted.length; at += 1) {
      matched = this.#advance(matched, wanted.charCodeAt(at))
      this.#overlaps[at + 1] = matched
    }
  }

  *endsIn(text: string, start: number, end: number): Generator<number> {
    let matched = 0
    for (let at = start; at < end; at += 1) {
      matched = this.#advance(matched, text.charCodeAt(at))
      if (matched < this.#wanted.length) continue
      yield at + 1
      matched = this.#overlaps[matched] ?? 0
    }
  }

  /** How much of the wanted text is matched after one more character. */
  #advance(matched: number, code: number): number {
    let length = matched
    while (length > 0 && this.#wanted.charCodeAt(length) !== code)
      length = this.#overlaps[length] ?? 0
    return this.#wanted.charCodeAt(length) === code ? length + 1 : 0
  }
}
