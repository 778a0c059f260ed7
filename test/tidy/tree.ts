// The tree as git sees it: what is committed, and what would be.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceFile } from './finding.ts'

/** Above this a file is only measured: no check reads its text. */
const READ_LIMIT_BYTES = 2_000_000

export function readTree(root: string): SourceFile[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64_000_000 },
  )
  return [...new Set(listed.split('\0'))]
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .sort()
    .map((path) => {
      const bytes = statSync(join(root, path)).size
      const text = bytes > READ_LIMIT_BYTES ? '' : readFileSync(join(root, path), 'utf8')
      return { path, text, bytes }
    })
}
