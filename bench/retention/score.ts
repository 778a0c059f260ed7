// How much of what was needed a policy kept.
import type { Needs } from './needs.ts'
import type { Piece } from './pieces.ts'
import { presenceIn, type Wanted } from './presence.ts'

export interface Score {
  /** Identifiers and quotations that are still there. */
  readonly unary: number
  /** Identifiers that are still there with their neighbour. */
  readonly pair: number
  /** The harmonic mean of the two. */
  readonly headline: number
  /** Whole arguments that are still there; absent where none were needed. */
  readonly exact?: number
}

export function scorer(needs: Needs): (kept: readonly Piece[]) => Score {
  const wanted = wantedOf(needs)
  return (kept) => {
    const present = presenceIn(
      kept.map(({ text }) => text),
      wanted,
    )
    const quotes = countOf(needs.quotes, present.strings)
    const unary = (present.terms.size + quotes) / (needs.terms.size + needs.quotes.size)
    const pair = present.pairs.size / needs.pairs.size
    const exact = countOf(needs.arguments, present.strings) / needs.arguments.size
    const headline = unary + pair === 0 ? 0 : (2 * unary * pair) / (unary + pair)
    return { unary, pair, headline, ...(needs.arguments.size > 0 && { exact }) }
  }
}

export function wantedOf(needs: Needs): Wanted {
  const pairs = new Map<string, Set<string>>()
  for (const key of needs.pairs.keys()) {
    const [term = '', neighbour = ''] = key.split('\n')
    pairs.set(term, (pairs.get(term) ?? new Set()).add(neighbour))
  }
  return { terms: needs.terms, pairs, strings: new Set([...needs.quotes, ...needs.arguments]) }
}

function countOf(needed: ReadonlySet<string>, present: ReadonlySet<string>): number {
  return [...needed].filter((string) => present.has(string)).length
}
