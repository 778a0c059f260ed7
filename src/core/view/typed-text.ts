// The text that a person typed: by event, by part, and without what clients inserted
import type { EventOf } from '../log/event.ts'
import type { Part, UserContent } from './content.ts'
import { type Provenance, piecesOf } from './injected.ts'

/**
 * The texts of a message that a person typed, in order. An imported message whose reader did not say who
 * wrote it counts as unknown: nothing in it was typed.
 */
export function typedTexts(event: EventOf<'USER_MESSAGE'>): string[] {
  const { origin, source, data } = event
  const isTyped = origin === 'typed' || (origin === undefined && source === undefined)
  return isTyped ? typedTextsOf(data) : []
}

/** Of content that is in the user's place. */
function typedTextsOf(content: UserContent): string[] {
  const texts = typeof content === 'string' ? [content] : content.flatMap(ownText)
  return texts.flatMap((text) =>
    piecesOf(text).flatMap((piece) => (piece.by === 'person' ? [piece.text] : [])),
  )
}

/** True if a person typed nothing of it: all of it is text, and none of that is theirs. */
export function isInjected(content: UserContent): boolean {
  return writtenBy(content) !== 'typed'
}

/** Who wrote a message that is in the user's place: a person, wherever one typed a part of it. */
export function writtenBy(content: UserContent): 'typed' | 'client' | 'tool' | 'model' {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  let first: Exclude<Provenance, 'person'> | undefined
  for (const part of parts) {
    if (part.type !== 'text') return 'typed'
    const pieces = part.from ? [{ text: part.text, by: part.from }] : piecesOf(part.text)
    for (const { by } of pieces) {
      if (by === 'person') return 'typed'
      first ??= by
    }
  }
  return first ?? 'typed'
}

function ownText(part: Part): string[] {
  return part.type === 'text' && part.from === undefined ? [part.text] : []
}
