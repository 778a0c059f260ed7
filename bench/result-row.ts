// A row of results: what was measured, when, on what and with which settings. Rows are only added.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import type { Figure } from './figure.ts'

export interface ResultRow {
  readonly bench: string
  readonly date: string
  readonly commit: string
  readonly changed: boolean // something in the tree was not committed
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly settings: Readonly<Record<string, number>>
  readonly figures: readonly Figure[]
}

/** What a figure depends on, from the root of the tree. */
const MEASURED = [
  ':/src',
  ':/bench',
  ':/test/generate',
  ':/package-lock.json',
  ':!/bench/results',
  ':(exclude,top,glob)**/*.test.ts',
]

export function resultRow(
  bench: string,
  settings: ResultRow['settings'],
  figures: readonly Figure[],
): ResultRow {
  const processors = cpus()
  return {
    bench,
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=12', 'HEAD'),
    changed: git('status', '--porcelain', '--', ...MEASURED) !== '',
    node: process.versions.node,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    settings,
    figures,
  }
}

export function appendRow(row: ResultRow): void {
  const path = resultsFile(row.bench)
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, `${JSON.stringify(row)}\n`)
}

/** The row that was added last. */
export function latestRow(bench: string): ResultRow {
  const last = readFileSync(resultsFile(bench), 'utf8').trimEnd().split('\n').at(-1) ?? ''
  return JSON.parse(last) as ResultRow
}

function resultsFile(bench: string): string {
  return join(import.meta.dirname, 'results', `${bench}.jsonl`)
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown' // a copy without its history
  }
}
