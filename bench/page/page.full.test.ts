// The benchmark of the page runs from end to end at small sizes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../test/require.ts'
import type { ResultRow } from '../result-row.ts'

const CHROMIUM = requirement('chromium')

describe.skipIf(!CHROMIUM.available)(`npm run bench -- page ${CHROMIUM.notice}`, () => {
  it('measures the time of a frame, and judges none at small sizes', () => {
    const script = fileURLToPath(new URL('../run.ts', import.meta.url))
    const args = [script, 'page', '--quick', '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const { figures } = JSON.parse(stdout) as ResultRow
    expect(figures.map(({ id }) => id)).toEqual(['scroll-frame'])
    for (const { subject, reference, met } of figures) {
      expect(subject.value).toBeGreaterThan(0)
      expect(reference.value).toBeGreaterThan(0)
      expect(met).toBeUndefined()
    }
  })
})
