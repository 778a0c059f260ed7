// Agents that are killed while their model fails in every way. See also faults.long.test.ts.
import { describe, expect, it } from 'vitest'
import { runFaults } from './fault-run.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`agents with seed ${seed}`, () => {
  it('are killed 20 times: nothing is lost, nothing is said twice, all goes on', async () => {
    const report = await runFaults({ kills: 20, seed })
    // How far each gets before it dies depends on the machine; that some did anything does not.
    expect(report.resumed).toBeGreaterThan(0)
    expect(report.events).toBeGreaterThan(report.kills)
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
  }, 600_000)
})
