// Parses a whole script, or reports where and why it is invalid.

import { ScriptProblem } from './problem.ts'
import { compileRegex } from './regex/compile-regex.ts'
import { RegexProblem } from './regex/parse-regex.ts'
import {
  abridged,
  type Command,
  type EdlLimits,
  type Pattern,
  type Position,
  SEARCHES,
  type Value,
  WRITES,
} from './script.ts'
import { type Token, Tokens } from './tokens.ts'

export interface ParseFailure {
  readonly message: string
  readonly line: number // from 1
  readonly column: number // from 1
  readonly hint?: string
}

export type ParseResult =
  | { readonly ok: true; readonly commands: readonly Command[] }
  | { readonly ok: false; readonly failure: ParseFailure }

export function parse(script: string, limits: EdlLimits): ParseResult {
  const { scriptChars } = limits
  if (script.length > scriptChars) {
    const message = `The script has ${script.length} characters; at most ${scriptChars} are allowed`
    return { ok: false, failure: { message, line: 1, column: 1 } }
  }
  try {
    return { ok: true, commands: new Parser(script, limits.commands).commands() }
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error
    const before = script.slice(0, error.offset)
    const line = before.split('\n').length
    const column = error.offset - before.lastIndexOf('\n')
    const hint = hintFor(script)
    const { message } = error
    return { ok: false, failure: { message, line, column, ...(hint && { hint }) } }
  }
}

class Parser {
  readonly #script: string
  readonly #tokens: Tokens
  readonly #mostCommands: number

  constructor(script: string, mostCommands: number) {
    this.#script = script
    this.#tokens = new Tokens(script)
    this.#mostCommands = mostCommands
  }

