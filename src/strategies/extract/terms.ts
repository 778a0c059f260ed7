// Extracts names from a line in one pass: words, paths, versions, dotted names.

/** The form of a name, which tells how likely it is needed exactly. */
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

/** Called for each name in text order. Joined words are one name if they look like one. */
export type TermVisitor = (from: number, to: number, kind: TermKind) => void

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const UNDERSCORE = 4
const JOINT = 5

/** Longer ones are data. */
const LONGEST_CHARS = 160
const SHORTEST_CHARS = 2

const CLASSES = classesOfAscii()

export function eachTerm(text: string, visit: TermVisitor): void {
  const { length } = text
  let at = 0
  while (at < length) {
    const kind = classAt(text, at)
    if (kind === OTHER || kind === JOINT) {
      // A leading `/`, `.`, `~` or `@` belongs to the name.
      if (kind === JOINT && beginsName(text, at) && classAt(text, at + 1) !== OTHER)
        at = readName(text, at, visit)
      else at += 1
    } else at = readName(text, at, visit)
  }
}

/** A run of letters, digits and joining characters. */
interface Run {
  letters: number
  digits: number
  slashes: number
  hyphens: number
  dots: number
  innerDots: number // between other characters, followed by a letter
  isMixed: boolean // with an underscore or camel case
}

/** Reads to the end of the name, reports it, and returns the end. */
function readName(text: string, from: number, visit: TermVisitor): number {
  const { length } = text
  const run: Run = {
    letters: 0,
    digits: 0,
    slashes: 0,
    hyphens: 0,
    dots: 0,
    innerDots: 0,
    isMixed: false,
  }
  let end = from
  let joints = 0
  let before = OTHER
  let at = from
  for (; at < length; at += 1) {
    const kind = classAt(text, at)
    if (kind === OTHER && !(before !== OTHER && isScheme(text, at))) break
    if (kind === OTHER || kind === JOINT) {
      if (at > from) joints += 1
      countJoint(run, text, at, before)
    } else {
      countSign(run, kind, before)
      end = at + 1 // trailing joints are punctuation
    }
    before = kind
  }
  if (end <= from) return at
  const isJoined = joints > 0 || classAt(text, from) === JOINT
  const kind =
    isJoined && end - from <= LONGEST_CHARS ? kindOfJoined(run, text, from, end) : undefined
  if (kind !== undefined) visit(from, end, kind)
  else readWords(text, from, end, visit)
  return at
}

function countSign(run: Run, kind: number, before: number): void {
  if (kind === DIGIT) run.digits += 1
  else if (kind === UNDERSCORE || (kind === UPPER && before === LOWER)) run.isMixed = true
  if (kind === LOWER || kind === UPPER) run.letters += 1
}

function countJoint(run: Run, text: string, at: number, before: number): void {
  const code = text.charCodeAt(at)
  if (code === SLASH) run.slashes += 1
  else if (code === HYPHEN) run.hyphens += 1
  else if (code === DOT) {
    run.dots += 1
    const next = classAt(text, at + 1)
    if (before !== OTHER && before !== JOINT && (next === LOWER || next === UPPER))
      run.innerDots += 1
  }
}

/** Shorter ones are units or version numbers. */
const FEWEST_LETTERS = 3
const LONGEST_EXTENSION_CHARS = 8

/** Undefined for separate words: `and/or`, `re-run`. */
function kindOfJoined(run: Run, text: string, from: number, end: number): TermKind | undefined {
  const { letters, digits, slashes, hyphens, dots, innerDots, isMixed } = run
  const isNumber = digits > 0 && hyphens === 0 && slashes === 0 && classAt(text, from) === DIGIT
  if (isNumber || (letters < FEWEST_LETTERS && slashes < 2)) {
    if (digits === 0) return undefined
    return dots >= 2 ? 'joined' : 'number'
  }
  if (slashes > 0) {
    const isPath = slashes > 1 || beginsName(text, from) || hasExtension(text, from, end)
    return isPath ? 'path' : undefined
  }
  return isMixed || innerDots > 0 || hyphens > 1 ? 'joined' : undefined
}

function hasExtension(text: string, from: number, end: number): boolean {
  const dot = text.lastIndexOf('.', end - 1)
  const chars = end - dot - 1
  if (dot <= from || chars < 1 || chars > LONGEST_EXTENSION_CHARS) return false
  for (let at = dot + 1; at < end; at += 1) if (classAt(text, at) === JOINT) return false
  return true
}

function readWords(text: string, from: number, end: number, visit: TermVisitor): void {
  let word = from
  for (let place = from; place <= end; place += 1) {
    const kind = place < end ? classAt(text, place) : JOINT
    if (kind !== JOINT && kind !== OTHER) continue
    if (place > word) readWord(text, word, place, visit)
    word = place + 1
  }
}

function readWord(text: string, from: number, to: number, visit: TermVisitor): void {
  if (to - from < SHORTEST_CHARS || to - from > LONGEST_CHARS) return
  const signs: Signs = { lowers: 0, uppers: 0, digits: 0, underscores: 0, isHex: true }
  for (let at = from; at < to; at += 1) {
    const kind = classAt(text, at)
    if (kind === LOWER) signs.lowers += 1
    else if (kind === UPPER) signs.uppers += 1
    else if (kind === DIGIT) signs.digits += 1
    else signs.underscores += 1
    if (kind !== DIGIT && !(kind === LOWER && text.charCodeAt(at) <= LETTER_F)) signs.isHex = false
  }
  visit(from, to, kindOfWord(signs, classAt(text, from) === UPPER))
}

interface Signs {
  lowers: number
  uppers: number
  digits: number
  underscores: number
  isHex: boolean
}

const SHORTEST_HASH_CHARS = 7

function kindOfWord(signs: Signs, isUpperFirst: boolean): TermKind {
  const { lowers, uppers, digits, underscores, isHex } = signs
  const letters = lowers + uppers
  if (underscores > 0) return letters > 0 ? 'identifier' : 'number'
  if (digits === 0) {
    if (uppers === 0) return 'word'
    // `Word` and `WORD` are words.
    return lowers === 0 || (uppers === 1 && isUpperFirst) ? 'capital' : 'identifier'
  }
  if (letters === 0) return 'number'
  // `parseV2`, `TS2322`, `3f2a9c1`; not `17px`, `h1`, `utf8`.
  if (isHex) return digits + letters >= SHORTEST_HASH_CHARS ? 'identifier' : 'number'
  return uppers > 0 && letters + digits > 3 ? 'identifier' : 'number'
}

const SLASH = 47
const DOT = 46
const HYPHEN = 45
const COLON = 58
const TILDE = 126
const AT_SIGN = 64
const LETTER_F = 102

/** A colon ends a name, as before a line number, but not in `https://`. */
function isScheme(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === COLON &&
    text.charCodeAt(at + 1) === SLASH &&
    text.charCodeAt(at + 2) === SLASH
  )
}

function beginsName(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === SLASH || code === DOT || code === TILDE || code === AT_SIGN
}

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 128) return CLASSES[code] as number
  return isMark(code) ? OTHER : LOWER
}

/** Spaces, dashes, quotes and brackets outside ASCII; other characters count as letters. */
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
  for (const mark of './-@~+\\') classes[mark.charCodeAt(0)] = JOINT
  return classes
}
