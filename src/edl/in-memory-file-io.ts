// Files in memory only.
import type { FileIO } from './script.ts'

export interface FileStat {
  readonly mtimeMs: number
  readonly size: number
}

export interface InMemoryOptions {
  /** The modification time in `stat`; default 0. */
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
    // A folder exists once it contains a file.
  }

  /** The size is always 0: only the text matters here. */
  async stat(path: string): Promise<FileStat | undefined> {
    return this.#files.has(path) ? { mtimeMs: this.#nowMs(), size: 0 } : undefined
  }

  /** The direct entries of a folder, sorted. */
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

/** The language itself can only encode addresses. A lone surrogate becomes U+FFFD. */
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
