// The same as soak.test.ts, with 300 turns; runs with PRECIS_LONG=1.
import { describe, it } from 'vitest'
import { expectEveryWay, soak } from './soak.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`a session with seed ${seed}`, () => {
  it('of 300 turns never ends in an error, keeps its pins, and can be undone to its first word [ALWAYS-01]', async () => {
    expectEveryWay(await soak({ turns: 300, seed }))
  })
})
