// The benchmark of the core runs from end to end at small sizes, and its page shows its latest row.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blockOf, PAGE, pageTable, pageWithTable } from '../report.ts'
import { latestRow, type ResultRow } from '../result-row.ts'

const FIGURES = [
  'fold-step',
  'append',
  'append-mean',
  'append-slowest',
  'open',
  'open-warm',
  'open-whole',
  'batch-1',
  'batch-10',
  'batch-100',
  'batch-1000',
  'batch-100-memory',
  'memory-small',
  'memory-large',
  'memory-context',
  'memory-compacted',
  'estimate-prose-exact',
  'estimate-prose-chars4',
  'estimate-code-exact',
  'estimate-code-chars4',
  'estimate-cjk-exact',
  'estimate-cjk-chars4',
  'compact-summary',
  'compact-trim',
  'undo-summary',
  'undo-trim',
  'build-messages',
  'decode',
]

function bench(...args: string[]) {
  const script = fileURLToPath(new URL('../run.ts', import.meta.url))
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
}

describe('npm run bench -- core', () => {
  it('measures every figure, and judges none at small sizes', () => {
    const { status, stdout, stderr } = bench('core', '--quick', '--json')
    expect(status, stderr).toBe(0)
    const row = JSON.parse(stdout) as ResultRow
    expect(row.figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, subject, reference, ratio, met } of row.figures) {
      for (const { value, low, high } of [subject, reference, ratio])
        for (const number of [value, low, high]) {
          expect(number, `${id}: ${number}`).toBeGreaterThan(0)
          expect(number, `${id}: ${number}`).toBeLessThan(Number.POSITIVE_INFINITY)
        }
      expect(met).toBeUndefined()
    }
    expect(row).toMatchObject({ bench: 'core', node: process.versions.node })
  })

  it.each([
    { args: ['nothing'], says: 'There is no benchmark nothing. Known: all, core' },
    { args: [], says: 'No benchmark was named. Known: all, core' },
    { args: ['core', '--frob'], says: '--frob' },
    { args: ['core', '--only', 'frob'], says: 'There is no group frob.' },
    { args: ['core', '--quick', '--write'], says: 'Only a whole run can be written.' },
  ])('refuses $args with a sentence', ({ args, says }) => {
    const { status, stdout, stderr } = bench(...args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(says)
  })
})

describe('docs/benchmarks.md', () => {
  const page = readFileSync(PAGE, 'utf8')

  it('shows the latest row', () => {
    expect(blockOf(page, 'core')).toBe(pageTable(latestRow('core')))
    expect(pageWithTable(page, 'core')).toBe(page)
  })

  it('comes from a whole run', () => {
    const { figures } = latestRow('core')
    expect(figures.map(({ id }) => id)).toEqual(FIGURES)
    for (const { id, goal, met } of figures) expect(met !== undefined, id).toBe(goal !== undefined)
  })
})
