// What the ledger says of files against what git and the disk say.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { LedgerFile } from '../../src/core/ledger/ledger-lines.ts'
import { START } from './disk.ts'

export type State = 'read' | 'created' | 'modified' | 'deleted' | 'renamed'
export const STATES: readonly State[] = ['read', 'created', 'modified', 'deleted', 'renamed']

export type Told = Readonly<Record<State, ReadonlySet<string>>>

/** Since the start, by git: staged in an index of its own, so that the session's is left alone. */
export function truthOf(root: string, read: ReadonlySet<string>): Told {
  const env = { ...process.env, GIT_INDEX_FILE: join(root, '.git', 'truth-index') }
  const run = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'core.quotePath=false', ...words], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
  run('read-tree', START)
  run('add', '-A')
  const told = emptyTold(read)
  const words = run('diff', '--cached', '--name-status', '-M', '-z', START).split('\0')
  for (let at = 0; at < words.length - 1; at += 2) {
    const letter = words[at]?.[0] ?? ''
    const path = words[at + 1] ?? ''
    if (letter === 'R') {
      at += 1
      told.renamed.add(`${path} → ${words[at + 1] ?? ''}`)
    } else if (letter === 'A') told.created.add(path)
    else if (letter === 'D') told.deleted.add(path)
    else told.modified.add(path)
  }
  return told
}

export function toldBy(files: readonly LedgerFile[], alike: ReadonlySet<string>): Told {
  const read = new Set(files.filter(({ isRead }) => isRead).map(({ path }) => path))
  const told = emptyTold(without(read, alike))
  for (const { path, state, from } of files)
    if (state !== undefined) told[state].add(state === 'renamed' ? `${from} → ${path}` : path)
  return told
}

/** Without paths of which the truth is not known. */
export function without(paths: ReadonlySet<string>, left: ReadonlySet<string>): Set<string> {
  return new Set([...paths].filter((path) => !left.has(path)))
}

function emptyTold(read: ReadonlySet<string>) {
  const empty = () => new Set<string>()
  return { read, created: empty(), modified: empty(), deleted: empty(), renamed: empty() }
}

export interface Score {
  hits: number
  missed: number
  wrong: number
}

export function addScore(
  score: Score,
  truth: ReadonlySet<string>,
  told: ReadonlySet<string>,
): void {
  for (const path of truth) score[told.has(path) ? 'hits' : 'missed'] += 1
  for (const path of told) if (!truth.has(path)) score.wrong += 1
}

/** Harmonic mean of precision and recall; nothing told of nothing is right. */
export function f1({ hits, missed, wrong }: Score): number {
  return hits + missed + wrong === 0 ? 1 : (2 * hits) / (2 * hits + missed + wrong)
}
