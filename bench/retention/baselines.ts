// Other tools' rules at the same budget and with the same counter; and unusable ones that show the limits.
import { keptByPruneMessages, keptByTrimMessages } from './libraries.ts'
import type { Needs } from './needs.ts'
import type { Counter, Piece } from './pieces.ts'
import type { Policy } from './policy.ts'
import { type Present, presenceIn } from './presence.ts'
import { shuffled } from './random.ts'
import { wantedOf } from './score.ts'
import { tokensOf } from './terms.ts'

export const BASELINES: Readonly<Record<string, Policy>> = {
  'keep-last': ({ cut }) => ({ pieces: cut.pieces }),
  'mask-results': ({ cut, counter }) => ({
    pieces: cut.pieces.map((piece) => masked(piece, counter)),
  }),
  'trim-messages': async ({ cut, budgetTokens }) => ({
    pieces: await keptByTrimMessages(cut.pieces, budgetTokens),
  }),
  'prune-messages': ({ cut }) => ({ pieces: keptByPruneMessages(cut.pieces) }),
  recorded: ({ cut, budget }) =>
    budget === 'recorded' && cut.recorded ? { pieces: cut.recorded } : undefined,
  random: ({ cut, budgetTokens, seed }) => ({ pieces: drawn(cut.pieces, budgetTokens, seed) }),
  'identifier-list': ({ cut, counter }) => ({ pieces: [identifierList(cut.pieces, counter)] }),
  oracle: keepNeeded,
}

function masked(piece: Piece, counter: Counter): Piece {
  if (piece.kind !== 'result') return piece
  const text = `[result of ${piece.text.length} characters left out]`
  const tokens = counter.weigh(text)
  return tokens < piece.tokens ? { ...piece, text, tokens } : piece
}

/** Pieces by chance until the budget is full, in the order they had. */
function drawn(pieces: readonly Piece[], budgetTokens: number, seed: number): Piece[] {
  const taken = new Set<Piece>()
  let room = budgetTokens
  for (const piece of shuffled(pieces, seed)) {
    taken.add(piece)
    room -= piece.tokens
    if (room <= 0) break
  }
  return pieces.filter((piece) => taken.has(piece))
}

/** To game the metric: every identifier, and nothing that says what it is about; the latest at the end. */
function identifierList(pieces: readonly Piece[], counter: Counter): Piece {
  const identifiers = new Set<string>()
  for (const { text } of pieces)
    for (const line of text.split('\n'))
      for (const { term, isIdentifier } of tokensOf(line)) {
        if (!isIdentifier) continue
        identifiers.delete(term)
        identifiers.add(term)
      }
  const text = [...identifiers].join(' ')
  return { kind: 'user', text, tokens: counter.weigh(text), message: 0 }
}

interface Stretch {
  readonly text: string
  readonly tokens: number
  readonly holds: readonly string[]
  /** What it would add to the two recalls, for each token. */
  readonly worth: number
}

/** The ceiling: knows what will be needed, and takes the shortest stretches that hold it. Greedy. The best stretches stand at the end, where nothing is cut off. */
function keepNeeded({ cut: { needs }, budgetTokens, counter }: Parameters<Policy>[0]) {
  const held = new Set<string>()
  const taken: string[] = []
  let room = budgetTokens - counter.weigh('')
  for (const { text, tokens, holds } of stretchesOf(needs, counter)) {
    if (tokens > room || holds.every((need) => held.has(need))) continue
    for (const need of holds) held.add(need)
    taken.push(text)
    room -= tokens
  }
  const text = taken.reverse().join('\n')
  return { pieces: [{ kind: 'user' as const, text, tokens: counter.weigh(text), message: 0 }] }
}

function stretchesOf(needs: Needs, counter: Counter): Stretch[] {
  const wanted = wantedOf(needs)
  const texts = new Set([
    ...needs.pairs.values(),
    ...needs.terms,
    ...needs.quotes,
    ...needs.arguments,
  ])
  return [...texts]
    .map((text) => {
      const tokens = counter.weigh(`${text}\n`) - counter.weigh('') + 1
      const present = presenceIn([text], wanted)
      return { text, tokens, holds: namesOf(present), worth: worthOf(present, needs) / tokens }
    })
    .toSorted((one, other) => other.worth - one.worth)
}

function namesOf({ terms, pairs, strings }: Present): string[] {
  return [...terms, ...pairs.keys(), ...strings]
}

function worthOf({ terms, pairs, strings }: Present, needs: Needs): number {
  const quotes = [...strings].filter((string) => needs.quotes.has(string)).length
  const unary = (terms.size + quotes) / (needs.terms.size + needs.quotes.size)
  return unary + pairs.size / needs.pairs.size
}
