// Three hundred turns in each preset with models that summarise badly; twenty outside of `npm run test:long`.
import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PresetId } from '../../src/core/window/presets.ts'
import { isLongTier, SEED } from '../scale.ts'
import { CHARACTERS } from './characters.ts'
import { runLongSession, WINDOW_TOKENS } from './soak.ts'

const TURNS = isLongTier ? 300 : 20
/**
 * What a compaction that was not asked for frees at least: from where one is prepared (0.7 of the window) to
 * where it should land (0.5) lies a fifth; estimates may be off by a third of that. So their number is bounded by
 * what is said, and none is due again at once.
 */
const LEAST_FREED = WINDOW_TOKENS / 8
/** Where rows are added, for the table in docs/benchmarks.md. */
const ROWS = process.env.PRECIS_SOAKS ?? ''
const NAMES = isLongTier ? ['terse', 'stops early', 'verbose'] : ['terse', 'verbose']
const PRESETS: readonly PresetId[] = ['range', 'whole', 'fold', 'log', 'fresh', 'precis']

describe.each(PRESETS)('%s', (preset) => {
  it.each(
    CHARACTERS.filter(({ name }) => NAMES.includes(name)).map((one) => [one.name, one] as const),
  )(
    `holds ${TURNS} turns with a model that is «%s»: no refusal, no thrash, nothing twice [ALWAYS-23]`,
    async (name, character) => {
      const report = await runLongSession({ preset, character, turns: TURNS, seed: SEED })
      const date = new Date().toISOString().slice(0, 10)
      const row = JSON.stringify({ date, preset, model: name, ...report })
      console.log(row)
      if (ROWS !== '') appendFileSync(ROWS, `${row}\n`)
      expect(report.refusals).toBe(0)
      expect(report.failed).toBe(0)
      expect(report.leastFreed).toBeGreaterThanOrEqual(LEAST_FREED)
    },
  )
})
