// A regular expression as a small program: numbered instructions that the search follows.
/** What an instruction does; `a` and `b` are its two numbers. */
export const OP = {
  match: 0,
  /** The next character is `a`, or of set `a`; with `behind`, the previous one. */
  char: 1,
  set: 2,
  charBehind: 3,
  setBehind: 4,
  /** Goes on with the next instruction, and at `a` where that leads nowhere. `b` is its number. */
  tryNext: 5,
  /** The other way round. */
  trySkip: 6,
  /** Goes on at `a`. */
  jump: 7,
  /** Assertion `a` holds here; `b` is the set of letters of a word. */
  assert: 8,
  /** What follows, up to its `match`, is found from here (`b` is 0) or is not (1); continues at `a`. */
  look: 9,
  fail: 10,
} as const

export interface Program {
  readonly ops: Uint8Array
  readonly a: Int32Array
  readonly b: Int32Array
  readonly sets: readonly CharSet[]
  readonly branches: number // how many instructions have two ways to continue
  /** Only matches that follow directly on each other count (the flag `y`). */
  readonly isSticky: boolean
  /** What every match begins with; may be empty. */
  readonly prefix: string
}

/** A regular expression as a tree: what the parser makes and the compiler reads. */
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
  /** One certain character, or one of a set. */
  | { readonly type: 'char'; readonly test: number | CharSet }
  | { readonly type: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly type: 'repeat'
      readonly body: RegexNode
      readonly min: number
      readonly max: number // Infinity if there is no end
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
 * Whether one character is of a set. The sets are JavaScript's own: a native pattern decides on
 * the single character, which cannot run away, and the answer is remembered.
 */
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
