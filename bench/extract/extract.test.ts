// The benchmark of `extract` runs from end to end at small sizes, and its latest row met its goals.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { latestRow, type ResultRow } from '../result-row.ts'

const FIGURES = ['extract-parse', 'extract-growth', 'extract-again', 'extract-memory']
const RESULTS = fileURLToPath(new URL('../results/extract.jsonl', import.meta.url))

describe('npm run bench -- extract', () => {
  it('measures every figure, and judges none at small sizes', () => {
    const script = fileURLToPath(new URL('../run.ts', import.meta.url))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, 'extract', '--quick', '--json'],
      { encoding: 'utf8' },
    )
    expect(status, stderr).toBe(0)
    const row = JSON.parse(stdout) as ResultRow
    expect(row.figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { met } of row.figures) expect(met).toBeUndefined()
  })

  it('has a row of a whole run that met every goal: growth, the second time, memory [NEED-12]', () => {
    const { figures } = latestRow(RESULTS)
    expect(figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, met } of figures) expect(met, id).not.toBe(false)
  })
})
