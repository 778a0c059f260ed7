// Wire messages on their way: what a user shows stays in pieces until nothing more joins it.
import type { Fields, Json } from '../../core/text/json.ts'
import type { Piece } from './pieces.ts'

export type Draft =
  | { readonly kind: 'user'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'other'; readonly fields: Fields }

export function userDraft(pieces: readonly Piece[]): Draft {
  return { kind: 'user', pieces }
}

export function otherDraft(fields: Fields): Draft {
  return { kind: 'other', fields }
}

/** User messages in a row are one: that of a tool's images can stand before a typed one. */
export function joinedUsers(drafts: readonly Draft[]): Draft[] {
  const joined: Draft[] = []
  for (const draft of drafts) {
    const last = joined.at(-1)
    if (last?.kind === 'user' && draft.kind === 'user')
      joined.splice(-1, 1, userDraft([...last.pieces, ...draft.pieces]))
    else joined.push(draft)
  }
  return joined
}

/** With a word of the assistant wherever a user message would follow a result. */
export function withAnswerBetween(drafts: readonly Draft[], answer: Fields): Draft[] {
  return drafts.flatMap((draft, index) => {
    const before = drafts[index - 1]
    const isBehindResult = before?.kind === 'other' && before.fields.role === 'tool'
    return draft.kind === 'user' && isBehindResult ? [otherDraft(answer), draft] : [draft]
  })
}

export function finished(
  drafts: readonly Draft[],
  userMessage: (pieces: readonly Piece[]) => Json,
): Json[] {
  return drafts.map((draft) => (draft.kind === 'user' ? userMessage(draft.pieces) : draft.fields))
}
