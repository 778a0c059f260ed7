// A session of 60 turns that is compacted all the time. See also soak.long.test.ts.
import { describe, it } from 'vitest'
import { expectEveryWay, soak } from './soak.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`a session with seed ${seed}`, () => {
  it('of 60 turns never ends in an error, keeps its pins, and can be undone to its first word [ALWAYS-01]', async () => {
    expectEveryWay(await soak({ turns: 60, seed }))
  }, 600_000)
})
