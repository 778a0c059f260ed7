// One file while a script works on it: its text now, and where the lines of its first text are in it.
// Files that are nowhere but in memory. No disk is ever read or written.
import { type FileIO, FileProblem, type Position } from './script.ts'
import { type Edit, type Replaced, SurvivingText } from './surviving-text.ts'

/** From `start` up to, not including, `end`, in UTF-16 code units. */
export interface Range {
  readonly start: number
  readonly end: number
  /** Whole lines were asked for: what is inserted after them begins on a new line. */
  readonly isLines: boolean
}

export class Document {
  readonly original: string
  #text: string
  readonly #surviving: SurvivingText
  #lineStarts: readonly number[] | undefined

  constructor(text: string) {
    this.original = text
    this.#text = text
    this.#surviving = new SurvivingText(text.length)
  }

  get text(): string {
    return this.#text
  }

  get whole(): Range {
    return { start: 0, end: this.#text.length, isLines: false }
  }

  /** The edits are in order and do not overlap. Fails before anything is built that would be too long. */
  apply(edits: readonly Edit[], maxChars: number): void {
    let length = this.#text.length
    for (const { start, end, text } of edits) length += text.length - (end - start)
    if (length > maxChars)
      throw new FileProblem(
        `The file would have ${length} characters; at most ${maxChars} are allowed`,
      )
    const pieces: string[] = []
    let from = 0
    for (const { start, end, text } of edits) {
      pieces.push(this.#text.slice(from, start), text)
      from = end
    }
    pieces.push(this.#text.slice(from))
    this.#surviving.apply(edits)
    this.#text = pieces.join('')
  }

  /** From where one position begins to where the other ends. A line is its text without the newline. */
  resolve(from: Position, to: Position): { readonly start: number; readonly end: number } {
    const [first, last] = [this.#offsets(from), this.#offsets(to)]
    const start = first ? this.#start(first.start) : this.#edge(from)
    if (!last) return { start, end: this.#edge(to) }
    // What is empty has no last character that could tell where it ends.
    const isEmpty = last.end === (first?.start ?? 0)
    return { start, end: isEmpty ? this.#start(last.end) : this.#end(last.end) }
  }

  #edge({ type }: Position): number {
    return type === 'eof' ? this.#text.length : 0
  }

  /** In the original; undefined for the ends of the text, which are those of now. */
  #offsets(position: Position): { readonly start: number; readonly end: number } | undefined {
    if (position.type === 'line') return this.#line(position.line)
    if (position.type !== 'point') return undefined
    const point = this.#point(position.line, position.column)
    return { start: point, end: point }
  }

  #line(number: number): { readonly start: number; readonly end: number } {
    this.#lineStarts ??= findLineStarts(this.original)
    const start = this.#lineStarts[number - 1]
    if (start === undefined)
      throw new FileProblem(
        `Line ${number} is out of range: the file had ${this.#lineStarts.length} lines`,
      )
    const next = this.#lineStarts[number]
    return { start, end: next === undefined ? this.original.length : next - 1 }
  }

  #point(number: number, column: number): number {
    const { start, end } = this.#line(number)
    if (column > end - start)
      throw new FileProblem(
        `Column ${column} is out of range: line ${number} had ${end - start} characters`,
      )
    if (isInsideCharacter(this.original, start + column))
      throw new FileProblem(`Column ${column} of line ${number} is in the middle of a character`)
    return start + column
  }

  #start(original: number): number {
    return existing(original, this.#surviving.startOf(original))
  }

  #end(original: number): number {
    return existing(original, this.#surviving.endOf(original))
  }
}

/** Between the two halves of a character beyond U+FFFF. */
export function isInsideCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/** The lines of all ranges: newlines and one more for each, but none if it is empty. */
export function linesIn(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
): number {
  let [count, newline] = [0, -1]
  // The ranges are in order, so that one pass finds the newlines of all of them.
  for (const { start, end } of ranges) {
    if (start === end) continue
    count += 1
    if (newline < start) newline = newlineFrom(text, start)
    for (; newline < end; newline = newlineFrom(text, newline + 1)) count += 1
  }
  return count
}

function newlineFrom(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function existing(original: number, now: number | Replaced): number {
  if (typeof now === 'number') return now
  throw new FileProblem(
    `Cannot resolve position: original offset ${original} falls inside a previously replaced region [${now.from}, ${now.to})`,
  )
}

// Registers: named texts that outlive a script, from cuts and failed files

/** Owned by whoever runs several scripts in a row; each run changes it. */
export interface EdlRegisters {
  readonly registers: Map<string, string>
  nextSavedId: number
}

export type Registers = Pick<Map<string, string>, 'get' | 'set'>

export interface SavedText {
  readonly register: string
  readonly chars: number
}

export function createRegisters(): EdlRegisters {
  return { registers: new Map(), nextSavedId: 1 }
}

/** Keeps a text that was not written, under the next free name `_saved_N`. */
export function saveText(registers: EdlRegisters, text: string): SavedText {
  const register = `_saved_${registers.nextSavedId}`
  registers.nextSavedId += 1
  registers.registers.set(register, text)
  return { register, chars: text.length }
}

export interface FileStat {
  readonly mtimeMs: number
  readonly size: number
}

export interface InMemoryOptions {
  /** What `stat` gives as the time of a change; 0 unless someone has a clock. */
  readonly nowMs?: () => number
}

export class InMemoryFileIO implements FileIO {
  readonly #files: Map<string, string>
  readonly #nowMs: () => number

  constructor(files: Readonly<Record<string, string>> = {}, options: InMemoryOptions = {}) {
    this.#files = new Map(Object.entries(files))
    this.#nowMs = options.nowMs ?? (() => 0)
  }

  async readFile(path: string): Promise<string> {
    return this.#read(path)
  }

  async readBinaryFile(path: string): Promise<Uint8Array> {
    return utf8(this.#read(path))
  }

  async writeFile(path: string, text: string): Promise<void> {
    this.writeFileSync(path, text)
  }

  writeFileSync(path: string, text: string): void {
    this.#files.set(path, text)
  }

  async fileExists(path: string): Promise<boolean> {
    return this.#files.has(path)
  }

  async mkdir(_path: string): Promise<void> {
    // A folder is there as soon as a file is in it.
  }

  /** The size is 0, whatever the file holds: its text is what counts here. */
  async stat(path: string): Promise<FileStat | undefined> {
    return this.#files.has(path) ? { mtimeMs: this.#nowMs(), size: 0 } : undefined
  }

  /** What is directly in a folder, in order. */
  async readdir(path: string): Promise<string[]> {
    const prefix = folderPrefix(path)
    const names = [...this.#files.keys()]
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length).split('/')[0] ?? '')
    return [...new Set(names)].filter((name) => name !== '').sort()
  }

  async isDirectory(path: string): Promise<boolean> {
    const prefix = folderPrefix(path)
    return [...this.#files.keys()].some((name) => name.startsWith(prefix))
  }

  async deleteFile(path: string): Promise<void> {
    this.#files.delete(path)
  }

  getFileContents(path: string): string | undefined {
    return this.#files.get(path)
  }

  #read(path: string): string {
    const text = this.#files.get(path)
    if (text !== undefined) return text
    const message = `ENOENT: no such file or directory, open '${path}'`
    throw Object.assign(new Error(message), { code: 'ENOENT' })
  }
}

function folderPrefix(path: string): string {
  return path.endsWith('/') || path === '' ? path : `${path}/`
}

/** The language alone has no encoder but the one for addresses. Half a character becomes U+FFFD. */
function utf8(text: string): Uint8Array {
  const bytes: number[] = []
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) bytes.push(code)
    else
      for (const hex of encodeURIComponent(character).split('%').slice(1))
        bytes.push(Number.parseInt(hex, 16))
  }
  return Uint8Array.from(bytes)
}
