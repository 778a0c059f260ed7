// Estimates the tokens of a text in one pass, without a tokenizer.
import { PrecisError } from '../../errors.ts'
import {
  CJK_MARK,
  DIGIT,
  FIRST_LETTER,
  JOINER,
  KINDS,
  LAST_MARK,
  LATIN,
  LETTER_COST,
  LOWER,
  MARK,
  NEWLINE,
  PAIR_BREAKS,
  PREFIX_COST,
  SPACE,
  SURROGATE,
  SYMBOL,
  UPPER,
} from './alphabet.ts'

/** The position and the cost so far, in thousandths of a token. */
interface Pass {
  readonly text: string
  at: number
  cost: number
}

const TOKEN = 1_000
const BLANK = 32
const APOSTROPHE = 39
const SLASH = 47

/**
 * Splits the text like tokenizers of the o200k family; each piece has a price fitted against o200k. Linear
 * for any text.
 */
export function estimateTokens(text: string): number {
  if (typeof text !== 'string') throw noText(text)
  const pass: Pass = { text, at: 0, cost: 0 }
  while (pass.at < text.length) {
    const code = text.charCodeAt(pass.at)
    const kind = KINDS[code] as number
    if (kind >= FIRST_LETTER) readWord(pass, pass.at, 0)
    else if (kind === SPACE || kind === NEWLINE) {
      // The common case: one space before a word.
      if (kind === SPACE && kindAt(text, pass.at + 1) >= FIRST_LETTER)
        readWord(pass, pass.at + 1, prefixCost(code))
      else readSpaces(pass)
    } else if (kind === DIGIT) readNumber(pass)
    else if (kind !== SURROGATE && kindAt(text, pass.at + 1) >= FIRST_LETTER) {
      readWord(pass, pass.at + 1, prefixCost(code))
    } else readMarks(pass, pass.at)
  }
  return Math.round(pass.cost / TOKEN)
}

function noText(given: unknown): PrecisError {
  return new PrecisError('invalid-input', `estimateTokens: expected a text, got ${typeof given}.`, {
    where: 'text',
    hint: 'Pass the text of a message, or JSON.stringify(value).',
  })
}

/** The end of the text counts as a mark: it ends words, numbers and spaces. */
function kindAt(text: string, index: number): number {
  return index < text.length ? (KINDS[text.charCodeAt(index)] as number) : MARK
}

const NUMBER_DIGITS = 3

function readNumber(pass: Pass): void {
  const from = pass.at
  do pass.at += 1
  while (kindAt(pass.text, pass.at) === DIGIT)
  pass.cost += Math.ceil((pass.at - from) / NUMBER_DIGITS) * TOKEN
}

const LONGEST_SPACES = 80
const LONGEST_NEWLINES = 8
const FURTHER_NEWLINE_COST = 60

/** Spaces up to a line end form one piece; the last space before a word or mark belongs to that. */
function readSpaces(pass: Pass): void {
  const { text } = pass
  let end = pass.at
  let lineEnd = -1
  for (; end < text.length; end += 1) {
    const kind = kindAt(text, end)
    if (kind === NEWLINE) lineEnd = end + 1
    else if (kind !== SPACE) break
  }
  if (lineEnd >= 0) {
    const further = Math.max(0, lineEnd - pass.at - LONGEST_NEWLINES)
    pass.cost += TOKEN + further * FURTHER_NEWLINE_COST
    pass.at = lineEnd
  }
  if (pass.at === end) return
  const next = kindAt(text, end)
  const atEnd = end === text.length
  const joins =
    !atEnd && (next >= FIRST_LETTER || (next <= LAST_MARK && text.charCodeAt(end - 1) === BLANK))
  const last = atEnd ? 0 : 1 // the last space is separate
  pass.cost += Math.ceil((end - pass.at - last) / LONGEST_SPACES) * TOKEN
  pass.at = end - (joins ? 1 : 0)
  if (!joins) pass.cost += last * TOKEN
  else if (next >= FIRST_LETTER) readWord(pass, end, prefixCost(text.charCodeAt(pass.at)))
  else readMarks(pass, end)
}

const TITLE_COST = 80
const UPPER_COST = 150
const UPPER_THEN_LOWER_COST = 410
const SCRIPT_WORD_COST = 450
const SCRIPT_PREFIX_COST = 500
const CONTRACTION_COST = 270
const LONG_CONTRACTIONS: ReadonlySet<string> = new Set(['ll', 've', 're'])
// With few unusual letter pairs (in tenths) a word is one token, then soon two, then more.
const FREE_BREAKS = 3
const STEEP_BREAKS = 12
const STEEP_COST = 158
const FURTHER_COST = 52

