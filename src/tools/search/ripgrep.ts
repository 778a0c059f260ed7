// A search by ripgrep, which is fast; kept to the rules that the search without it has, too. Only lines that
// the files of the workspace really hold are shown.
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/ports.ts'
import { checkoutOf, commandEnvironment, realPath, safePath } from '../process/environment.ts'
import { isInside } from '../workspace.ts'
import { type Hit, lineAround, nameFilter, type SearchMatch, type SearchRequest } from './find.ts'
import { OwnLines } from './own-lines.ts'

/** Undefined if it is not on this machine. One in the checkout is not taken, nor one on a relative path. */
export function findRipgrep(root: string, path = process.env.PATH ?? ''): string | undefined {
  const checkout = checkoutOf(root)
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
    child.stdout.destroy() // what is not read of it would keep its end from coming
    const complaint = await ended
    if (complaint !== undefined && stopped === undefined && !signal.aborted) throw complaint
    return { hits, ...(stopped && { stopped }) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
  }
}

/** Hidden files yes, git's own folder no; only .gitignore decides, also outside repositories. */
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

/** Resolves with what it complained of, when it has ended; 1 only says that nothing was found. */
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

/** Text, or bytes where it is no UTF-8. */
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
