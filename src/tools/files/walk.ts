// Walks a folder in name order, follows no link, and skips what git ignores.
import { type Dirent, existsSync } from 'node:fs'
import { open, opendir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { matchesList } from '../../core/text/patterns.ts'
import { isErrno } from './file-errors.ts'
import { DESCRIPTORS, FOLDER } from './open-file.ts'

interface WalkOptions {
  readonly root: string // the workspace
  readonly start: string // a folder in it
  readonly maxDepth: number // 1: direct entries only
  /** Asked before each folder; true ends the walk. */
  isOver(): boolean
}

export interface WalkEntry {
  readonly path: string // absolute
  readonly name: string // relative to the workspace
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly isIgnored: boolean
}

/** The entries read of one folder, so that one with millions cannot fill the memory. */
const MOST_IN_FOLDER = 20_000
/** Git's own folder is large and irrelevant. */
const NEVER_ENTERED = '.git'

export async function* walk(options: WalkOptions): AsyncGenerator<WalkEntry> {
  const { root, start } = options
  const rules = await rulesAbove(root)
  // Folders between the workspace and the start have rules, too; the start's own follow below.
  const between = relative(root, start).split(sep).slice(0, -1)
  if (start !== root) {
    let at = root
    rules.push(...(await buildRules(at)))
    for (const name of between) {
      at = join(at, name)
      rules.push(...(await buildRules(at)))
    }
  }
  yield* walkFolder(options, start, rules, 1)
}

async function* walkFolder(
  options: WalkOptions,
  folder: string,
  above: readonly IgnoreRule[],
  depth: number,
): AsyncGenerator<WalkEntry> {
  if (options.isOver()) return
  const rules = [...above, ...(await buildRules(folder))]
  for (const entry of await listEntries(folder)) {
    const path = join(folder, entry.name)
    const kind = readKind(entry)
    const ignored = entry.name === NEVER_ENTERED || isIgnored(rules, path, kind === 'folder')
    const name = relative(options.root, path).replaceAll(sep, '/')
    yield { path, name, kind, isIgnored: ignored }
    if (kind === 'folder' && !ignored && depth < options.maxDepth)
      yield* walkFolder(options, path, rules, depth + 1)
  }
}

/** Sorted by name. Empty for an unreadable or missing folder. */
async function listEntries(folder: string): Promise<Dirent[]> {
  try {
    const entries = await entriesIn(folder)
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (!isErrno(error)) throw error
    return []
  }
}

/** Empty if the folder has become a link. */
async function entriesIn(folder: string): Promise<Dirent[]> {
  const held = await open(folder, FOLDER)
  try {
    const through = join(DESCRIPTORS, String(held.fd))
    const at = await readlink(through).catch(() => undefined)
    if (at !== undefined) return at === folder ? await readEntries(through) : []
    // This system does not tell, so verify the path afterwards.
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

function readKind(entry: Dirent): WalkEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** Rules of .gitignore files, from the top of the repository down; the last match wins. */
interface IgnoreRule {
  readonly folder: string // absolute: the folder of its file
  readonly glob: Glob
  readonly isKept: boolean // `!pattern`
  readonly isForFolders: boolean // `pattern/`
}

const MAX_FILE_BYTES = 100_000

/** The rules of a folder's own .gitignore; empty if there is none. */
async function buildRules(folder: string): Promise<IgnoreRule[]> {
  const path = join(folder, '.gitignore')
  const text = await readShort(path).catch(() => '') // unreadable rules hide nothing
  return text.split(/\r?\n/).flatMap((line): IgnoreRule[] => {
    const pattern = line.replace(/(?<!\\)[ \t]+$/, '')
    if (pattern === '' || pattern.startsWith('#')) return []
    const isKept = pattern.startsWith('!')
    const body = isKept ? pattern.slice(1) : pattern
    return [{ folder, glob: compileGlob(body), isKept, isForFolders: body.endsWith('/') }]
  })
}

/** The rules from above that apply to a folder, from the top of its repository. */
async function rulesAbove(folder: string): Promise<IgnoreRule[]> {
  const above: string[] = []
  let at = folder
  while (!existsSync(join(at, '.git')) && at !== dirname(at)) {
    at = dirname(at)
    above.unshift(at)
  }
  if (!existsSync(join(at, '.git'))) return [] // not a repository: files above do not apply
  const rules: IgnoreRule[] = []
  for (const each of above) rules.push(...(await buildRules(each)))
  return rules
}

function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const rule = rules.findLast(
    ({ folder, glob, isForFolders }) =>
      (isFolder || !isForFolders) && glob.matches(relative(folder, path).replaceAll(sep, '/')),
  )
  return rule !== undefined && !rule.isKept
}

async function readShort(path: string): Promise<string> {
  const stats = await stat(path)
  return stats.isFile() && stats.size <= MAX_FILE_BYTES ? readFile(path, 'utf8') : ''
}

interface Glob {
  /** A path relative to the pattern's base, with `/` as separator. */
  matches(path: string): boolean
}

/** One token of a pattern: any run of characters, any one, a class, or a character. */
type Sign = '*' | '?' | RegExp | { readonly char: string }
type Segment = '**' | readonly Sign[]

/** A pattern without `/` matches names in any folder; with one, it starts at the base. */
export function compileGlob(pattern: string): Glob {
  const parts = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const isAnchored = parts.length > 1
  if (parts[0] === '') parts.shift() // a leading slash only anchors the pattern
  if (parts.at(-1) === '**' && parts.length > 1) parts.push('*') // the content, not the folder
  const named = parts.map((part): Segment => (part === '**' ? '**' : findSigns(part)))
  const segments: readonly Segment[] = isAnchored ? named : ['**', ...named]
  return {
    matches: (path) =>
      matchesList(
        segments,
        path.split('/'),
        (segment) => segment === '**',
        (segment, name) => segment !== '**' && matchesName(segment, name),
      ),
  }
}

const MOST_ALTERNATIVES = 64

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`; beyond a limit braces stay literal. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = []
  const waiting = [pattern]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next)
    const choices = braces?.[1]?.split(',') ?? []
    if (!braces || done.length + waiting.length + choices.length > MOST_ALTERNATIVES) {
      done.push(next)
      continue
    }
    const before = next.slice(0, braces.index)
    const after = next.slice(braces.index + braces[0].length)
    waiting.push(...choices.map((choice) => before + choice + after))
  }
  return done
}

function findSigns(part: string): Sign[] {
  const signs: Sign[] = []
  for (let at = 0; at < part.length; ) {
    const rest = part.slice(at)
    const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest)
    if (rest.startsWith('*')) {
      if (signs.at(-1) !== '*') signs.push('*')
      at += 1
    } else if (rest.startsWith('?')) {
      signs.push('?')
      at += 1
    } else if (set) {
      signs.push(buildClass(set[1] !== '', set[2] ?? ''))
      at += set[0].length
    } else {
      const char = String.fromCodePoint(rest.codePointAt(rest.startsWith('\\') ? 1 : 0) ?? 0x5c)
      signs.push({ char })
      at += char.length + (rest.startsWith('\\') && rest.length > 1 ? 1 : 0)
    }
  }
  return signs
}

/** An invalid class such as `[z-a]` matches nothing. */
function buildClass(isNegated: boolean, inside: string): RegExp {
  const escaped = inside.replace(/[\\\]^[]/g, '\\$&')
  try {
    return new RegExp(`^[${isNegated ? '^' : ''}${escaped}]$`, 'u')
  } catch {
    return /$./
  }
}

function matchesName(signs: readonly Sign[], name: string): boolean {
  return matchesList(
    signs,
    [...name],
    (sign) => sign === '*',
    (sign, char) => {
      if (sign === '?') return true
      if (sign instanceof RegExp) return sign.test(char)
      return sign !== '*' && sign.char === char
    },
  )
}
