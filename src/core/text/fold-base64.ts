// Folds base64 within text to a caption: thousands of characters that no model reads.

export interface FoldedRun {
  /** The place and length of the run in the text. */
  readonly at: number
  readonly length: number
  readonly mimeType?: string
}

export interface Folded {
  readonly text: string
  readonly folded: readonly FoldedRun[]
}

/** A shorter run may be a token, a hash, or a long name. */
const MIN_BARE_CHARS = 2_048
/** A data URL is unambiguous, so less is enough. Shorter texts contain nothing to fold. */
export const MIN_URL_CHARS = 512
/** `data:image/svg+xml;charset=utf-8;base64,` and the like. */
const URL_START = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w.+"-]*)*;base64,$/i
const URL_START_CHARS = 160
/** Programs wrap base64 at 60 to 76 characters. */
const MIN_LINE_CHARS = 60

/**
 * Replaces data URLs and long base64 runs by `[base64 image/png, 34,120 characters, ref e12@5120]`. The ref
 * names the entry, if given, and the place in the original text, which is enough to find the run. Linear in
 * time.
 */
export function foldBase64(text: string, entry = ''): Folded {
  const folded: FoldedRun[] = []
  const pieces: string[] = []
  let written = 0
  for (let at = 0; at < text.length; ) {
    if (!isDigit(text, at)) {
      at += 1
      continue
    }
    const lineEnd = endOfLine(text, at)
    const end = endOfRun(text, at, lineEnd)
    const run = foldableRun(text, at, end)
    if (run) {
      folded.push(run)
      pieces.push(text.slice(written, run.at), caption(run, entry))
      written = run.at + run.length
    }
    // Lines that did not join may start a run themselves.
    at = run ? end : lineEnd
  }
  if (folded.length === 0) return { text, folded }
  pieces.push(text.slice(written))
  return { text: pieces.join(''), folded }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'
const ASCII = 128
const IS_DIGIT = new Uint8Array(ASCII)
for (const digit of DIGITS) IS_DIGIT[digit.charCodeAt(0)] = 1

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < ASCII && IS_DIGIT[code] === 1
}

/** After the digits that start here and their padding. */
function endOfLine(text: string, start: number): number {
  let end = start
  while (end < text.length && isDigit(text, end)) end += 1
  for (let padding = 0; padding < 2 && text[end] === '='; padding += 1) end += 1
  return end
}

/** All lines of equal length, and the shorter last one. */
function endOfRun(text: string, start: number, lineEnd: number): number {
  const lineChars = lineEnd - start
  let end = lineEnd
  if (lineChars < MIN_LINE_CHARS) return end
  for (;;) {
    const next = behindLineBreak(text, end)
    if (next === undefined) return end
    const nextEnd = endOfLine(text, next)
    const chars = nextEnd - next
    const isWhole = nextEnd === text.length || behindLineBreak(text, nextEnd) !== undefined
    if (chars === 0 || chars > lineChars || !isWhole) return end
    end = nextEnd
    if (chars < lineChars) return end
  }
}

function behindLineBreak(text: string, at: number): number | undefined {
  if (text[at] === '\n') return at + 1
  return text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : undefined
}

function foldableRun(text: string, start: number, end: number): FoldedRun | undefined {
  if (end - start < MIN_URL_CHARS) return undefined
  const url = URL_START.exec(text.slice(Math.max(0, start - URL_START_CHARS), start))
  if (url) {
    const at = start - url[0].length
    return { at, length: end - at, ...(url[1] !== undefined && { mimeType: url[1] }) }
  }
  if (end - start < MIN_BARE_CHARS || !looksEncoded(text, start)) return undefined
  return { at: start, length: end - start }
}

/** Encoded bytes mix cases and digits everywhere, unlike dashes or hex. */
function looksEncoded(text: string, start: number): boolean {
  const sample = text.slice(start, start + MIN_URL_CHARS)
  return /[A-Z]/.test(sample) && /[a-z]/.test(sample) && /[0-9]/.test(sample)
}

function caption({ at, length, mimeType }: FoldedRun, entry: string): string {
  const kind = mimeType === undefined ? 'base64' : `base64 ${mimeType}`
  return `[${kind}, ${length.toLocaleString('en-US')} characters, ref ${entry}@${at}]`
}
