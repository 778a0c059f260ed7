// What of a list of wanted things a text holds: terms, terms bound to a neighbour, whole strings.
import { type Token, tokensOf } from './terms.ts'
import { VerbatimSearch } from './verbatim.ts'

/** Two terms are bound where both lie within so many characters of one line. */
const SEGMENT_CHARS = 160

export interface Wanted {
  readonly terms: ReadonlySet<string>
  /** Neighbours by identifier. */
  readonly pairs: ReadonlyMap<string, ReadonlySet<string>>
  readonly strings: ReadonlySet<string>
}

export interface Present {
  readonly terms: Set<string>
  /** By `pairKey`, with the shortest stretch of text that binds them. */
  readonly pairs: Map<string, string>
  readonly strings: Set<string>
}

export function pairKey(term: string, neighbour: string): string {
  return `${term}\n${neighbour}`
}

/** One pass over the texts, whatever is wanted. */
export function presenceIn(texts: Iterable<string>, wanted: Wanted): Present {
  const present: Present = { terms: new Set(), pairs: new Map(), strings: new Set() }
  const search = new VerbatimSearch(wanted.strings)
  for (const text of texts) {
    search.collect(text, present.strings)
    for (const line of text.split('\n')) {
      const tokens = tokensOf(line)
      tokens.forEach(({ term, isIdentifier }, index) => {
        if (!isIdentifier) return
        if (wanted.terms.has(term)) present.terms.add(term)
        const neighbours = wanted.pairs.get(term)
        if (neighbours) collectPairs(line, tokens, index, neighbours, present.pairs)
      })
    }
  }
  return present
}

function collectPairs(
  line: string,
  tokens: readonly Token[],
  index: number,
  neighbours: ReadonlySet<string>,
  found: Map<string, string>,
): void {
  for (const { term, start, end } of segmentAround(tokens, index)) {
    if (!neighbours.has(term)) continue
    const own = tokens[index] as Token
    const key = pairKey(own.term, term)
    const known = found.get(key)
    const [from, to] = [Math.min(start, own.start), Math.max(end, own.end)]
    if (known === undefined || known.length > to - from) found.set(key, line.slice(from, to))
  }
}

/** The other tokens that share a segment with this one, nearest first on each side. */
export function* segmentAround(tokens: readonly Token[], index: number): Generator<Token> {
  const own = tokens[index]
  if (!own) return
  for (let at = index - 1; at >= 0; at -= 1) {
    const other = tokens[at]
    if (!other || own.end - other.start > SEGMENT_CHARS) break
    if (other.term !== own.term) yield other
  }
  for (let at = index + 1; at < tokens.length; at += 1) {
    const other = tokens[at]
    if (!other || other.end - own.start > SEGMENT_CHARS) break
    if (other.term !== own.term) yield other
  }
}
