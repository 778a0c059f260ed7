// Rules of .gitignore files, from the top of the repository down; the last match wins
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { compileGlob, type Glob } from './glob.ts'

export interface IgnoreRule {
  readonly folder: string // absolute: where its file lies
  readonly glob: Glob
  readonly isKept: boolean // `!pattern`
  readonly isForFolders: boolean // `pattern/`
}

const MAX_FILE_BYTES = 100_000

/** The rules of a folder's own .gitignore; none where it has none that can be read. */
export async function rulesOf(folder: string): Promise<IgnoreRule[]> {
  const path = join(folder, '.gitignore')
  const text = await readShort(path).catch(() => '') // rules that cannot be read hide nothing
  return text.split(/\r?\n/).flatMap((line): IgnoreRule[] => {
    const pattern = line.replace(/(?<!\\)[ \t]+$/, '')
    if (pattern === '' || pattern.startsWith('#')) return []
    const isKept = pattern.startsWith('!')
    const body = isKept ? pattern.slice(1) : pattern
    return [{ folder, glob: compileGlob(body), isKept, isForFolders: body.endsWith('/') }]
  })
}

/** The rules that hold in a folder by those above it, from the top of its repository on. */
export async function rulesAbove(folder: string): Promise<IgnoreRule[]> {
  const above: string[] = []
  let at = folder
  while (!existsSync(join(at, '.git')) && at !== dirname(at)) {
    at = dirname(at)
    above.unshift(at)
  }
  if (!existsSync(join(at, '.git'))) return [] // no repository: nothing above has a say
  const rules: IgnoreRule[] = []
  for (const each of above) rules.push(...(await rulesOf(each)))
  return rules
}

export function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
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