/** A word from `from` on, which may start with a mark or space; `prefix` is its cost. */
function readWord(pass: Pass, from: number, prefix: number): void {
  const { text } = pass
  let at = from
  let before = 0
  let breaks = 0
  let lowers = 0
  let uppers = 0
  let latin = 0
  let script = 0 // cost of non-Latin letters
  let code = 0
  for (; at < text.length; at += 1) {
    code = text.charCodeAt(at)
    const kind = KINDS[code] as number
    if (kind < FIRST_LETTER) break
    if (kind === LOWER) lowers += 1
    else if (kind === UPPER) {
      if (lowers > 0) break // camelCase: a new word
      uppers += 1
    } else {
      before = 0
      if (kind === LATIN) {
        latin += 1
        lowers += 1
      } else script += LETTER_COST[kind] as number
      continue
    }
    breaks += PAIR_BREAKS[(before << 5) | (code & 31)] as number
    before = code & 31
  }
  if (script > 0) {
    const others = (uppers + lowers) * (LETTER_COST[LOWER] as number)
    pass.cost += Math.max(
      TOKEN,
      SCRIPT_WORD_COST + Math.min(prefix, SCRIPT_PREFIX_COST) + script + others,
    )
  } else {
    const latinCost = latin * (LETTER_COST[LATIN] as number)
    pass.cost += TOKEN + prefix + latinCost + caseCost(uppers, lowers) + breakCost(breaks)
  }
  pass.at = at
  if (code === APOSTROPHE) readContraction(pass)
}

function prefixCost(code: number): number {
  return code < 128 ? (PREFIX_COST[code] as number) : (PREFIX_COST[0] as number)
}

function caseCost(uppers: number, lowers: number): number {
  if (uppers === 0) return 0
  if (uppers === 1) return lowers > 0 ? TITLE_COST : 0
  return (uppers - 1) * UPPER_COST + (lowers > 0 ? UPPER_THEN_LOWER_COST : 0)
}

function breakCost(breaks: number): number {
  if (breaks <= FREE_BREAKS) return 0
  const steep = Math.min(breaks, STEEP_BREAKS) - FREE_BREAKS
  return steep * STEEP_COST + Math.max(0, breaks - STEEP_BREAKS) * FURTHER_COST
}

/** At an apostrophe: `'s`, `'t`, `'re` belong to the word before. */
function readContraction(pass: Pass): void {
  const { text, at } = pass
  if (kindAt(text, at + 1) < FIRST_LETTER) return
  const first = text.charAt(at + 1).toLowerCase()
  const short = first === 's' || first === 't' || first === 'd' || first === 'm'
  if (!short && !LONG_CONTRACTIONS.has(first + text.charAt(at + 2).toLowerCase())) return
  pass.at += short ? 2 : 3
  pass.cost += CONTRACTION_COST
}

const REPEATED_MARK_COST = 70
const FURTHER_MARK_COST = 600
/** The cost of the first to fourth different ASCII mark of a run. */
const MARK_COSTS: readonly number[] = [1_000, 50, 270, 550]
const MARKS_AFTER_BLANK_COST = 150
const SYMBOL_COSTS: readonly number[] = [1_090, 1_850]
const CJK_MARK_COSTS: readonly number[] = [940, 640]
const HALF_EMOJI_COST = 1_090
const JOINER_COST = 1_560

/** A run of marks with the following line end; `pass.at` may be one blank before `from`. */
function readMarks(pass: Pass, from: number): void {
  const { text } = pass
  const afterBlank = from > pass.at
  let at = from
  let previous = -1
  let marks = 0
  let symbols = 0
  let cjkMarks = 0
  let cost = 0
  let ended = false // by a line's end, after which only slashes go on
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const kind = KINDS[code] as number
    if (kind === NEWLINE) {
      ended = true
      continue
    }
    if (kind > LAST_MARK || (ended && code !== SLASH)) break
    if (kind === SURROGATE) cost += HALF_EMOJI_COST
    else if (kind === JOINER) cost += JOINER_COST
    else if (code === previous) cost += REPEATED_MARK_COST
    else if (kind === SYMBOL) cost += SYMBOL_COSTS[Math.min(symbols++, 1)] as number
    else if (kind === CJK_MARK) cost += CJK_MARK_COSTS[Math.min(cjkMarks++, 1)] as number
    else cost += MARK_COSTS[marks++] ?? FURTHER_MARK_COST
    previous = code
  }
  pass.cost += Math.max(TOKEN, cost + (afterBlank && marks > 1 ? MARKS_AFTER_BLANK_COST : 0))
  pass.at = at
}
