// The benchmark of the stores runs from end to end at small sizes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../test/require.ts'
import type { ResultRow } from '../result-row.ts'

const FIGURES = [
  'append-1',
  'append-10',
  'append-100',
  'append-100-indexed',
  'append-together',
  'chain-append',
  'chain-open',
  'crowd-own',
  'crowd-together',
  'open',
  'search',
  'follow',
]
const { available } = requirement('postgres')

describe('npm run bench -- stores', () => {
  it('measures every figure on every store that is here, and judges none at small sizes', () => {
    const script = fileURLToPath(new URL('../run.ts', import.meta.url))
    const args = [script, 'stores', '--quick', '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const { figures } = JSON.parse(stdout) as ResultRow
    const stores = available ? ['sqlite', 'postgres'] : ['sqlite']
    const ids = stores.flatMap((store) => FIGURES.map((figure) => `${figure}-${store}`))
    expect(figures.map(({ id }) => id)).toEqual(ids)
    for (const { id, subject, reference, ratio, met } of figures) {
      for (const { value } of [subject, reference, ratio]) {
        expect(value, id).toBeGreaterThan(0)
        expect(value, id).toBeLessThan(Number.POSITIVE_INFINITY)
      }
      expect(met).toBeUndefined()
    }
  })
})
