// Every character of model with the strategies of the presets, at three lengths: what is left of the facts.
import { describe, expect, it } from 'vitest'
import { inTurn } from '../scale.ts'
import { compacted, factsInBrief, keptOf, LENGTHS, PRESETS, TRIGGER, WINDOW } from './cells.ts'
import { CHARACTERS, type Character, ODD_CHARACTERS } from './characters.ts'
import { FURTHER } from './further-characters.ts'
import { plant, REQUEST } from './planted.ts'

/** Its summary is poor, but good enough to be mended: no brief takes its place. */
const POOR = CHARACTERS.find(({ name }) => name === 'stops early') as Character

describe.each(Object.entries(LENGTHS))('%s', (_, windows) => {
  const planted = plant(windows * WINDOW)
  const { facts } = planted
  const mended = compacted(planted, POOR, 'whole')

  const odd = [...ODD_CHARACTERS, ...FURTHER]
  const characters = windows === 2 ? [...CHARACTERS, ...odd] : CHARACTERS

  it.each(characters.map((character, at) => [character.name, character, at] as const))(
    'of a model that is «%s»: the request stays, no fewer facts than in the brief, below the trigger',
    async (name, character, at) => {
      const rows: string[] = []
      for (const preset of inTurn(Object.keys(PRESETS), at)) {
        const cell = await compacted(planted, character, preset)
        // A new session is all or nothing (FRESH-11).
        if (preset === 'fresh' && !cell) continue
        if (!cell) throw new Error(`${name}, ${preset}: nothing was committed`)
        const kept = keptOf(facts, cell.text)
        const inBrief = await factsInBrief(planted, cell.tokens)
        const newest = keptOf(facts.slice(-5), cell.text)
        rows.push(
          `| ${name} | ${preset} | ${windows} | ${cell.by} | ${cell.tokens} | ${kept}/${facts.length} | ${inBrief} | ${newest}/5 |`,
        )
        expect(cell.text, `${name}, ${preset}`).toContain(REQUEST)
        expect(kept, `${name}, ${preset}: ${rows.at(-1)}`).toBeGreaterThanOrEqual(inBrief)
        if (cell.by.endsWith(', brief')) {
          const beside = await mended
          expect(beside?.by).not.toMatch(/, brief$/)
          expect(kept, `${name}, ${preset}: the brief beside a mended one`).toBeGreaterThanOrEqual(
            keptOf(facts, beside?.text ?? ''),
          )
        }
        if (windows > 1) expect(cell.tokens).toBeLessThanOrEqual(TRIGGER)
      }
      console.log(rows.join('\n'))
    },
  )
})
