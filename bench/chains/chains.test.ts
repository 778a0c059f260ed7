// The generated chains: every planted fact is really said, a correction is a conflict, and the seed decides all.
import { describe, expect, it } from 'vitest'
import { has } from '../recall/measure.ts'
import { FACT_KINDS, plantedCycle } from './planted.ts'

const CASES = [1, 2, 3, 4, 5].flatMap((cycle) => [1, 2].map((seed) => [seed, cycle] as const))

describe('a planted cycle', () => {
  it.each(CASES)(
    'says each of its facts, and asks without the value: seed %i, cycle %i',
    (seed, cycle) => {
      const { drafts, facts } = plantedCycle(seed, cycle)
      const said = JSON.stringify(drafts).replaceAll('\\n', '\n')
      expect(facts.map(({ kind }) => kind)).toEqual([...FACT_KINDS])
      for (const { value, stale, query } of facts) {
        expect(has(said, value), value).toBe(true)
        expect(query).not.toContain(value)
        if (stale !== undefined) expect(said.indexOf(stale)).toBeLessThan(said.lastIndexOf(value))
      }
    },
  )

  it('is the same for the same seed, and another for another', () => {
    expect(plantedCycle(3, 4)).toEqual(plantedCycle(3, 4))
    expect(plantedCycle(3, 4)).not.toEqual(plantedCycle(4, 4))
  })
})

describe('a value', () => {
  it.each([
    ['a deploy-1:80 b', 'deploy-1:80', true],
    ['/abs/src/a.ts', 'src/a.ts', true],
    ['deploy-1:8080', 'deploy-1:80', false],
    ['redeploy-1:80', 'deploy-1:80', false],
  ])('in %j: %s is there: %s', (text, value, isThere) => {
    expect(has(text, value)).toBe(isThere)
  })
})
