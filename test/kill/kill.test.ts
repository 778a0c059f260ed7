// The process is killed at random moments; what it said was stored is stored. See also kill.long.test.ts.
import { describe, expect, it } from 'vitest'
import { appendScenario } from './append-scenario.ts'
import { compactScenario } from './compact-scenario.ts'
import { killRepeatedly } from './harness.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`kills with seed ${seed}`, () => {
  it.each([appendScenario, compactScenario])(
    '40 during $name: all that was confirmed is there, batches are whole, snapshots fit [NEED-13]',
    async (scenario) => {
      const report = await killRepeatedly(scenario, { kills: 40, seed })
      expect(report.kills).toBe(40)
      // How far a child gets before it dies depends on the machine; that some did anything does not.
      expect(report.acknowledged).toBeGreaterThan(0)
    },
  )
})
