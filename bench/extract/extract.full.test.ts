// The benchmark of `extract` runs from end to end at small sizes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../result-row.ts'

const FIGURES = ['extract-parse', 'extract-growth', 'extract-again', 'extract-memory']

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
})
