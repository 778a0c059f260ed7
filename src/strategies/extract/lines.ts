// A text in lines of bounded length: the pieces of which a brief is made.

/** A longer line is cut at a blank. Short enough that what is in one belongs together. */
const LONGEST_CHARS = 160
/** How far back a cut looks for a blank. */
const LOOK_BACK_CHARS = 40
/** Of a single endless line, so many pieces of its beginning and its end. */
const HEAD_PIECES = 96
const TAIL_PIECES = 32

/** Called with each line that has something in it, without the blanks around it, and where it begins. */
export type LineVisitor = (line: string, from: number) => void

export function eachLine(text: string, visit: LineVisitor): void {
  let from = 0
  while (from <= text.length) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    eachPiece(text, from, end, visit)
    from = end + 1
  }
}

function eachPiece(text: string, from: number, to: number, visit: LineVisitor): void {
  const most = (HEAD_PIECES + TAIL_PIECES) * LONGEST_CHARS
  if (to - from <= most) {
    cutPieces(text, from, to, visit)
    return
  }
  cutPieces(text, from, boundary(text, from + HEAD_PIECES * LONGEST_CHARS), visit)
  cutPieces(text, boundary(text, to - TAIL_PIECES * LONGEST_CHARS), to, visit)
}

function cutPieces(text: string, from: number, to: number, visit: LineVisitor): void {
  let start = from
  while (start < to) {
    const end = to - start <= LONGEST_CHARS ? to : pieceEnd(text, start)
    const line = text.slice(start, end).trim()
    if (line !== '') visit(line, text.indexOf(line, start))
    start = withoutEscapes(text, end, to)
  }
}

/** In a long line of JSON the lines of the text that it holds end with two signs: a backslash and an n. */
function pieceEnd(text: string, start: number): number {
  const limit = start + LONGEST_CHARS
  for (let at = start + 1; at < limit; at += 1)
    if (text.charCodeAt(at) === BACKSLASH && text.charCodeAt(at + 1) === LETTER_N) return at
  for (let at = limit; at > limit - LOOK_BACK_CHARS; at -= 1)
    if (text.charCodeAt(at - 1) === BLANK) return at
  return boundary(text, limit)
}

const BLANK = 32
const BACKSLASH = 92
const LETTER_N = 110
const LETTER_R = 114
const LETTER_T = 116

/** Behind the ends of lines and the indentation that are there as signs. */
function withoutEscapes(text: string, from: number, to: number): number {
  let at = from
  while (at + 1 < to && text.charCodeAt(at) === BACKSLASH) {
    const sign = text.charCodeAt(at + 1)
    if (sign !== LETTER_N && sign !== LETTER_R && sign !== LETTER_T) break
    at += 2
  }
  return at
}

/** Not between the halves of a surrogate pair. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
