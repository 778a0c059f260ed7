// The benchmark of the terminal runs from end to end at small sizes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../result-row.ts'

describe('npm run bench -- tui', () => {
  it('measures every figure, and judges none at small sizes', () => {
    const script = fileURLToPath(new URL('../run.ts', import.meta.url))
    const args = [script, 'tui', '--quick', '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const { figures } = JSON.parse(stdout) as ResultRow
    expect(figures.map(({ id }) => id)).toEqual([
      'token-time',
      'token-bytes',
      'ink-time',
      'ink-bytes',
    ])
    for (const { id, subject, reference, met } of figures) {
      expect(subject.value, id).toBeGreaterThan(0)
      expect(reference.value, id).toBeGreaterThan(0)
      expect(met).toBeUndefined()
    }
  })
})
