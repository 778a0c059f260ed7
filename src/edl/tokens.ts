// Splits a script into tokens: words, patterns between slashes, paths, quoted strings, heredocs.
import { ScriptProblem } from './problem.ts'

export type TokenKind = 'word' | 'regex' | 'path literal' | 'heredoc' | 'quoted string'

export interface Token {
  readonly kind: TokenKind
  /** Its content without slashes, quotes or delimiters. */
  readonly text: string
  /** Regex flags. */
  readonly flags: string
  /** Its index in the script. */
  readonly offset: number
}

const BLANKS = /(?:\s+|#[^\n]*)*/y
const WORD = /\S+/y
const REGEX = /\/((?:\\[^\n]|[^/\\\n])*)\/([gimsuy]*)/y
const PATH_LITERAL = /`([^`]*)`/y
const QUOTED = /"((?:\\[^\n]|[^"\\\n])*)"/y
const MARKER = /<<(?:(\w+)|'([^'\n]+)')/y
const BLANK_LINE_END = /[^\S\n]*(?:\n|$)/y

export class Tokens {
  readonly #script: string
  #at = 0

  constructor(script: string) {
    this.#script = script
  }

  /** The index of the next token. */
  get offset(): number {
    this.#at += this.#match(BLANKS)?.[0].length ?? 0
    return this.#at
  }

  /** Undefined at the end of the script. */
  next(): Token | undefined {
    const start = this.offset
    if (start === this.#script.length) return undefined
    if (this.#script.startsWith('/', start)) return this.#regex(start)
    if (this.#script.startsWith('`', start)) return this.#pathLiteral(start)
    if (this.#script.startsWith('<<', start)) return this.#heredoc(start)
    if (this.#script.startsWith('"', start)) return this.#quoted(start)
    return this.#word(start)
  }

  /** The next token as a path: in backticks, or a bare word that may start with a slash. */
  nextPath(): Token | undefined {
    const start = this.offset
    if (start === this.#script.length) return undefined
    return this.#script.startsWith('`', start) ? this.#pathLiteral(start) : this.#word(start)
  }

  #word(offset: number): Token {
    const [text = ''] = this.#match(WORD) ?? []
    this.#at += text.length
    return { kind: 'word', text, flags: '', offset }
  }

  #regex(offset: number): Token {
    const found = this.#match(REGEX)
    if (found === undefined) throw new ScriptProblem('Unterminated regex', offset)
    const [whole, text = '', flags = ''] = found
    this.#at += whole.length
    const [rest] = this.#match(WORD) ?? []
    if (rest !== undefined)
      throw new ScriptProblem(`Invalid regex flag: ${rest.charAt(0)}`, this.#at)
    return { kind: 'regex', text, flags, offset }
  }

  #pathLiteral(offset: number): Token {
    const found = this.#match(PATH_LITERAL)
    if (found === undefined) throw new ScriptProblem('Unterminated path literal', offset)
    const [whole, text = ''] = found
    this.#at += whole.length
    return { kind: 'path literal', text, flags: '', offset }
  }

  #quoted(offset: number): Token {
    const found = this.#match(QUOTED)
    if (found === undefined)
      throw new ScriptProblem(
        'Unterminated quoted string: it must end on its line; use a heredoc for several lines',
        offset,
      )
    const [whole, inside = ''] = found
    const text = inside.replaceAll(/\\([\s\S])/g, (escaped, letter: string, index: number) => {
      if (letter === '"' || letter === '\\') return letter
      throw new ScriptProblem(
        `Invalid escape sequence in quoted string: ${escaped}`,
        offset + 1 + index,
      )
    })
    this.#at += whole.length
    return { kind: 'quoted string', text, flags: '', offset }
  }

  #heredoc(offset: number): Token {
    const marker = this.#match(MARKER)
    if (marker === undefined)
      throw new ScriptProblem(
        this.#script.startsWith("<<'", offset) && !this.#script.startsWith("<<''", offset)
          ? 'Unterminated quoted heredoc marker'
          : 'Invalid heredoc marker',
        offset,
      )
    const delimiter = marker[1] ?? marker[2] ?? ''
    this.#at += marker[0].length
    const lineEnd = this.#match(BLANK_LINE_END)
    if (lineEnd === undefined)
      throw new ScriptProblem('Unexpected content after heredoc marker', this.#at)
    const body = this.#at + lineEnd[0].length
    const end = this.#lineEqualTo(delimiter, body)
    if (end === -1) throw new ScriptProblem(`Unterminated heredoc, expected ${delimiter}`, offset)
    this.#at = end + delimiter.length
    const text = end === body ? '' : this.#script.slice(body, end - 1)
    return { kind: 'heredoc', text, flags: '', offset }
  }

  /** The start of the first whole line at or after `from` that equals this. */
  #lineEqualTo(line: string, from: number): number {
    for (let at = from; ; at += 1) {
      at = this.#script.indexOf(line, at)
      if (at === -1) return -1
      const end = at + line.length
      const begins = at === from || this.#script[at - 1] === '\n'
      if (begins && (end === this.#script.length || this.#script[end] === '\n')) return at
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#script) ?? undefined
  }
}
