// Whatever happened to a thread, the request built from it breaks no provider's rule.
import { describe, expect, it } from 'vitest'
import { checkThread } from './request-cases.ts'

const CASES = 10_000
const FIRST_SEED = 5_000_000

describe('requests from random threads', () => {
  it('break no rule, at every seam, after any strategies, for every profile [NEED-02] [ALWAYS-19]', async () => {
    let cases = 0
    // A violation names the seed of its thread; `npm run fuzz -- --seed` begins there.
    for (let seed = FIRST_SEED; cases < CASES; seed += 1) cases += await checkThread(seed)
    expect(cases).toBeGreaterThanOrEqual(CASES)
  })
})
