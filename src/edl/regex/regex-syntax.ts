// The small forms of a regular expression: quantifiers, openings of groups, escapes.
import type { Assertion } from './program.ts'

export interface Quantifier {
  readonly length: number
  readonly repeat: { readonly min: number; readonly max: number; readonly isLazy: boolean }
}

/** A brace that is no quantifier is a character. */
export function quantifierAt(source: string, at: number): Quantifier | undefined {
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

export interface GroupOpening {
  readonly length: number
  readonly look?: { readonly isBehind: boolean; readonly isNegated: boolean }
  /** Flags switched on and off inside, as in `(?i-m:`. */
  readonly on: string
  readonly off: string
}

export function groupAt(source: string, at: number): GroupOpening {
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

export interface Groups {
  readonly count: number
  readonly areNamed: boolean
}

/** Groups that capture: they decide what `\1` and `\k` mean. */
export function countGroups(source: string): Groups {
  let [count, areNamed] = [0, false]
  for (const [found] of source.matchAll(
    /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<(?![=!]))?)?/g,
  )) {
    if (found === '(' || found === '(?<') count += 1
    if (found === '(?<') areNamed = true
  }
  return { count, areNamed }
}

export type Escape =
  | { readonly type: 'assertion'; readonly length: number; readonly assertion: Assertion }
  | { readonly type: 'set'; readonly length: number }
  | { readonly type: 'character'; readonly length: number; readonly code: number }
  | { readonly type: 'reference' }

const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11 }

/** The escape at a backslash outside of a class. */
export function escapeAt(source: string, at: number, isUnicode: boolean, groups: Groups): Escape {
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

/** `\1` is a reference if there is such a group, and otherwise an old octal number or the digit. */
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
  // A backslash before a lone `c` stands for itself, and the letter comes next.
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
