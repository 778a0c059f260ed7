// A fast search with ripgrep, under the same rules as the search without it. Shows only lines that files of
// the workspace really contain.
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { delimiter, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/model.ts'
import { isErrno } from '../files/file-errors.ts'
import { openPlace } from '../files/open-file.ts'
import { commandEnvironment, findCheckout, realPath, safePath } from '../process/environment.ts'
import { isInside } from '../workspace.ts'
import { type Hit, lineAround, nameFilter, type SearchMatch, type SearchRequest } from './files.ts'

/** Undefined if it is not installed. Ignores one in the checkout or on a relative path. */
export function findRipgrep(root: string, path = process.env.PATH ?? ''): string | undefined {
  const checkout = findCheckout(root)
  return safePath(path, root)
    .split(delimiter)
    .map((folder) => join(folder, 'rg'))
    .find((program) => canRun(program) && !isInside(checkout, realPath(program)))
}

export async function searchByRipgrep(
  program: string,
  request: SearchRequest,
  signal: Signal,
): Promise<SearchMatch> {
  const { root, limits } = request
  const isWanted = nameFilter(request.glob)
  const own = new OwnLines(root, limits.fileBytes)
  const child = spawn(program, argumentsFor(request), {
    cwd: root,
    env: commandEnvironment(process.env, root),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = findEnd(child)
  let stopped: SearchMatch['stopped']
  const stop = (why?: SearchMatch['stopped']) => {
    stopped ??= why
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => stop('time'), limits.timeMs)
  const onAbort = () => stop()
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    const hits: Hit[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      const match = findMatch(line)
      if (match === undefined || !isWanted(match.name)) continue
      const number = await own.find(match.name, match.line, match.bytes)
      if (number === undefined) continue
      if (hits.length === limits.hits) {
        stop('hits')
        break
      }
      hits.push({ name: match.name, line: number, text: shownLine(match, limits.lineChars) })
    }
    child.stdout.destroy() // unread output would delay its end
    const complaint = await ended
    if (complaint !== undefined && stopped === undefined && !signal.aborted) throw complaint
    return { hits, ...(stopped && { stopped }) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
  }
}

/** Searches hidden files but not .git; only .gitignore decides, also outside repositories. */
function argumentsFor({ root, start, pattern, limits }: SearchRequest): string[] {
  return [
    '--no-config',
    '--json',
    '--sort=path',
    '--hidden',
    '--no-require-git',
    '--no-ignore-dot',
    '--no-ignore-exclude',
    '--no-ignore-global',
    '--no-messages',
    '--glob=!.git',
    `--max-filesize=${limits.fileBytes}`,
    `--max-count=${limits.hits + 1}`,
    `--regexp=${pattern}`,
    '--',
    relative(root, start) || '.',
  ]
}

const COMPLAINT_CHARS = 600

/** Resolves with its error when it has ended; exit code 1 only means no match. */
function findEnd(child: ChildProcess): Promise<PrecisError | undefined> {
  let complaint = ''
  child.stderr?.setEncoding('utf8')
  child.stderr?.on('data', (text: string) => {
    complaint = (complaint + text).slice(0, COMPLAINT_CHARS)
  })
  const { promise, resolve } = Promise.withResolvers<PrecisError | undefined>()
  child.on('error', (error) =>
    resolve(
      new PrecisError('internal', `ripgrep did not start: ${error.message}`, { cause: error }),
    ),
  )
  child.on('close', (code) =>
    resolve(
      code === 0 || code === 1 || complaint === '' ? undefined : wrongPattern(complaint.trim()),
    ),
  )
  return promise
}

export function wrongPattern(why: string): PrecisError {
  return new PrecisError('invalid-input', `\`pattern\` is not a valid regular expression: ${why}`, {
    hint: 'Put a backslash before signs that are meant literally, as in `\\(`.',
  })
}

/** Text, or bytes if it is not UTF-8. */
interface RipgrepText {
  readonly text?: string
  readonly bytes?: string
}
interface RipgrepMessage {
  readonly type: string
  readonly data: {
    readonly path: RipgrepText
    readonly lines: RipgrepText
    readonly line_number: number
    readonly submatches: readonly { readonly start: number }[]
  }
}

interface Match {
  readonly name: string
  readonly line: number
  readonly bytes: Buffer
  readonly startByte: number
}

function findMatch(json: string): Match | undefined {
  const { type, data }: RipgrepMessage = JSON.parse(json)
  if (type !== 'match') return undefined
  const name = decode(data.path)
    .toString()
    .replace(/^\.[\\/]/, '')
    .replaceAll(sep, '/')
  const startByte = data.submatches[0]?.start ?? 0
  return { name, line: data.line_number, bytes: decode(data.lines), startByte }
}

function shownLine({ bytes, startByte }: Match, maxChars: number): string {
  return lineAround(bytes.toString(), bytes.subarray(0, startByte).toString().length, maxChars)
}

function decode({ text, bytes }: RipgrepText): Buffer {
  return text === undefined ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(text)
}

function canRun(program: string): boolean {
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export class OwnLines {
  readonly #root: string
  readonly #maxBytes: number
  #name: string | undefined
  #lines: readonly Buffer[] = []

  constructor(root: string, maxBytes: number) {
    this.#root = root
    this.#maxBytes = maxBytes
  }

  /** The current number of that line, which may have moved. */
  async find(name: string, line: number, text: Buffer): Promise<number | undefined> {
    if (name !== this.#name) {
      this.#lines = readLines(await this.#read(name))
      this.#name = name
    }
    const wanted = bare(text)
    if (this.#lines[line - 1]?.equals(wanted)) return line
    const at = this.#lines.findIndex((each) => each.equals(wanted))
    return at === -1 ? undefined : at + 1
  }

  /** Empty for a file that is gone, a link, or too large by now. */
  async #read(name: string): Promise<Buffer> {
    let file: FileHandle | undefined
    try {
      file = await openPlace(this.#root, { path: join(this.#root, name), name })
      const isLarge = (await file.stat()).size > this.#maxBytes
      return isLarge ? Buffer.alloc(0) : await file.readFile()
    } catch (error) {
      if (isErrno(error) || PrecisError.is(error)) return Buffer.alloc(0)
      throw error
    } finally {
      await file?.close()
    }
  }
}

const LINE_BREAK = 10

function readLines(bytes: Buffer): Buffer[] {
  const text = decoded(bytes)
  const lines: Buffer[] = []
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(LINE_BREAK, start)
    lines.push(bare(text.subarray(start, end === -1 ? undefined : end)))
    if (end === -1) break
    start = end + 1
  }
  return lines
}

/** As ripgrep reads it: UTF-16 with a byte order mark, otherwise the bytes. */
function decoded(bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return Buffer.from(new TextDecoder('utf-16le').decode(bytes))
  if (mark === 'feff') return Buffer.from(new TextDecoder('utf-16be').decode(bytes))
  return bytes
}

const UTF8_MARK = Buffer.from('\ufeff')

function bare(line: Buffer): Buffer {
  const end = line.at(-1) === LINE_BREAK ? line.length - 1 : line.length
  const hasMark = line.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)
  return line.subarray(hasMark ? UTF8_MARK.length : 0, end)
}
