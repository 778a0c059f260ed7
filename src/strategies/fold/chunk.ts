// Cuts a rendered thread into chunks of about one size, between messages wherever that is possible.
import { PrecisError } from '../../core/errors.ts'

export const CHARS_PER_TOKEN = 4
export const TARGET_CHUNK_TOKENS = 25_000
export const TOLERANCE_TOKENS = 5_000

/** A pair of surrogates is never cut, so a chunk must have room for one. */
const SMALLEST_TARGET_CHARS = 2

/**
 * Packs whole messages up to target and tolerance together. Only a longer message is cut: its beginning
 * fills the open chunk up to the target, pieces of the target's length follow, and the rest stays open
 * for the messages after it. The chunks joined are the markdown. One pass; each character is copied once.
 */
export function chunkMessages(
  markdown: string,
  messageBoundaries: readonly number[],
  targetChunkChars: number,
  toleranceChars: number,
): string[] {
  checkSizes(targetChunkChars, toleranceChars)
  const limit = targetChunkChars + toleranceChars
  const chunks: string[] = []
  let start = 0 // of the open chunk
  let packed = 0 // where its last whole message ends
  const close = (end: number) => {
    if (end > start) chunks.push(markdown.slice(start, end))
    start = end
  }
  for (let index = 1; index <= Math.max(1, messageBoundaries.length); index += 1) {
    const end = Math.min(messageBoundaries[index] ?? markdown.length, markdown.length)
    if (!(end > packed)) continue // boundaries out of order, or no numbers, cut nothing
    const isGiant = end - packed > limit
    if (isGiant ? packed - start >= targetChunkChars : end - start > limit) close(packed)
    while (end - start > limit) close(wholeCharacters(markdown, start + targetChunkChars))
    packed = end
  }
  close(markdown.length)
  return chunks
}

/** The name that one page of the design gives it. @alias */
export const chunkMessagesByTokenBudget = chunkMessages

function checkSizes(targetChunkChars: number, toleranceChars: number): void {
  const isTarget = Number.isInteger(targetChunkChars) && targetChunkChars >= SMALLEST_TARGET_CHARS
  if (isTarget && Number.isInteger(toleranceChars) && toleranceChars >= 0) return
  throw new PrecisError(
    'invalid-input',
    `A chunk cannot be ${targetChunkChars} characters long with a tolerance of ${toleranceChars}.`,
    {
      where: isTarget ? 'toleranceChars' : 'targetChunkChars',
      hint: `The target is a whole number from ${SMALLEST_TARGET_CHARS} on, the tolerance one from 0 on.`,
    },
  )
}

/** This place, or the one before it where it would part a surrogate pair. */
function wholeCharacters(text: string, place: number): number {
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1))
  return isInPair ? place - 1 : place
}
