// A known secret in disguise: masked in its middle, in other case, escaped, or split over lines.
import { aroundPlaceholders } from './replace.ts'

/** Shorter ones, and those without letters and digits, are too easily words in another shape. */
const SHORTEST_CHARS = 12

/** A text as these forms are looked for in it. Takes time in proportion to it. */
export interface Seen {
  /** Unescaped, without blanks, in one case: whatever is in disguise stands here as it is. */
  readonly bare: string
  readonly isMasked: boolean
}

export function seen(text: string): Seen {
  const bare = text
    .replace(/\\{1,4}u00([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    )
    .replace(/\s+|\\{1,4}[nrt]/g, '')
    .toLowerCase()
  return { bare, isMasked: MASK.test(text) }
}

/** The text without this secret in any of these forms; `hide` gives what is in its place. */
export function withoutDisguised(
  text: string,
  { bare, isMasked }: Seen,
  value: string,
  hide: () => string,
): string {
  if (value.length < SHORTEST_CHARS || !/\d/.test(value) || !/[a-z]/i.test(value)) return text
  // Where it holds what separates, it is not looked for: it was found as it is, or not at all.
  const isSplit = !/[\s\\]/.test(value) && bare.includes(value.toLowerCase())
  const whole = isSplit ? inPieces(text, (piece) => piece.replace(splitPattern(value), hide)) : text
  return isMasked ? inPieces(whole, (piece) => withoutMasked(piece, value, hide)) : whole
}

/** What was taken out before stays as it is. */
function inPieces(text: string, change: (piece: string) => string): string {
  return aroundPlaceholders(text)
    .map((piece, at) => (at % 2 === 0 ? change(piece) : piece))
    .join('')
}

/** So much may stand between two characters: a line break and what the next line is indented by. */
const BREAK = '(?:\\s|\\\\{1,4}[nrt]){0,40}'

function splitPattern(value: string): RegExp {
  const chars = value.split('').map((char) => {
    const hex = char.charCodeAt(0).toString(16).padStart(4, '0')
    return `(?:\\u${hex}|\\\\{1,4}u${hex})`
  })
  return new RegExp(chars.join(BREAK), 'gi')
}

/** What providers put in place of a key's middle: stars, bullets, dots. */
const MASK = /[*•●]{2,}|…+|\.{3,}/
const LONGEST_END_CHARS = 200
const SEPARATOR = /[\s"'`,;:=()[\]{}<>*•●…]/
/** What begins a key is often the same for all keys of a provider. */
const SHORTEST_START_ALONE_CHARS = 16
const SHORTEST_END_ALONE_CHARS = 4
const SHORTEST_OF_BOTH_CHARS = [2, 3] as const

function withoutMasked(text: string, value: string, hide: () => string): string {
  const masks = [...text.matchAll(new RegExp(MASK, 'g'))]
  let shown = ''
  let from = 0
  let before = 0 // where the mask before this one ends: no word continues there
  for (const [at, { 0: mask, index }] of masks.entries()) {
    const end = index + mask.length
    const start = wordBefore(text, index, Math.max(from, before))
    const behind = wordBehind(text, end, masks[at + 1]?.index ?? text.length)
    before = end
    if (!buildIsMask(value, start, behind, mask)) continue
    shown += text.slice(from, index - start.length) + hide()
    from = end + behind.length
  }
  return shown + text.slice(from)
}

function buildIsMask(value: string, start: string, end: string, mask: string): boolean {
  if (start.length + end.length >= value.length) return false
  const [least, leastEnd] = SHORTEST_OF_BOTH_CHARS
  const hasStart = value.startsWith(start)
  const hasEnd = value.endsWith(end)
  if (hasStart && hasEnd && start.length >= least && end.length >= leastEnd) return true
  if (hasStart && end === '') return start.length >= SHORTEST_START_ALONE_CHARS
  // Dots before a word are an ellipsis.
  return hasEnd && start === '' && end.length >= SHORTEST_END_ALONE_CHARS && /[*•●]/.test(mask)
}

function wordBefore(text: string, end: number, from: number): string {
  const first = Math.max(from, end - LONGEST_END_CHARS)
  let at = end
  while (at > first && !SEPARATOR.test(text.charAt(at - 1))) at -= 1
  return text.slice(at, end)
}

/** Without the end of a sentence. */
function wordBehind(text: string, start: number, to: number): string {
  const last = Math.min(to, start + LONGEST_END_CHARS)
  let at = start
  while (at < last && !SEPARATOR.test(text.charAt(at))) at += 1
  while (at > start && /[.!?]/.test(text.charAt(at - 1))) at -= 1
  return text.slice(start, at)
}
