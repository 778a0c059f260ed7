// Predicts how likely each identifier is to be needed again.
import { TERM_KINDS, type TermKind } from './terms.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * Logistic models of the few features that mattered in both halves of a collection of recorded sessions. What
 * the agent never wrote itself is rarely needed, less with each turn. What it wrote returns depending on how
 * often and how recently.
 */
interface NeedModel {
  readonly unused: {
    readonly bias: number
    readonly sinceSeen: number
    readonly sinceFirst: number
    readonly lines: number
    readonly length: number
  }
  readonly used: {
    readonly bias: number
    readonly sinceUse: number
    readonly uses: number
    readonly length: number
  }
}

const NAME: NeedModel = {
  unused: { bias: -0.9, sinceSeen: -0.46, sinceFirst: -0.48, lines: 0.3, length: -0.79 },
  used: { bias: -0.62, sinceUse: -0.5, uses: 0.7, length: -0.11 },
}
const WORD: NeedModel = {
  unused: { bias: -0.9, sinceSeen: -0.2, sinceFirst: -0.2, lines: 0.2, length: -2.2 },
  used: { bias: -0.06, sinceUse: -0.42, uses: 0.7, length: -0.93 },
}
const NUMBER: NeedModel = {
  unused: { bias: -1.9, sinceSeen: -0.6, sinceFirst: -0.55, lines: 0.6, length: -1.9 },
  used: { bias: -0.5, sinceUse: -0.5, uses: 0.9, length: -0.9 },
}
const ARGUMENT: NeedModel = {
  unused: NAME.unused,
  used: { bias: -0.6, sinceUse: -0.6, uses: 1.4, length: -0.1 },
}
const MODELS = byKind<NeedModel>({
  word: WORD,
  capital: WORD,
  number: NUMBER,
  identifier: NAME,
  joined: NAME,
  path: NAME,
  argument: ARGUMENT,
})
const LONGEST_CHARS = 60
const CHARS_UNIT = 20

export function predictNeeds(vocabulary: Vocabulary, turn: number): Float64Array {
  const { kinds, uses, lastUse, firstTurn, lastTurn, lines, names } = vocabulary
  const needs = new Float64Array(vocabulary.size)
  for (let number = 0; number < needs.length; number += 1) {
    const { used, unused } = MODELS[kinds[number] as number] as NeedModel
    const useCount = uses[number] as number
    const chars = Math.min(LONGEST_CHARS, (names[number] as string).length) / CHARS_UNIT
    const logit =
      useCount > 0
        ? used.bias +
          used.sinceUse * Math.log1p(turn - (lastUse[number] as number)) +
          used.uses * Math.log(useCount) +
          used.length * chars
        : unused.bias +
          unused.sinceSeen * Math.log1p(turn - (lastTurn[number] as number)) +
          unused.sinceFirst * Math.log1p(turn - (firstTurn[number] as number)) +
          unused.lines * Math.log(Math.max(1, lines[number] as number)) +
          unused.length * chars
    needs[number] = 1 / (1 + Math.exp(-logit))
  }
  return needs
}

/** How much a name of this kind tells: common words return anyway, paths do not. */
export const TELLING = byKind({
  word: 0.02,
  capital: 0.1,
  number: 0.05,
  identifier: 1,
  joined: 1,
  path: 1,
  argument: 1.5,
})

/** A word in more lines than this says nothing about its neighbours. */
const COMMON_SHARE = 0.05
const SHORTEST_WORD_CHARS = 4
const FIRST_IDEOGRAPH = 0x2e80
const WORD_KINDS = byKind({
  word: true,
  capital: true,
  number: false,
  identifier: false,
  joined: false,
  path: false,
  argument: false,
})
const NUMBER_KIND = TERM_KINDS.indexOf('number')

/** Whether a name says something about its neighbours. */
export function isBinding(
  { kinds, names, lines }: Vocabulary,
  number: number,
  all: number,
): boolean {
  const kind = kinds[number] as number
  if (kind === NUMBER_KIND) return false
  if (!WORD_KINDS[kind]) return true
  const name = names[number] as string
  const isLong = name.length >= SHORTEST_WORD_CHARS || name.charCodeAt(0) >= FIRST_IDEOGRAPH
  return isLong && (lines[number] as number) <= COMMON_SHARE * all
}

function byKind<T>(values: Readonly<Record<TermKind, T>>): readonly T[] {
  return TERM_KINDS.map((kind) => values[kind])
}
