// Cuts a text without breaking characters: no lone surrogates, no separated accents.

/** How far a cut moves for a whole character; beyond that only surrogate pairs count. */
const LONGEST_CLUSTER_CHARS = 32

/** Parts of the preceding character: accents, emoji modifiers, joiners, tags. */
const EXTENDS = /^(?:\u200d|\p{M}|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])/u

const ZERO_WIDTH_JOINER = 0x200d

/** The start of a text, at most `maxChars` UTF-16 units. */
export function cutHead(text: string, maxChars: number): string {
  const limit = wholeFrom0(maxChars)
  if (text.length <= limit) return text
  const lowest = Math.max(0, limit - LONGEST_CLUSTER_CHARS)
  for (let at = limit; at >= lowest; at -= 1) if (isBoundary(text, at)) return text.slice(0, at)
  return text.slice(0, splitsPair(text, limit) ? limit - 1 : limit)
}

/** The end of a text, at most `maxChars` UTF-16 units. */
export function cutTail(text: string, maxChars: number): string {
  const limit = wholeFrom0(maxChars)
  if (text.length <= limit) return text
  const start = text.length - limit
  const highest = Math.min(text.length, start + LONGEST_CLUSTER_CHARS)
  for (let at = start; at <= highest; at += 1) if (isBoundary(text, at)) return text.slice(at)
  return text.slice(splitsPair(text, start) ? start + 1 : start)
}

/** NaN keeps nothing, so a caller's mistake does not return everything. */
function wholeFrom0(maxChars: number): number {
  return maxChars > 0 ? Math.floor(maxChars) : 0
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true
  if (splitsPair(text, at) || text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER) return false
  return !EXTENDS.test(text.slice(at, at + 2))
}

function splitsPair(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
