// Whether one character is of a set. The sets are JavaScript's own: a native pattern decides on the
// single character, which cannot run away, and the answer is remembered.

const TABLE_SIZE = 256
const FIRST_ASTRAL = 0x10000

export class CharSet {
  readonly #pattern: RegExp
  readonly #table = new Uint8Array(TABLE_SIZE)
  readonly #others = new Map<number, boolean>()

  /** `source` is a pattern for one character, as in `[a-z]` or `\d`. */
  constructor(source: string, flags: string) {
    this.#pattern = new RegExp(`^${source}$`, flags)
    for (let code = 0; code < TABLE_SIZE; code += 1) this.#table[code] = this.#decide(code) ? 1 : 0
  }

  has(code: number): boolean {
    if (code < TABLE_SIZE) return this.#table[code] === 1
    const known = this.#others.get(code)
    if (known !== undefined) return known
    const decided = this.#decide(code)
    this.#others.set(code, decided)
    return decided
  }

  /** Without the flag `u` a native pattern sees the two halves of a character beyond U+FFFF. */
  #decide(code: number): boolean {
    const character = String.fromCodePoint(code)
    if (code < FIRST_ASTRAL || this.#pattern.unicode) return this.#pattern.test(character)
    return this.#pattern.test(character.charAt(0)) && this.#pattern.test(character.charAt(1))
  }
}
