// Parses a shell command as far as its text shows its effect; reports hidden effects.

/** A word as written with quotes, and as the command receives it. */
export interface ShellWord {
  readonly raw: string
  readonly value: string
}

export interface ShellReading {
  /** The simple commands in order, each with at least one word. */
  readonly commands: readonly (readonly ShellWord[])[]
  /** Why the text does not show all effects: completes «it …». Undefined if it does. */
  readonly unclear?: string
}

/** Patterns are not written for longer commands. */
const LONGEST = 4_000

const SEPARATOR = /^(?:\|\||&&|\|&|;;|[;&|\n()])/
const REDIRECTION = /^(?:&>>?|\d*(?:<<<|<<-?|<>|<&|>&|>>|>\||<|>))/
const BLANK = /^(?:[ \t]|\\\n)+/
/** Characters that start a substitution. */
const SUBSTITUTIONS = '$`'
const PATTERNS = '*?['

/** Reads POSIX shell and bash. */
export function readShell(text: string): ShellReading {
  if (text.length > LONGEST) return { commands: [], unclear: 'is too long to be judged' }
  if (/(?!\n|\t)\p{Cc}/u.test(text)) {
    return { commands: [], unclear: 'has control characters' }
  }
  return new ShellReader(text).read()
}

class ShellReader {
  readonly #text: string
  readonly #commands: ShellWord[][] = [[]]
  #at = 0
  #unclear: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(): ShellReading {
    while (this.#at < this.#text.length) {
      if (this.#skip(BLANK) !== undefined) continue
      if (this.#readRedirection()) continue
      if (this.#skip(SEPARATOR) !== undefined) this.#commands.push([])
      else this.#keepWord(this.#readWord())
    }
    const commands = this.#commands.filter((words) => words.length > 0)
    return { commands, ...(this.#unclear !== undefined && { unclear: this.#unclear }) }
  }

  /** Skips what matches here. */
  #skip(expression: RegExp): string | undefined {
    const found = expression.exec(this.#text.slice(this.#at))?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #keepWord(word: ShellWord): void {
    const command = this.#commands.at(-1) ?? []
    if (command.length === 0 && [...PATTERNS].some((sign) => word.raw.includes(sign))) {
      this.#doubt('finds its command by a pattern')
    }
    command.push(word)
  }

  /** False if none starts here. Only redirections to nowhere or between streams are clear. */
  #readRedirection(): boolean {
    const operator = this.#skip(REDIRECTION)
    if (operator === undefined) return false
    this.#skip(BLANK)
    const target = this.#readWord()
    if (operator.includes('<<')) this.#doubt('brings its own input along')
    else if (/[<>]&$/.test(operator)) {
      if (!/^(?:\d+|-)$/.test(target.raw)) this.#doubt(`is redirected to ${target.raw}`)
    } else if (target.raw !== '/dev/null') this.#doubt(`is redirected to ${target.raw || '…'}`)
    return true
  }

  /** Up to the next blank or operator. Empty if no word starts here. */
  #readWord(): ShellWord {
    const start = this.#at
    let value = ''
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at] ?? ''
      if (' \t\n;&|()<>'.includes(sign)) break
      this.#at += 1
      if (sign === "'") value += this.#readUntilQuote()
      else if (sign === '"') value += this.#readDoubleQuoted()
      else if (sign === '\\') value += this.#readEscaped()
      else {
        this.#doubtSign(sign, this.#at - 1 === start)
        value += sign
      }
    }
    return { raw: this.#text.slice(start, this.#at), value }
  }

  #readUntilQuote(): string {
    const end = this.#text.indexOf("'", this.#at)
    if (end === -1) this.#doubt('has a quote that is not closed')
    const value = this.#text.slice(this.#at, end === -1 ? undefined : end)
    this.#at += value.length + 1
    return value
  }

  #readDoubleQuoted(): string {
    let value = ''
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at] ?? ''
      this.#at += 1
      if (sign === '"') return value
      if (sign === '\\' && /["\\$`\n]/.test(this.#text[this.#at] ?? ''))
        value += this.#readEscaped()
      else {
        if (SUBSTITUTIONS.includes(sign)) this.#doubtSign(sign, false)
        value += sign
      }
    }
    this.#doubt('has a quote that is not closed')
    return value
  }

  #readEscaped(): string {
    const sign = this.#text[this.#at]
    this.#at += 1
    if (sign === undefined) this.#doubt('ends in the middle')
    return sign === '\n' ? '' : (sign ?? '')
  }

  #doubtSign(sign: string, isFirst: boolean): void {
    if (SUBSTITUTIONS.includes(sign)) this.#doubt(`puts in what the text does not show (${sign})`)
    else if (sign === '{' || sign === '}')
      this.#doubt(`has a group or several words in one (${sign})`)
    // Not every shell treats it as a comment, and the rest would run.
    else if (sign === '#' && isFirst) this.#doubt('has a comment')
  }

  /** The first doubt is reported. */
  #doubt(unclear: string): void {
    this.#unclear ??= unclear
  }
}
