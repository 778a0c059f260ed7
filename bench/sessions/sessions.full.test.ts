// The benchmark of sessions runs from end to end at small sizes, and its latest row met its goals.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blockOf, pageTable } from '../report.ts'
import { latestRow, type ResultRow } from '../result-row.ts'
import { RESULTS } from './sessions.ts'

const FIGURES = ['list', 'again', 'sync']

describe('npm run bench -- sessions', () => {
  it('measures every figure, and a second sync adds nothing', () => {
    const script = fileURLToPath(new URL('../run.ts', import.meta.url))
    const args = [script, 'sessions', '--quick', '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const row = JSON.parse(stdout) as ResultRow
    expect(row.figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, ratio } of row.figures) expect(ratio.value, id).toBeGreaterThan(0)
  })

  it('has a row of a whole run that met its goals, and the page shows it', () => {
    const row = latestRow(RESULTS)
    expect(row.figures.map(({ id, met }) => [id, met])).toEqual(FIGURES.map((id) => [id, true]))
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')
    expect(blockOf(page, 'sessions')).toBe(pageTable(row))
  })
})
