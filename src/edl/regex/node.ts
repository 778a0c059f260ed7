// A regular expression as a tree: what the parser makes and the compiler reads.
import type { CharSet } from './char-set.ts'

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
