// Walks through a folder in the order of names, follows no link, and stays out of what git ignores.
import type { Dirent } from 'node:fs'
import { open, opendir, readlink, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isErrno } from './file-errors.ts'
import { DESCRIPTORS, FOLDER } from './held-folder.ts'
import { type IgnoreRule, isIgnored, rulesAbove, rulesOf } from './ignore-rules.ts'

export interface WalkOptions {
  readonly root: string // the workspace
  readonly start: string // a folder in it
  readonly maxDepth: number // 1: only what is directly in it
  /** Asked before each folder: a walk ends early where it says so. */
  isOver(): boolean
}

export interface Walked {
  readonly path: string // absolute
  readonly name: string // relative to the workspace
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly isIgnored: boolean
}

/** Of one folder; more are not read, so that a folder of millions cannot fill the memory. */
const MOST_IN_FOLDER = 20_000
/** Git's own folder is never of interest, and large. */
const NEVER_ENTERED = '.git'

export async function* walk(options: WalkOptions): AsyncGenerator<Walked> {
  const { root, start } = options
  const rules = await rulesAbove(root)
  // The folders between the workspace and the start have rules, too; the start's own come below.
  const between = relative(root, start).split(sep).slice(0, -1)
  if (start !== root) {
    let at = root
    rules.push(...(await rulesOf(at)))
    for (const name of between) {
      at = join(at, name)
      rules.push(...(await rulesOf(at)))
    }
  }
  yield* walkFolder(options, start, rules, 1)
}

async function* walkFolder(
  options: WalkOptions,
  folder: string,
  above: readonly IgnoreRule[],
  depth: number,
): AsyncGenerator<Walked> {
  if (options.isOver()) return
  const rules = [...above, ...(await rulesOf(folder))]
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name)
    const kind = kindOf(entry)
    const ignored = entry.name === NEVER_ENTERED || isIgnored(rules, path, kind === 'folder')
    const name = relative(options.root, path).replaceAll(sep, '/')
    yield { path, name, kind, isIgnored: ignored }
    if (kind === 'folder' && !ignored && depth < options.maxDepth)
      yield* walkFolder(options, path, rules, depth + 1)
  }
}

/** In the order of names. A folder that may not be read, or is gone by now, has nothing in it. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await entriesIn(folder)
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (!isErrno(error)) throw error
    return []
  }
}

/** A folder that became a link to another one on the way has nothing in it, either. */
async function entriesIn(folder: string): Promise<Dirent[]> {
  const held = await open(folder, FOLDER)
  try {
    const through = join(DESCRIPTORS, String(held.fd))
    const at = await readlink(through).catch(() => undefined)
    if (at !== undefined) return at === folder ? await readEntries(through) : []
    // Not told on this system: the path must still lead there afterwards.
    const entries = await readEntries(folder)
    return (await realpath(folder)) === folder ? entries : []
  } finally {
    await held.close()
  }
}

async function readEntries(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder, { bufferSize: 1_024 })) {
    entries.push(entry)
    if (entries.length >= MOST_IN_FOLDER) break
  }
  return entries
}

function kindOf(entry: Dirent): Walked['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
