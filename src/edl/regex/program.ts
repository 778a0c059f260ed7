// A regular expression as a program of numbered instructions.
/** The instructions; `a` and `b` are their operands. */
export const OP = {
  match: 0,
  /** The next character is `a`, or of set `a`; with `behind`, the previous one. */
  char: 1,
  set: 2,
  charBehind: 3,
  setBehind: 4,
  /** Tries the next instruction first, then `a`. `b` is its branch number. */
  tryNext: 5,
  /** The reverse: `a` first. */
  trySkip: 6,
  /** Continues at `a`. */
  jump: 7,
  /** Assertion `a` must hold; `b` is the set of word characters. */
  assert: 8,
  /** The code up to its `match` must succeed (`b` is 0) or fail (1) here; continues at `a`. */
  look: 9,
  fail: 10,
} as const

export interface Program {
  readonly ops: Uint8Array
  readonly a: Int32Array
  readonly b: Int32Array
  readonly sets: readonly CharSet[]
  readonly branches: number // number of branching instructions
  /** Matches must be adjacent (the flag `y`). */
  readonly isSticky: boolean
  /** The common start of all matches; may be empty. */
  readonly prefix: string
}

/** The syntax tree: made by the parser, read by the compiler. */
export const ASSERTIONS = [
  'text-start',
  'text-end',
  'line-start',
  'line-end',
  'word-boundary',
  'no-word-boundary',
] as const

export type Assertion = (typeof ASSERTIONS)[number]

export type RegexNode =
  /** A fixed character, or one of a set. */
  | { readonly type: 'char'; readonly test: number | CharSet }
  | { readonly type: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly type: 'repeat'
      readonly body: RegexNode
      readonly min: number
      readonly max: number // Infinity for no maximum
      readonly isLazy: boolean
    }
  | { readonly type: 'assertion'; readonly assertion: Assertion; readonly word: CharSet }
  | {
      readonly type: 'look'
      readonly body: RegexNode
      readonly isBehind: boolean
      readonly isNegated: boolean
    }

const TABLE_SIZE = 256
const FIRST_ASTRAL = 0x10000

/**
 * Tests whether a character is in a set. A native pattern decides for the single character, which cannot
 * backtrack, and the answer is cached.
 */
export class CharSet {
  readonly #pattern: RegExp
  readonly #table = new Uint8Array(TABLE_SIZE)
  readonly #others = new Map<number, boolean>()

  /** `source` is a pattern for one character, such as `[a-z]` or `\d`. */
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

  /** Without the flag `u`, native patterns see the halves of a surrogate pair. */
  #decide(code: number): boolean {
    const character = String.fromCodePoint(code)
    if (code < FIRST_ASTRAL || this.#pattern.unicode) return this.#pattern.test(character)
    return this.#pattern.test(character.charAt(0)) && this.#pattern.test(character.charAt(1))
  }
}
