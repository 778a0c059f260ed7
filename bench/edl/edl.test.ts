// The benchmark of EDL runs from end to end at small sizes, and its latest row met its goals.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { latestRow, type ResultRow } from '../result-row.ts'

const FIGURES = [
  'apply-line',
  'apply-regex',
  'apply-every-line',
  'apply-many-edits',
  'apply-failed',
  'apply-runaway',
  'search-prefix',
  'search-words',
  'search-lines',
]

function bench(...args: string[]) {
  const script = fileURLToPath(new URL('../run.ts', import.meta.url))
  return spawnSync(process.execPath, [script, 'edl', ...args], { encoding: 'utf8' })
}

describe('npm run bench -- edl', () => {
  it('measures every figure, and judges none at small sizes', () => {
    const { status, stdout, stderr } = bench('--quick', '--json')
    expect(status, stderr).toBe(0)
    const row = JSON.parse(stdout) as ResultRow
    expect(row.figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, ratio, met } of row.figures) {
      expect(ratio.value, id).toBeGreaterThan(0)
      expect(ratio.value, id).toBeLessThan(Number.POSITIVE_INFINITY)
      expect(met).toBeUndefined()
    }
  })

  it.each([
    { args: ['--frob'], says: '--frob' },
    { args: ['--quick', '--write'], says: 'Only a whole run can be written.' },
  ])('refuses $args with a sentence', ({ args, says }) => {
    const { status, stdout, stderr } = bench(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(says)
  })

  it('has a row of a whole run, in which the time grew with the size alone', () => {
    const { figures } = latestRow('edl')
    expect(figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, met } of figures) expect(met, id).toBe(id.startsWith('apply') || undefined)
  })
})
