// The same as faults.test.ts, hundreds of times; runs with PRECIS_LONG=1.
import { describe, expect, it } from 'vitest'
import { runFaults } from './fault-run.ts'

const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`agents with seed ${seed}`, () => {
  it('are killed 200 times: nothing is lost, nothing is said twice, all goes on', async () => {
    const { faults, ...report } = await runFaults({ kills: 200, seed })
    for (const kind of ['overflow', 'stall', 'drop', 'empty', 'refusal', 'cut-off', 'rate-limit'])
      expect(faults[kind], kind).toBeGreaterThan(0)
    expect(report.resumed).toBeGreaterThan(0)
    expect(report.queued).toBeGreaterThan(0)
    expect(report.compactions).toBeGreaterThan(0)
  })
})
