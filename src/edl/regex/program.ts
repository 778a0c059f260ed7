// A regular expression as a small program: numbered instructions that the search follows.
import type { CharSet } from './char-set.ts'

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
