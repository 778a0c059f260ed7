// The files `compact` carries over: their current content, or why it cannot be shown.
import { PrecisError } from '../../core/errors.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { isErrno } from '../files/file-errors.ts'
import { openInWorkspace, readFileKind } from '../files/open-file.ts'
import { binaryFile } from '../files/read.ts'
import { count } from '../process/limit-output.ts'
import type { Workspace } from '../workspace.ts'

export type ContextFile =
  | { readonly path: string; readonly content: string; readonly isCut?: boolean }
  | { readonly path: string; readonly error: string }

export interface ContextFileLimits {
  readonly totalChars?: number
  readonly files?: number
  /** Room in the window; absent if unknown. */
  readonly maxTokens?: number
}

const MOST_CHARS = 100_000
const MOST_FILES = 100

/** Each file once, in the given order and under the given path. Never rejects for a file. */
export async function readContextFiles(
  workspace: Workspace,
  paths: readonly string[],
  limits: ContextFileLimits = {},
): Promise<ContextFile[]> {
  const { totalChars = MOST_CHARS, files: maxFiles = MOST_FILES, maxTokens } = limits
  // Also limits characters, because one large file must leave room for the others.
  const mostChars = (maxTokens ?? Number.POSITIVE_INFINITY) * CHARS_PER_TOKEN
  const files: ContextFile[] = []
  const seen = new Set<string>()
  let left = totalChars
  let carried = 0
  for (const path of paths) {
    const name = workspace.nameOf(path)
    if (seen.has(name)) continue
    seen.add(name)
    const file = await readOne(workspace, path, Math.max(1, Math.min(left, mostChars)))
    // An unreadable file is reported as such, not as lack of room.
    if ('content' in file && (carried >= maxFiles || left <= 0)) {
      const limit = left <= 0 ? `${count(totalChars)} characters` : `${count(maxFiles)} files`
      files.push({ path, error: `left out: no more than ${limit} are carried over; read it again` })
      continue
    }
    if ('content' in file) {
      left -= file.content.length
      carried += 1
    }
    files.push(file)
  }
  return withoutMostErrors(maxTokens === undefined ? files : withinTokens(files, maxTokens))
}

/** Limits the list of unreadable files, which would take the thread's room. */
const MOST_ERRORS = 20
const MOST_ERROR_CHARS = 300

/** The first errors with their reasons, the number of others, and all readable files. */
function withoutMostErrors(files: readonly ContextFile[]): ContextFile[] {
  let errors = 0
  const shown = files.flatMap((file): ContextFile[] => {
    if (!('error' in file)) return [file]
    errors += 1
    if (errors > MOST_ERRORS) return []
    const { path, error } = file
    return [{ path: cutHead(path, MOST_ERROR_CHARS), error: cutHead(error, MOST_ERROR_CHARS) }]
  })
  if (errors <= MOST_ERRORS) return shown
  const path = `${count(errors - MOST_ERRORS)} more`
  return [...shown, { path, error: 'not carried over either; read again what is needed' }]
}

/** No human text has more characters per token. */
const CHARS_PER_TOKEN = 8
/** Less of a file would be useless. */
const FEWEST_TOKENS = 50

/** Keeps small files whole and cuts the others to the longest common length that fits. */
function withinTokens(files: readonly ContextFile[], maxTokens: number): ContextFile[] {
  const weights = files.map((file) => ('content' in file ? estimateTokens(file.content) : 0))
  const most = longestThatFits(weights, maxTokens)
  return files.map((file, at) => {
    if ('error' in file || (weights[at] ?? 0) <= most) return file
    const { path, content } = file
    if (most < FEWEST_TOKENS)
      return { path, error: 'left out: the window has no room for it; read it again' }
    const head = cutToTokens(content, most - CUT_TOKENS)
    return { path, content: `${head}\n${CUT}; read the rest again]`, isCut: true }
  })
}

function longestThatFits(weights: readonly number[], maxTokens: number): number {
  const sorted = weights.filter((weight) => weight > 0).toSorted((a, b) => a - b)
  let left = maxTokens
  for (const [at, weight] of sorted.entries()) {
    const share = left / (sorted.length - at)
    if (weight > share) return share
    left -= weight
  }
  return Number.POSITIVE_INFINITY
}

const CUT = '[cut here: all files together may have no more'
const CUT_TOKENS = 20
/** More rounds would gain only a few characters. */
const TRIES = 12

function cutToTokens(text: string, maxTokens: number): string {
  let head = text
  for (let tried = 0; tried < TRIES; tried += 1) {
    const tokens = estimateTokens(head)
    if (tokens <= maxTokens) break
    head = cutHead(head, Math.floor(head.length * Math.min(0.95, maxTokens / tokens)))
  }
  return head
}

/** The longest UTF-8 encoding of a character. */
const MAX_CHAR_BYTES = 4

async function readOne(workspace: Workspace, path: string, room: number): Promise<ContextFile> {
  try {
    const { place, file } = await openInWorkspace(workspace, path)
    try {
      const { size } = await file.stat()
      const start = Buffer.alloc(Math.min(size, room * MAX_CHAR_BYTES))
      const { bytesRead } = await file.read(start, 0, start.length, 0)
      const bytes = start.subarray(0, bytesRead)
      if (readFileKind(bytes).kind !== 'text') throw binaryFile(place.name)
      const text = new TextDecoder().decode(bytes, { stream: true })
      if (text.length <= room && bytesRead >= size) return { path, content: text }
      const head = cutHead(text, room)
      const rest = `${CUT}; the file has ${count(size)} bytes]`
      return { path, content: `${head}\n${rest}`, isCut: true }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isErrno(error) || PrecisError.is(error)) return { path, error: error.message }
    throw error
  }
}
