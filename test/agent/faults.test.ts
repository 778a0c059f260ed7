// Agents that are killed while their model fails in every way. See also faults.long.test.ts.
import { describe, expect, it } from 'vitest'
import { runFaults } from './fault-run.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`agents with seed ${seed}`, () => {
  it('are killed 20 times: nothing is lost, nothing is said twice, all goes on', async () => {
    // Two threads side by side: a killed process is mostly waited for.
    const reports = await Promise.all([
      runFaults({ kills: 10, seed }),
      runFaults({ kills: 10, seed: seed + 1 }),
    ])
    const sum = (count: (report: (typeof reports)[number]) => number) =>
      reports.reduce((total, report) => total + count(report), 0)
    expect(sum(({ kills }) => kills)).toBe(20)
    // How far each gets before it dies depends on the machine; that some did anything does not.
    expect(sum(({ resumed }) => resumed)).toBeGreaterThan(0)
    expect(sum(({ events }) => events)).toBeGreaterThan(20)
    const faults = reports.flatMap((report) => Object.values(report.faults))
    expect(faults.reduce((total, count) => total + count, 0)).toBeGreaterThan(0)
  }, 600_000)
})
