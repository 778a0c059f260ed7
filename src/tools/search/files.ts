// A search without ripgrep: file by file and line by line, in JavaScript.
import { type FileHandle, stat } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { cutHead, cutTail } from '../../core/window/tokens/cut.ts'
import { isErrno } from '../files/file-errors.ts'
import { openPlace, readFileKind } from '../files/open-file.ts'
import { compileGlob, expandBraces, walk } from '../files/walk.ts'
import type { Place } from '../workspace.ts'

/** Deeper trees are link cycles or attacks. */
const MOST_LEVELS = 100

/**
 * Yields the hits of each matching file in name order. A pattern may not end, so run this off the main
 * thread.
 */
export async function* searchFiles(request: SearchRequest): AsyncGenerator<Hit[]> {
  const regex = compilePattern(request.pattern)
  let left = request.limits.hits + 1 // one more shows that there are more
  for await (const place of findPlaces(request)) {
    const hits = await searchFile(request, place, regex, left)
    left -= hits.length
    if (hits.length > 0) yield hits
    if (left === 0) return
  }
}

/** Without Unicode, `\p{…}` would silently mean something else. */
const NEEDS_UNICODE = /\\[pPu]\{/

/** With Unicode if possible; a leading `(?i)` ignores case, as in ripgrep. */
export function compilePattern(pattern: string): RegExp {
  const anyCase = /^\(\?i\)/.exec(pattern)?.[0] ?? ''
  const body = pattern.slice(anyCase.length)
  const flags = anyCase === '' ? '' : 'i'
  try {
    return new RegExp(body, `${flags}u`)
  } catch (error) {
    if (NEEDS_UNICODE.test(body)) throw error
    return new RegExp(body, flags) // accepts escapes that Unicode mode rejects
  }
}

async function* findPlaces(request: SearchRequest): AsyncGenerator<Place> {
  const { root, start, glob } = request
  const isWanted = nameFilter(glob)
  if ((await stat(start)).isFile()) {
    const name = relative(root, start).replaceAll(sep, '/')
    if (isWanted(name)) yield { path: start, name }
    return
  }
  for await (const { kind, isIgnored, path, name } of walk({
    root,
    start,
    maxDepth: MOST_LEVELS,
    isOver: () => false,
  }))
    if (kind === 'file' && !isIgnored && isWanted(name)) yield { path, name }
}

async function searchFile(
  { root, limits }: SearchRequest,
  place: Place,
  regex: RegExp,
  most: number,
): Promise<Hit[]> {
  const text = await readText(root, place, limits.fileBytes)
  if (text === undefined) return []
  const hits: Hit[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const found = line.search(regex)
    if (found === -1) continue
    const shown = lineAround(line, found, limits.lineChars)
    hits.push({ name: place.name, line: index + 1, text: shown })
    if (hits.length === most) break
  }
  return hits
}

/** Undefined for binary, large or unreadable files, which a search skips. */
async function readText(root: string, place: Place, maxBytes: number): Promise<string | undefined> {
  let file: FileHandle | undefined
  try {
    file = await openPlace(root, place)
    if ((await file.stat()).size > maxBytes) return undefined
    const bytes = await file.readFile()
    return readFileKind(bytes).kind === 'text' ? bytes.toString() : undefined
  } catch (error) {
    if (isErrno(error) || PrecisError.is(error)) return undefined
    throw error
  } finally {
    await file?.close()
  }
}

export interface SearchRequest {
  readonly root: string // the workspace
  readonly start: string // a file or folder in it, absolute
  readonly pattern: string
  readonly glob?: string
  readonly limits: SearchLimits
}

export interface SearchLimits {
  readonly hits: number
  readonly fileBytes: number // larger files are skipped
  readonly timeMs: number
  readonly lineChars: number // shown of a line
}

export const SEARCH_LIMITS: SearchLimits = {
  hits: 200,
  fileBytes: 1024 * 1024,
  timeMs: 20_000,
  lineChars: 300,
}

export interface Hit {
  readonly name: string // relative to the workspace
  readonly line: number // from 1
  readonly text: string
}

export interface SearchMatch {
  readonly hits: readonly Hit[]
  /** Why there may be more; absent if everything was searched. */
  readonly stopped?: 'hits' | 'time'
}

/** Selects files by their names relative to the workspace. */
export function nameFilter(glob: string | undefined): (name: string) => boolean {
  if (glob === undefined) return () => true
  const isNegated = glob.startsWith('!')
  const globs = expandBraces(isNegated ? glob.slice(1) : glob).map(compileGlob)
  return (name) => globs.some(({ matches }) => matches(name)) !== isNegated
}

/** A line, or the part around the match at `start`. */
export function lineAround(line: string, start: number, maxChars: number): string {
  const text = line.trimEnd()
  if (text.length <= maxChars) return text
  const before = cutTail(text.slice(0, start), maxChars / 4)
  const after = cutHead(text.slice(start), maxChars - before.length)
  const isWhole = { start: before.length === start, end: start + after.length === text.length }
  return `${isWhole.start ? '' : '…'}${before}${after}${isWhole.end ? '' : '…'}`
}
