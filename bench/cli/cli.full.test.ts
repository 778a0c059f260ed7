// The benchmark of the command line runs from end to end at small sizes, and its latest row met its goals.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blockOf, pageTable } from '../report.ts'
import { latestRow, type ResultRow } from '../result-row.ts'
import { RESULTS } from './cli.ts'

const FIGURES = ['session', 'help', 'memory', 'compact-memory']
/** What is not reached yet, and is said so on the page. */
const MISSED = new Set(['session'])

describe('npm run bench -- cli', () => {
  it('measures every figure, and judges none at small sizes', () => {
    const script = fileURLToPath(new URL('../run.ts', import.meta.url))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, 'cli', '--quick', '--json'],
      { encoding: 'utf8' },
    )
    expect(status, stderr).toBe(0)
    const row = JSON.parse(stdout) as ResultRow
    expect(row.figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, ratio, met } of row.figures) {
      expect(ratio.value, id).toBeGreaterThan(0)
      expect(met).toBeUndefined()
    }
  })

  it('has a row of a whole run, in which starting and memory kept their goals', () => {
    const { figures } = latestRow(RESULTS)
    expect(figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, met } of figures) if (!MISSED.has(id)) expect(met, id).toBe(true)
  })

  it('is on the page with its latest row', () => {
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')
    expect(blockOf(page, 'cli')).toBe(pageTable(latestRow(RESULTS)))
  })
})
