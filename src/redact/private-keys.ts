// Private keys in PEM: whole ones, and what a cut text has left of one.
import type { Replace } from './replace.ts'

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
const END = '-----END '
const END_LINE = /-----END [A-Z0-9 ]{0,80}-----/y
/** An end further away belongs to something else. */
const MAX_KEY_CHARS = 20_000
/** Anything but lines of base64 and headers, also as JSON or a program writes them. */
const NO_BODY = /\n[ \t]*\n|[^A-Za-z0-9+/=:,.\s\\-]/

export function redactPrivateKeys(text: string, replace: Replace): string {
  const pieces: string[] = []
  let written = 0
  let end = -1
  for (const { 0: header, index } of text.matchAll(BEGIN)) {
    if (index < written) continue
    // Looked for once for all keys that have none: otherwise many beginnings would each search to the end.
    if (end !== text.length && end < index) end = endBehind(text, index)
    const start = index + header.length
    const hasEnd = end < text.length && end - start < MAX_KEY_CHARS
    const close = hasEnd ? behindEnd(text, end) : behindBody(text, start)
    pieces.push(text.slice(written, index), replace('private-key'))
    written = close
  }
  return written === 0 ? text : [...pieces, text.slice(written)].join('')
}

/** The length of the text if there is no end. */
function endBehind(text: string, index: number): number {
  const found = text.indexOf(END, index)
  return found === -1 ? text.length : found
}

function behindEnd(text: string, end: number): number {
  END_LINE.lastIndex = end
  return end + (END_LINE.exec(text)?.[0].length ?? 0)
}

/** Up to the next key, the end of the string, or the words behind this one. */
function behindBody(text: string, start: number): number {
  const rest = text.slice(start, start + MAX_KEY_CHARS)
  const next = rest.indexOf('-----')
  const own = next === -1 ? rest : rest.slice(0, next)
  return start + (NO_BODY.exec(own)?.index ?? own.length)
}
