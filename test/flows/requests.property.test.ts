// Whatever happened to a thread, the request built from it breaks no provider's rule.
import { describe, expect, it } from 'vitest'
import { SEED, scaled } from '../scale.ts'
import { checkThread } from './request-cases.ts'

const CASES = scaled(10_000)

describe('requests from random threads', () => {
  it('break no rule, at every seam, after any strategies, for every profile [NEED-02] [ALWAYS-19]', async () => {
    let cases = 0
    // A violation names the seed of its thread; `npm run fuzz -- --seed` begins there.
    for (let seed = SEED; cases < CASES; seed += 1) cases += await checkThread(seed)
    expect(cases).toBeGreaterThanOrEqual(CASES)
  })
})
