// Reads the syntax of JavaScript's regular expressions, as far as they can be searched for in linear time.
import { type Assertion, CharSet, type RegexNode } from './program.ts'
import { countGroups, escapeAt, groupAt, type Quantifier, quantifierAt } from './regex-syntax.ts'

/** A pattern that is no pattern, or that this engine does not run. */
export class RegexProblem extends Error {}

const MAX_DEPTH = 200
/** Repetitions are written out one by one. */
const MAX_REPEAT = 5_000
const EMPTY: RegexNode = { type: 'sequence', parts: [] }

export function parseRegex(source: string, flags: string): RegexNode {
  let native: RegExp
  try {
    // The native parser knows every rule, and says well what is wrong. It only reads; nothing runs.
    native = new RegExp(source, flags)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // Without the pattern, which the native message repeats and the reader has.
    throw new RegexProblem(message.split(`/${flags}: `).at(-1))
  }
  return new RegexParser(source, native).parse()
}

function isTooMuch({ repeat: { min, max } }: Quantifier): boolean {
  return min > MAX_REPEAT || (max > MAX_REPEAT && max < Number.POSITIVE_INFINITY)
}

/** What is left after the native parser: the pattern is known to be well-formed. */
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

  /** Without the flag `u` there is no other case beyond U+FFFF. */
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
