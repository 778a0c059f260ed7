// Parses the part of JavaScript's regular expressions that can be searched in linear time.
import { type Assertion, CharSet, type RegexNode } from './program.ts'

/** An invalid pattern, or one this engine does not support. */
export class RegexProblem extends Error {}

const MAX_DEPTH = 200
/** Repetitions are unrolled. */
const MAX_REPEAT = 5_000
const EMPTY: RegexNode = { type: 'sequence', parts: [] }

export function parseRegex(source: string, flags: string): RegexNode {
  let native: RegExp
  try {
    // The native parser knows every rule and has good messages. It only parses.
    native = new RegExp(source, flags)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // Without the pattern, which the reader knows.
    throw new RegexProblem(message.split(`/${flags}: `).at(-1))
  }
  return new RegexParser(source, native).parse()
}

function isTooMuch({ repeat: { min, max } }: Quantifier): boolean {
  return min > MAX_REPEAT || (max > MAX_REPEAT && max < Number.POSITIVE_INFINITY)
}

/** Runs after the native parser: the pattern is well-formed. */
class RegexParser {
  readonly #source: string
  readonly #isUnicode: boolean
  readonly #groups: { readonly count: number; readonly areNamed: boolean }
  readonly #sets = new Map<string, CharSet>()
  #flags: { readonly i: boolean; readonly m: boolean; readonly s: boolean }
  #at = 0
  #depth = 0

  constructor(source: string, native: RegExp) {
    this.#source = source
    this.#isUnicode = native.unicode
    this.#flags = { i: native.ignoreCase, m: native.multiline, s: native.dotAll }
    this.#groups = countGroups(source)
  }

  parse(): RegexNode {
    return this.#choice()
  }

  #choice(): RegexNode {
    const options = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      options.push(this.#sequence())
    }
    return options.length === 1 ? (options[0] ?? EMPTY) : { type: 'choice', options }
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const body = this.#term()
      const quantifier = quantifierAt(this.#source, this.#at)
      if (quantifier && isTooMuch(quantifier))
        throw new RegexProblem(`a repetition counts to more than ${MAX_REPEAT}`)
      this.#at += quantifier?.length ?? 0
      parts.push(quantifier ? { type: 'repeat', body, ...quantifier.repeat } : body)
    }
    return parts.length === 1 ? (parts[0] ?? EMPTY) : { type: 'sequence', parts }
  }

  #term(): RegexNode {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return this.#class()
      case '\\':
        return this.#escape()
      case '^':
        return this.#assertion(this.#flags.m ? 'line-start' : 'text-start', 1)
      case '$':
        return this.#assertion(this.#flags.m ? 'line-end' : 'text-end', 1)
      case '.':
        return this.#set('.')
      default:
        this.#at += character.length
        return this.#literal(character.codePointAt(0) ?? 0)
    }
  }

  #group(): RegexNode {
    if (this.#depth === MAX_DEPTH)
      throw new RegexProblem(`groups are nested more than ${MAX_DEPTH} deep`)
    const { length, look, on, off } = groupAt(this.#source, this.#at)
    const outer = this.#flags
    const isOn = (flag: 'i' | 'm' | 's') =>
      (outer[flag] || on.includes(flag)) && !off.includes(flag)
    this.#flags = { i: isOn('i'), m: isOn('m'), s: isOn('s') }
    this.#at += length
    this.#depth += 1
    const body = this.#choice()
    this.#depth -= 1
    this.#at += 1 // the closing parenthesis
    this.#flags = outer
    return look ? { type: 'look', body, ...look } : body
  }

  #class(): RegexNode {
    let end = this.#at + 1
    while (this.#source[end] !== ']') end += this.#source[end] === '\\' ? 2 : 1
    return this.#set(this.#source.slice(this.#at, end + 1))
  }

  #escape(): RegexNode {
    const escaped = escapeAt(this.#source, this.#at, this.#isUnicode, this.#groups)
    switch (escaped.type) {
      case 'assertion':
        return this.#assertion(escaped.assertion, escaped.length)
      case 'set':
        return this.#set(this.#source.slice(this.#at, this.#at + escaped.length))
      case 'character':
        this.#at += escaped.length
        return this.#literal(escaped.code)
      case 'reference':
        throw new RegexProblem(
          'references to a group, as in \\1 or \\k<name>, are not supported: they cannot be searched for in linear time',
        )
    }
  }

  #assertion(assertion: Assertion, length: number): RegexNode {
    this.#at += length
    return { type: 'assertion', assertion, word: this.#setOf('\\w') }
  }

  #set(source: string): RegexNode {
    this.#at += source.length
    return { type: 'char', test: this.#setOf(source) }
  }

  #literal(code: number): RegexNode {
    return { type: 'char', test: this.#flags.i ? this.#foldedTest(code) : code }
  }

  /** Without the flag `u`, characters beyond U+FFFF have no case. */
  #foldedTest(code: number): number | CharSet {
    const hex = code.toString(16)
    if (this.#isUnicode) return this.#setOf(`\\u{${hex}}`)
    return code > 0xffff ? code : this.#setOf(`\\u${hex.padStart(4, '0')}`)
  }

  #setOf(source: string): CharSet {
    const { i, s } = this.#flags
    const flags = `${i ? 'i' : ''}${s ? 's' : ''}${this.#isUnicode ? 'u' : ''}`
    const key = `${flags}:${source}`
    const known = this.#sets.get(key)
    if (known) return known
    const made = new CharSet(source, flags)
    this.#sets.set(key, made)
    return made
  }
}

interface Quantifier {
  readonly length: number
  readonly repeat: { readonly min: number; readonly max: number; readonly isLazy: boolean }
}

