// The tokens of a shell command: words with quotes and variables resolved, operators, here-documents.

export interface ShellWord {
  /** As the command receives it; absent if unknown. */
  readonly text?: string
  readonly raw: string
  readonly isQuoted?: true
  readonly glob?: true
}

export type Sign =
  | { readonly kind: 'word'; readonly word: ShellWord }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'redirection'; readonly text: string }

const OPERATORS = ['&&', '||', '|&', ';;', ';', '|', '&', '(', ')', '\n']
const REDIRECTIONS = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '>&', '>>', '>|', '<', '>']
const ENDS_WORD = ' \t\n;&|()<>'
/** Limits the search for its end. */
const LONGEST_ARITHMETIC_CHARS = 400
const PLAIN = /[^ \t\n;&|()<>'"\\$`*?[]*/y
const PLAIN_IN_QUOTES = /[^"\\$`]*/y

interface FoundWord {
  text: string | undefined
  isQuoted: boolean
  glob: boolean
}

function add(found: FoundWord, more: string | undefined): void {
  found.text = found.text === undefined || more === undefined ? undefined : found.text + more
}

interface Hereafter {
  readonly delimiter: string
  readonly isIndented: boolean
}

/** Reads the text once, and goes back only for loops. Never throws. */
export class ShellText {
  readonly text: string
  readonly variables = new Map<string, string | undefined>()
  at = 0
  #awaited: Hereafter[] = []
  /** Characters read, including repeated ones. */
  scanned = 0

  constructor(text: string) {
    this.text = text
  }

  next(): Sign | undefined {
    const start = this.at
    const sign = this.#next()
    this.scanned += this.at - start
    return sign
  }

  #next(): Sign | undefined {
    this.#skipBlank()
    if (this.at >= this.text.length) return undefined
    const redirection = this.#redirection()
    if (redirection !== undefined) return { kind: 'redirection', text: redirection }
    const operator = OPERATORS.find((sign) => this.text.startsWith(sign, this.at))
    if (operator === undefined) return { kind: 'word', word: this.word() }
    this.at += operator.length
    if (operator === '\n') this.#skipHereDocuments()
    return { kind: 'operator', text: operator }
  }

  /** The text of `<<` follows on later lines. */
  awaitHereDocument(delimiter: string, isIndented: boolean): void {
    this.#awaited.push({ delimiter, isIndented })
  }

  skipSpaces(): void {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at += 1
  }

  /** Called after the first bracket of `((…))`; false for anything else. */
  skipArithmetic(): boolean {
    if (this.text[this.at] !== '(') return false
    const end = this.text.slice(this.at, this.at + LONGEST_ARITHMETIC_CHARS).indexOf('))')
    if (end >= 0) this.at += end + 2
    return end >= 0
  }

  #skipBlank(): void {
    for (;;) {
      this.skipSpaces()
      if (this.text.startsWith('\\\n', this.at)) this.at += 2
      else if (this.text[this.at] === '#') {
        const end = this.text.indexOf('\n', this.at)
        this.at = end === -1 ? this.text.length : end
      } else return
    }
  }

  #redirection(): string | undefined {
    let at = this.at
    while (isDigit(this.text[at]) && at - this.at < 3) at += 1
    const sign = REDIRECTIONS.find((candidate) => this.text.startsWith(candidate, at))
    if (sign === undefined || (at > this.at && sign.startsWith('&'))) return undefined
    const descriptor = this.text.slice(this.at, at)
    this.at = at + sign.length
    return `${descriptor}${sign}`
  }

  #skipHereDocuments(): void {
    for (const { delimiter, isIndented } of this.#awaited) {
      while (this.at < this.text.length) {
        const end = this.text.indexOf('\n', this.at)
        const stop = end === -1 ? this.text.length : end
        const line =
          stop - this.at > delimiter.length + 64 ? undefined : this.text.slice(this.at, stop)
        this.at = Math.min(this.text.length, stop + 1)
        if ((isIndented ? line?.replace(/^\t+/, '') : line) === delimiter) break
      }
    }
    this.#awaited = []
  }

  /** Up to the next blank or operator. */
  word(): ShellWord {
    const start = this.at
    const found: FoundWord = { text: '', isQuoted: false, glob: false }
    while (this.at < this.text.length) {
      add(found, this.#run(PLAIN))
      const sign = this.text[this.at] ?? ''
      if (sign === '' || ENDS_WORD.includes(sign)) break
      this.at += 1
      if (sign === "'") add(found, this.#single(found))
      else if (sign === '"') this.#double(found)
      else if (sign === '\\') add(found, this.#escaped())
      else if (sign === '$' || sign === '`') add(found, this.#expanded(sign, false))
      else {
        found.glob = true
        add(found, sign)
      }
    }
    // Skip a misplaced character, so that reading always advances.
    if (this.at === start) this.at += 1
    return {
      raw: this.text.slice(start, this.at),
      ...(found.text !== undefined && { text: found.text }),
      ...(found.isQuoted && { isQuoted: true as const }),
      ...(found.glob && { glob: true as const }),
    }
  }

  /** A run of literal characters. */
  #run(expression: RegExp): string {
    expression.lastIndex = this.at
    const run = expression.exec(this.text)?.[0] ?? ''
    this.at += run.length
    return run
  }

  #single(found: { isQuoted: boolean }): string {
    found.isQuoted = true
    const end = this.text.indexOf("'", this.at)
    const stop = end === -1 ? this.text.length : end
    const value = this.text.slice(this.at, stop)
    this.at = Math.min(this.text.length, stop + 1)
    return value
  }

  #double(found: FoundWord): void {
    found.isQuoted = true
    while (this.at < this.text.length) {
      add(found, this.#run(PLAIN_IN_QUOTES))
      const sign = this.text[this.at] ?? ''
      this.at += 1
      if (sign === '"') return
      if (sign === '\\' && '"\\$`\n'.includes(this.text[this.at] ?? ' '))
        add(found, this.#escaped())
      else if (sign === '$' || sign === '`') add(found, this.#expanded(sign, true))
      else add(found, sign)
    }
  }

  #escaped(): string {
    const sign = this.text[this.at] ?? ''
    this.at += 1
    return sign === '\n' ? '' : sign
  }

  /** A variable's value, if assigned in the same command. */
  #expanded(sign: string, isQuoted: boolean): string | undefined {
    const after = this.text[this.at] ?? ''
    if (sign === '`') return this.#skipTo('`')
    if (after === '(') return this.#skipNested()
    const name = this.#variableName(after)
    if (name === '') return ENDS_WORD.includes(after) || after === '"' ? '$' : undefined
    const value = this.variables.get(name)
    const isPlain = value !== undefined && (isQuoted || !/[\s*?[]/.test(value))
    return isPlain ? value : undefined
  }

  #variableName(after: string): string {
    const isBraced = after === '{'
    const start = isBraced ? this.at + 1 : this.at
    let end = start
    while (isNameSign(this.text[end])) end += 1
    if (isBraced && this.text[end] !== '}') {
      this.#skipTo('}')
      return ''
    }
    this.at = isBraced ? end + 1 : end
    return this.text.slice(start, end)
  }

  #skipTo(sign: string): undefined {
    const end = this.text.indexOf(sign, this.at)
    this.at = end === -1 ? this.text.length : end + 1
    return undefined
  }

  /** `$(…)` including quotes. Its result is not in the text. */
  #skipNested(): undefined {
    let depth = 0
    while (this.at < this.text.length) {
      const sign = this.text[this.at]
      this.at += 1
      if (sign === '(') depth += 1
      else if (sign === ')') depth -= 1
      else if (sign === '\\') this.at += 1
      else if (sign === "'" || sign === '"') this.#skipTo(sign)
      if (depth === 0) return undefined
    }
    return undefined
  }
}

function isDigit(sign: string | undefined): boolean {
  return sign !== undefined && sign >= '0' && sign <= '9'
}

function isNameSign(sign: string | undefined): boolean {
  return sign !== undefined && /^\w$/.test(sign)
}
