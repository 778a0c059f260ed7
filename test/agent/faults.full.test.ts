// Agents that are killed while their model fails in every way.
import { describe, expect, it } from 'vitest'
import { SEED, scaled } from '../scale.ts'
import { runFaults } from './fault-run.ts'

const KILLS = scaled(10, 3)

describe(`agents with seed ${SEED}`, () => {
  it(`are killed ${2 * KILLS} times: nothing is lost, nothing is said twice, all goes on`, async () => {
    // Two threads side by side: a killed process is mostly waited for.
    const reports = await Promise.all([
      runFaults({ kills: KILLS, seed: SEED }),
      runFaults({ kills: KILLS, seed: SEED + 1 }),
    ])
    const sum = (count: (report: (typeof reports)[number]) => number) =>
      reports.reduce((total, report) => total + count(report), 0)
    expect(sum(({ kills }) => kills)).toBe(2 * KILLS)
    // How far each gets before it dies depends on the machine; that some did anything does not.
    expect(sum(({ resumed }) => resumed)).toBeGreaterThan(0)
    expect(sum(({ events }) => events)).toBeGreaterThan(2 * KILLS)
    if (KILLS < 10) return // too few to be sure of a fault
    const faults = reports.flatMap((report) => Object.values(report.faults))
    expect(faults.reduce((total, count) => total + count, 0)).toBeGreaterThan(0)
  }, 600_000)
})
