// Every character of model with the strategies of the presets, at three lengths: what is left of the facts.
import { describe, expect, it } from 'vitest'
import { inTurn } from '../scale.ts'
import { compacted, factsInBrief, keptOf, LENGTHS, PRESETS, TRIGGER, WINDOW } from './cells.ts'
import { CHARACTERS, type Character, ODD_CHARACTERS } from './characters.ts'
import { plant, REQUEST } from './planted.ts'

const [TERSE] = CHARACTERS.slice(0, 1) as [Character]

describe.each(Object.entries(LENGTHS))('%s', (_, windows) => {
  const planted = plant(windows * WINDOW)
  const { facts } = planted
  /** What a mended summary that says nothing keeps. */
  const mended = compacted(planted, TERSE, 'whole')

  const characters = windows === 2 ? [...CHARACTERS, ...ODD_CHARACTERS] : CHARACTERS

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
        if (cell.by.endsWith(', brief'))
          expect(kept, `${name}, ${preset}: the brief beside a mended one`).toBeGreaterThanOrEqual(
            keptOf(facts, (await mended)?.text ?? ''),
          )
        if (windows > 1) expect(cell.tokens).toBeLessThanOrEqual(TRIGGER)
      }
      console.log(rows.join('\n'))
    },
  )
})
