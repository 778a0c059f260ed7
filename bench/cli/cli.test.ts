// The benchmark of the command line runs from end to end at small sizes, and its latest row met its goals.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { latestRow, type ResultRow } from '../result-row.ts'
import { RESULTS } from './cli.ts'

const FIGURES = ['session', 'help', 'memory']

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
    for (const { id, met } of figures) if (id !== 'session') expect(met, id).toBe(true)
  })
})
