// A session of many turns that is compacted all the time.
import { describe, it } from 'vitest'
import { SEED, scaled } from '../scale.ts'
import { expectEveryWay, soak } from './soak.ts'

const TURNS = scaled(60, 15)

describe(`a session with seed ${SEED}`, () => {
  it(`of ${TURNS} turns never ends in an error, keeps its pins, and can be undone to its first word [ALWAYS-01]`, async () => {
    const report = await soak({ turns: TURNS, seed: SEED })
    // Sixty is the least in which each strategy has its turn.
    if (TURNS >= 60) expectEveryWay(report)
  }, 600_000)
})
