// The repository that a session works in: what its files hold, and which there are.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Random } from '../generate/random.ts'

/** The tag of the first commit. */
export const START = 'start'

let marks = 0

/** Stands in no other file. */
export function markOf(random: Random): string {
  marks += 1
  return `mark-${marks}-${random.int(0, 1e9)}`
}

/** A first line that nothing else has, and lines of which an edit changes but one. */
export function contentOf(random: Random): string {
  const lines = Array.from(
    { length: 14 },
    (_, at) => `line${at} ${random.int(0, 1e9)} ${random.int(0, 1e9)}`,
  )
  return [markOf(random), ...lines, ''].join('\n')
}

export function git(root: string, ...words: readonly string[]): string {
  return execFileSync('git', [...words], { cwd: root, encoding: 'utf8' })
}

/** Paths of the files on disk, in order. */
export function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.git/'))
    .sort()
}