/** A brace that is not a quantifier is a character. */
function quantifierAt(source: string, at: number): Quantifier | undefined {
  const found = stickyMatch(/[*+?]\??|\{(\d+)(,?)(\d*)\}\??/y, source, at)
  if (found === undefined) return undefined
  const [text = '', least, comma, most] = found
  const isLazy = text.length > 1 && text.endsWith('?')
  const repeat = { min: 0, max: Number.POSITIVE_INFINITY, isLazy }
  if (text.startsWith('*')) return { length: text.length, repeat }
  if (text.startsWith('+')) return { length: text.length, repeat: { ...repeat, min: 1 } }
  if (text.startsWith('?')) return { length: text.length, repeat: { ...repeat, max: 1 } }
  const min = Number(least)
  const end = most === '' ? repeat.max : Number(most)
  return { length: text.length, repeat: { min, max: comma === '' ? min : end, isLazy } }
}

interface GroupOpening {
  readonly length: number
  readonly look?: { readonly isBehind: boolean; readonly isNegated: boolean }
  /** Inline flags, as in `(?i-m:`. */
  readonly on: string
  readonly off: string
}

function groupAt(source: string, at: number): GroupOpening {
  const plain = { on: '', off: '' }
  const look = stickyMatch(/\(\?(<?)([=!])/y, source, at)
  if (look) {
    const [text, behind, sign] = look
    return {
      ...plain,
      length: text.length,
      look: { isBehind: behind === '<', isNegated: sign === '!' },
    }
  }
  const flags = stickyMatch(/\(\?([ims]*)(?:-([ims]*))?:/y, source, at)
  if (flags) return { length: flags[0].length, on: flags[1] ?? '', off: flags[2] ?? '' }
  const named = stickyMatch(/\(\?<[^>]*>/y, source, at)
  return { ...plain, length: named?.[0].length ?? 1 }
}

interface Groups {
  readonly count: number
  readonly areNamed: boolean
}

/** Capturing groups decide the meaning of `\1` and `\k`. */
function countGroups(source: string): Groups {
  let [count, areNamed] = [0, false]
  for (const [found] of source.matchAll(
    /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<(?![=!]))?)?/g,
  )) {
    if (found === '(' || found === '(?<') count += 1
    if (found === '(?<') areNamed = true
  }
  return { count, areNamed }
}

type Escape =
  | { readonly type: 'assertion'; readonly length: number; readonly assertion: Assertion }
  | { readonly type: 'set'; readonly length: number }
  | { readonly type: 'character'; readonly length: number; readonly code: number }
  | { readonly type: 'reference' }

const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11 }

/** The escape at a backslash outside a class. */
function escapeAt(source: string, at: number, isUnicode: boolean, groups: Groups): Escape {
  const letter = String.fromCodePoint(source.codePointAt(at + 1) ?? 0)
  if (letter === 'b') return { type: 'assertion', length: 2, assertion: 'word-boundary' }
  if (letter === 'B') return { type: 'assertion', length: 2, assertion: 'no-word-boundary' }
  if (/[dDwWsS]/.test(letter)) return { type: 'set', length: 2 }
  const property = isUnicode ? stickyMatch(/\\[pP]\{[^}]*\}/y, source, at) : undefined
  if (property) return { type: 'set', length: property[0].length }
  if (letter === 'k' && (isUnicode || groups.areNamed)) return { type: 'reference' }
  if (/\d/.test(letter)) return numberEscape(source, at, isUnicode, groups)
  const control = CONTROLS[letter]
  if (control !== undefined) return character(2, control)
  return codeEscape(source, at, isUnicode) ?? character(1 + letter.length, letter.codePointAt(0))
}

/** `\1` is a reference if that group exists; otherwise an octal number or the digit. */
function numberEscape(source: string, at: number, isUnicode: boolean, groups: Groups): Escape {
  const [digits] = stickyMatch(/\d+/y, source, at + 1) ?? ['']
  if (!digits.startsWith('0') && (isUnicode || Number(digits) <= groups.count))
    return { type: 'reference' }
  const octal = stickyMatch(/[0-3][0-7]{0,2}|[4-7][0-7]?/y, source, at + 1)
  if (octal) return character(1 + octal[0].length, Number.parseInt(octal[0], 8))
  return character(2, digits.charCodeAt(0))
}

/** `\cJ`, `\x41`, `\u0041`, `\u{41}`; undefined if the letter stands for itself. */
function codeEscape(source: string, at: number, isUnicode: boolean): Escape | undefined {
  const control = stickyMatch(/\\c([A-Za-z])/y, source, at)
  if (control) return character(3, (control[1] ?? '').charCodeAt(0) % 32)
  // A backslash before a lone `c` stands for itself; the letter follows.
  if (source[at + 1] === 'c') return character(1, '\\'.charCodeAt(0))
  if (isUnicode) {
    const pair = stickyMatch(
      /\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/y,
      source,
      at,
    )
    if (pair) {
      const [high, low] = [pair[1], pair[2]].map((half) => Number.parseInt(half ?? '', 16))
      return character(12, String.fromCharCode(high ?? 0, low ?? 0).codePointAt(0))
    }
    const braced = stickyMatch(/\\u\{([\da-fA-F]+)\}/y, source, at)
    if (braced) return character(braced[0].length, Number.parseInt(braced[1] ?? '', 16))
  }
  const hex = stickyMatch(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/y, source, at)
  return hex && character(hex[0].length, Number.parseInt(hex[1] ?? hex[2] ?? '', 16))
}

function character(length: number, code = 0): Escape {
  return { type: 'character', length, code }
}

function stickyMatch(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
