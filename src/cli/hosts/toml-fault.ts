// Finds the first invalid line of a TOML file: a broken file must not be extended.

// Finds the first invalid line of a TOML file: a broken file must not be extended.

interface Fault {
  readonly line: number
  readonly why: string
}

const KEY = String.raw`(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`

const KEYS = String.raw`${KEY}(?:[ \t]*\.[ \t]*${KEY})*`

const REST = /[ \t]*(?:#[^\n]*)?(?=\r?\n|$)/y

const HEADER = new RegExp(String.raw`\[[ \t]*${KEYS}[ \t]*\]|\[\[[ \t]*${KEYS}[ \t]*\]\]`, 'y')

const ASSIGNMENT = new RegExp(String.raw`${KEYS}[ \t]*=[ \t]*`, 'y')

const BLANK = /(?:\s|#[^\n]*(?=\n|$))*/y

const STRING =
  /"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*'/y

const BARE = /true|false|[+-]?(?:inf|nan)|[+-]?\d[\w.:+-]*(?: \d\d:\d\d[\w.:+-]*)?/y

/** Undefined if its structure is valid. Does not check types, dates and duplicate keys. */
export function tomlFault(text: string): Fault | undefined {
  const reader = new Reader(text)
  try {
    reader.document()
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof Broken)) throw thrown
    return { line: text.slice(0, reader.at).split('\n').length, why: thrown.message }
  }
}

class Broken extends Error {}

class Reader {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): void {
    for (;;) {
      this.#skip(BLANK)
      if (this.at >= this.#text.length) return
      if (this.#text[this.at] === '[') this.#require(HEADER, 'a table is not closed')
      else this.#assignment()
      this.#require(REST, 'something stands behind the end of a value or a table')
    }
  }

  #assignment(): void {
    this.#require(ASSIGNMENT, 'a line is neither a table nor `key = value`')
    this.#value()
  }

  #value(): void {
    const first = this.#text[this.at]
    if (first === '[') this.#list(']', () => this.#value())
    else if (first === '{') this.#list('}', () => this.#assignment())
    else if (first === '"' || first === "'") this.#require(STRING, 'a text is not closed')
    else this.#require(BARE, 'a value is missing or is not one')
  }

  #list(end: string, each: () => void): void {
    const begin = this.at
    this.at += 1
    for (;;) {
      this.#skip(BLANK)
      if (this.#text[this.at] === end) break
      this.#requireInside(begin)
      each()
      this.#skip(BLANK)
      if (this.#text[this.at] === ',') this.at += 1
      else if (this.#text[this.at] !== end) {
        this.#requireInside(begin)
        throw new Broken('a comma is missing in a list')
      }
    }
    this.at += 1
  }

  /** The line where it begins is more helpful than the end of the file. */
  #requireInside(begin: number): void {
    if (this.at < this.#text.length) return
    this.at = begin
    throw new Broken('a list is not closed')
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const found = pattern.test(this.#text)
    if (found) this.at = pattern.lastIndex
    return found
  }

  #require(pattern: RegExp, why: string): void {
    if (!this.#skip(pattern)) throw new Broken(why)
  }
}