  commands(): Command[] {
    if (!this.#script.isWellFormed())
      throw new ScriptProblem(
        'The script holds half a character (a lone surrogate)',
        this.#script.search(/\p{Surrogate}/u),
      )
    const commands: Command[] = []
    for (let token = this.#tokens.next(); token; token = this.#tokens.next()) {
      if (commands.length === this.#mostCommands)
        throw new ScriptProblem(
          `The script has more than ${this.#mostCommands} commands`,
          token.offset,
        )
      commands.push(this.#command(token))
    }
    return commands
  }

  #command({ kind, text, offset }: Token): Command {
    if (kind !== 'word') throw new ScriptProblem(`Expected command, got ${kind}`, offset)
    const search = SEARCHES.find((name) => name === text)
    if (search) return { name: search, pattern: this.#pattern() }
    const write = WRITES.find((name) => name === text)
    if (write) return { name: write, value: this.#value(write) }
    switch (text) {
      case 'file':
      case 'newfile':
        return { name: text, path: this.#path() }
      case 'retain_first':
      case 'retain_last':
      case 'delete':
        return { name: text }
      case 'retain_nth':
        return { name: text, index: this.#integer() }
      case 'cut':
        return { name: text, register: this.#register() }
      default:
        throw new ScriptProblem(`Unknown command: ${text}`, offset)
    }
  }

  #path(): string {
    const { text, offset } = this.#expect('path', this.#tokens.nextPath())
    if (text === '') throw new ScriptProblem('Empty path', offset)
    return text
  }

  #integer(): number {
    const { text, offset, kind } = this.#expect('integer', this.#tokens.next())
    if (kind !== 'word' || !/^-?\d{1,9}$/.test(text))
      throw new ScriptProblem(`Expected integer, got ${kind === 'word' ? text : kind}`, offset)
    return Number(text)
  }

  #register(): string {
    const { text, offset, kind } = this.#expect('register name', this.#tokens.next())
    if (kind !== 'word') throw new ScriptProblem(`Expected register name, got ${kind}`, offset)
    if (isPositional(text))
      throw new ScriptProblem(
        `Invalid register name: ${text} is a position. cut operates on the current selection`,
        offset,
      )
    return text
  }

  #pattern(): Pattern {
    const token = this.#expect('pattern', this.#tokens.next())
    const { kind, text, offset } = token
    switch (kind) {
      case 'heredoc':
        return { type: 'lines', text }
      case 'regex':
        return regexPattern(token)
      case 'quoted string':
        throw new ScriptProblem(
          'Unexpected quoted string in pattern position. Use a heredoc for line selection or regex for inline selection.',
          offset,
        )
      case 'path literal':
        throw new ScriptProblem('Unexpected path literal in pattern position', offset)
      case 'word': {
        const pattern = positionalPattern(text)
        if (pattern) return pattern
        throw new ScriptProblem(`Invalid pattern: ${text}`, offset)
      }
    }
  }

  #value(command: string): Value {
    const { kind, text, offset } = this.#expect('text or register', this.#tokens.next())
    switch (kind) {
      case 'heredoc':
        return { type: 'text', text: `${text}\n` }
      case 'quoted string':
        return { type: 'text', text }
      case 'word':
        if (!isPositional(text)) return { type: 'register', name: text }
        throw new ScriptProblem(
          `${command} operates on the current selection and takes no position: select ${text} first, then ${command} with a heredoc, a quoted string or a register`,
          offset,
        )
      default:
        throw new ScriptProblem(`Expected text or register, got ${kind}`, offset)
    }
  }

  #expect(thing: string, token: Token | undefined): Token {
    if (token) return token
    throw new ScriptProblem(`Expected ${thing}, got end of input`, this.#script.length)
  }
}

function regexPattern({ text, flags, offset }: Token): Pattern {
  const source = `/${text}/${flags}`
  try {
    return { type: 'regex', source, program: compileRegex(text, flags) }
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error
    throw new ScriptProblem(`Invalid regex ${abridged(source)}: ${error.message}`, offset)
  }
}

/** `bof`, `3`, `3:`, `3:0`, or two of them joined by a hyphen. Lines start at 1. */
const POSITION = '(?:bof|eof|[0-9]{1,9}(?::[0-9]{0,9})?)'
const POSITIONAL = new RegExp(`^(${POSITION})(?:-(${POSITION}))?$`)

function isPositional(word: string): boolean {
  return POSITIONAL.test(word)
}

function positionalPattern(source: string): Pattern | undefined {
  const [, first, second] = POSITIONAL.exec(source) ?? []
  if (first === undefined) return undefined
  const from = findPosition(first)
  if (second === undefined) return from && { type: 'position', source, position: from }
  const to = findPosition(second)
  return from && to && { type: 'range', source, from, to }
}

function findPosition(word: string): Position | undefined {
  if (word === 'bof' || word === 'eof') return { type: word }
  const [line, column = ''] = word.split(':')
  if (Number(line) === 0) return undefined
  if (column === '') return { type: 'line', line: Number(line) }
  return { type: 'point', line: Number(line), column: Number(column) }
}

/** A delimiter that also occurs in the text ends it too early. */
function hintFor(script: string): string | undefined {
  const lines = script.split('\n')
  const markers = script.matchAll(/<<(?:(\w+)|'([^'\n]+)')/g)
  const delimiters = new Set(Array.from(markers, ([, bare, quoted]) => bare ?? quoted ?? ''))
  const counts = new Map<string, number>()
  for (const line of lines) if (delimiters.has(line)) counts.set(line, (counts.get(line) ?? 0) + 1)
  const repeated = [...delimiters].find((delimiter) => (counts.get(delimiter) ?? 0) > 1)
  if (repeated !== undefined)
    return `The heredoc delimiter ${repeated} stands alone on more than one line. Use a unique terminator for each heredoc, one that no line of its text equals.`
  const isCarriageReturned = lines.some(
    (line) => delimiters.has(line.replace(/\r$/, '')) && line.endsWith('\r'),
  )
  if (!isCarriageReturned) return undefined
  return 'The lines of the script end with CRLF; a heredoc ends with its delimiter and a line feed alone.'
}
