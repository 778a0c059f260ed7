// What others do at the same budget, with the same counter; and what nobody could use, to see the limits.
import { keptByPruneMessages, keptByTrimMessages } from './libraries.ts'
import { oracle } from './oracle.ts'
import type { Counter, Piece } from './pieces.ts'
import type { Policy } from './policy.ts'
import { shuffled } from './random.ts'
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
  oracle,
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
