// The benchmark of the agent runs from end to end at small sizes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../result-row.ts'

function bench(...args: string[]) {
  const script = fileURLToPath(new URL('../run.ts', import.meta.url))
  return spawnSync(process.execPath, [script, 'agent', ...args], { encoding: 'utf8' })
}

describe('npm run bench -- agent', () => {
  it('measures every figure, and judges none at small sizes', () => {
    const { status, stdout, stderr } = bench('--quick', '--json')
    expect(status, stderr).toBe(0)
    const { figures } = JSON.parse(stdout) as ResultRow
    expect(figures.map(({ id }) => id)).toEqual(['turn', 'turn-wall'])
    for (const { id, subject, reference, ratio, met } of figures) {
      for (const { value } of [subject, reference, ratio]) {
        expect(value, id).toBeGreaterThan(0)
        expect(value, id).toBeLessThan(Number.POSITIVE_INFINITY)
      }
      expect(met).toBeUndefined()
    }
  })

  it.each([
    { args: ['--frob'], says: '--frob' },
    { args: ['--quick', '--write'], says: 'Only a whole run can be written.' },
  ])('refuses $args with a sentence', ({ args, says }) => {
    const { status, stdout, stderr } = bench(...args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(says)
  })
})
