// The same as kill.test.ts, hundreds of times; runs with PRECIS_LONG=1.
import { describe, expect, it } from 'vitest'
import { appendScenario } from './append-scenario.ts'
import { compactScenario } from './compact-scenario.ts'
import { killRepeatedly } from './harness.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`kills with seed ${seed}`, () => {
  it.each([appendScenario, compactScenario])(
    '500 during $name: all that was confirmed is there, batches are whole, snapshots fit [NEED-13]',
    async (scenario) => {
      const report = await killRepeatedly(scenario, { kills: 500, seed })
      expect(report.kills).toBe(500)
      expect(report.beforeReady).toBeGreaterThan(0)
      // How far a child gets before it dies depends on the machine; that some did anything does not.
      expect(report.acknowledged).toBeGreaterThan(0)
    },
  )
})
