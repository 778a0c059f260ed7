// The names in a line of text: words, and what is joined of them (paths, versions, dotted names). One pass, no regular expressions.

/** What a name looks like; it says how likely it is to be needed again in exactly this form. */
export type TermKind = (typeof TERM_KINDS)[number]
export const TERM_KINDS = [
  'word',
  'capital',
  'number',
  'identifier',
  'joined',
  'path',
  'argument',
] as const

/** Called for each name in the order of the text; a joined one comes before its parts. */
export type TermVisitor = (from: number, to: number, kind: TermKind) => void

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const UNDERSCORE = 4
const JOINT = 5

/** Longer ones are data, not names. */
const LONGEST_CHARS = 160
const SHORTEST_CHARS = 2

const CLASSES = classesOfAscii()

export function eachTerm(text: string, visit: TermVisitor): void {
  const { length } = text
  let at = 0
  while (at < length) {
    const kind = classAt(text, at)
    if (kind === OTHER || kind === JOINT) {
      // A leading `/`, `.`, `~` or `@` belongs to the name it begins.
      if (kind === JOINT && beginsName(text, at) && classAt(text, at + 1) !== OTHER)
        at = readName(text, at, visit)
      else at += 1
    } else at = readName(text, at, visit)
  }
}

/** Reads on to the end of the name, tells of it, and gives the place behind it. */
function readName(text: string, from: number, visit: TermVisitor): number {
  const { length } = text
  let end = from
  let joints = 0
  let slashes = 0
  let at = from
  for (; at < length; at += 1) {
    const kind = classAt(text, at)
    if (kind === OTHER) break
    if (kind === JOINT) {
      if (text.charCodeAt(at) === SLASH) slashes += 1
      if (at > from) joints += 1
    } else end = at + 1 // joints at the end are marks of the sentence
  }
  if (end <= from) return at
  const isJoined = joints > 0 || classAt(text, from) === JOINT
  if (!isJoined) {
    readWord(text, from, end, visit)
    return at
  }
  if (end - from <= LONGEST_CHARS) visit(from, end, slashes > 0 ? 'path' : 'joined')
  let word = from
  for (let place = from; place <= end; place += 1) {
    if (place < end && classAt(text, place) !== JOINT) continue
    if (place > word) readWord(text, word, place, visit)
    word = place + 1
  }
  return at
}

function readWord(text: string, from: number, to: number, visit: TermVisitor): void {
  if (to - from < SHORTEST_CHARS || to - from > LONGEST_CHARS) return
  let lowers = 0
  let uppers = 0
  let digits = 0
  let underscores = 0
  for (let at = from; at < to; at += 1) {
    const kind = classAt(text, at)
    if (kind === LOWER) lowers += 1
    else if (kind === UPPER) uppers += 1
    else if (kind === DIGIT) digits += 1
    else underscores += 1
  }
  visit(from, to, kindOf({ lowers, uppers, digits, underscores }, classAt(text, from) === UPPER))
}

interface Letters {
  readonly lowers: number
  readonly uppers: number
  readonly digits: number
  readonly underscores: number
}

function kindOf({ lowers, uppers, digits, underscores }: Letters, isUpperFirst: boolean): TermKind {
  if (digits + underscores === 0) {
    if (uppers === 0) return 'word'
    return uppers === 1 && isUpperFirst ? 'capital' : 'identifier'
  }
  return lowers + uppers + underscores === 0 ? 'number' : 'identifier'
}

const SLASH = 47
const DOT = 46
const TILDE = 126
const AT_SIGN = 64

function beginsName(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === SLASH || code === DOT || code === TILDE || code === AT_SIGN
}

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 128) return CLASSES[code] as number
  return isMark(code) ? OTHER : LOWER
}

/** Spaces, dashes, quotes and brackets outside ASCII; what is left of them are letters or close to it. */
function isMark(code: number): boolean {
  return (
    code <= 0xbf ||
    (code >= 0x2000 && code <= 0x2bff) ||
    (code >= 0x3000 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xff20) ||
    code === 0xfeff ||
    Number.isNaN(code)
  )
}

function classesOfAscii(): Uint8Array {
  const classes = new Uint8Array(128)
  for (let code = 48; code <= 57; code += 1) classes[code] = DIGIT
  for (let code = 65; code <= 90; code += 1) classes[code] = UPPER
  for (let code = 97; code <= 122; code += 1) classes[code] = LOWER
  for (const mark of '_$') classes[mark.charCodeAt(0)] = UNDERSCORE
  for (const mark of './-:@~+\\') classes[mark.charCodeAt(0)] = JOINT
  return classes
}
