// Kills, a few or hundreds: of every scenario, on one kind of store.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isLongTier, SEED, scaled } from '../scale.ts'
import { appendScenario } from './append-scenario.ts'
import { compactScenario } from './compact-scenario.ts'
import { followScenario } from './follow-scenario.ts'
import { type KillPlace, killRepeatedly, type Scenario } from './harness.ts'

/** On every store. */
const SCENARIOS = [appendScenario, compactScenario, followScenario]
/** A machine that does much else at the same time is slow to start processes. */
const LONGEST_KILL_MS = 20_000

/** The long tier makes 12.5 times as many: 1,000 for each scenario. */
const LONG_KILLS = 80

export function killSuite(
  store: string,
  fullKills: number,
  newPlace: () => Promise<KillPlace>,
  more: readonly Scenario[] = [],
): void {
  const kills = scaled(isLongTier ? LONG_KILLS : fullKills, 4)
  describe(`${store}: kills with seed ${SEED}`, () => {
    // Side by side: starting processes and servers is mostly waiting.
    for (const scenario of [...SCENARIOS, ...more])
      it.concurrent(
        `${kills} during ${scenario.name}: ${scenario.proves} [NEED-13] [ALWAYS-06]`,
        async () => {
          const report = await killRepeatedly(scenario, { kills, seed: SEED, newPlace }).catch(
            (thrown: unknown) => {
              // At once: the runner says it when the other scenarios are over, hours later.
              process.stdout.write(`${store}: ${inspect(thrown)}\n`)
              throw thrown
            },
          )
          expect(report.kills).toBe(kills)
          // How far a child gets before it dies depends on the machine; that some did anything does not.
          expect(report.acknowledged).toBeGreaterThan(0)
          if (kills >= 500) expect(report.beforeReady).toBeGreaterThan(0)
          process.stdout.write(
            `${store}, ${scenario.name}: ${kills} kills, ${report.acknowledged} confirmed, ${report.disturbed} crashes of the server\n`,
          )
        },
        kills * LONGEST_KILL_MS,
      )
  })
}
