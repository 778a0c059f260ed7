// Positions of the first text, followed through many edits, are where a text of marked characters says.
import { describe, expect, it } from 'vitest'
import { Random } from '../../test/generate/random.ts'
import { seeds } from '../../test/scale.ts'
import { type Edit, SurvivingText } from './surviving-text.ts'

const SEEDS = seeds(3_000)

/** Each place holds the position that its character had at first; a new character has none. */
type Marked = (number | undefined)[]

function apply(text: Marked, edits: readonly Edit[]): Marked {
  const changed = [...text]
  for (const { start, end, text: put } of edits.toReversed())
    changed.splice(start, end - start, ...Array<undefined>(put.length))
  return changed
}

/** In order, apart from each other or touching, empty or not. */
function randomEdits(random: Random, length: number): Edit[] {
  const edits: Edit[] = []
  for (let at = random.int(0, 3); at <= length && edits.length < 4; ) {
    const end = Math.min(length, at + random.int(0, 3))
    edits.push({ start: at, end, text: 'x'.repeat(random.int(0, 2)) })
    at = Math.max(end, at + 1) + random.int(0, 2)
  }
  return edits
}

function expectedStart(text: Marked, position: number, length: number): number | undefined {
  if (position === length) return text.length
  const now = text.indexOf(position)
  if (now !== -1) return now
  if (position === 0) return 0
  const before = text.indexOf(position - 1)
  return before === -1 ? undefined : before + 1
}

function expectedEnd(text: Marked, position: number, length: number): number | undefined {
  const last = text.indexOf(position - 1)
  if (last !== -1) return last + 1
  if (position === length) return text.length
  const next = text.indexOf(position)
  return next === -1 ? undefined : next
}

describe('SurvivingText', () => {
  it(`tells for ${SEEDS.length} random histories where every position is now (from seed ${SEEDS[0]}) [EDL-13]`, () => {
    for (const seed of SEEDS) {
      const random = new Random(seed)
      const length = random.int(0, 12)
      const surviving = new SurvivingText(length)
      let text: Marked = Array.from({ length }, (_, position) => position)
      for (let count = random.int(0, 4); count > 0; count -= 1) {
        const edits = randomEdits(random, text.length)
        surviving.apply(edits)
        text = apply(text, edits)
      }
      for (let position = 0; position <= length; position += 1) {
        const start = surviving.startOf(position)
        const end = position === 0 ? 0 : surviving.endOf(position)
        const known = (now: typeof start) => (typeof now === 'number' ? now : undefined)
        expect([known(start), known(end)], `seed ${seed}, position ${position}`).toEqual([
          expectedStart(text, position, length),
          position === 0 ? 0 : expectedEnd(text, position, length),
        ])
      }
    }
  })

  it('names the region in which a lost position was', () => {
    const surviving = new SurvivingText(10)
    surviving.apply([{ start: 2, end: 4, text: '12345' }])
    surviving.apply([{ start: 1, end: 9, text: '' }])
    expect(surviving.startOf(3)).toEqual({ from: 1, to: 6 })
    expect([surviving.startOf(1), surviving.startOf(6), surviving.endOf(6)]).toEqual([1, 1, 1])
  })
})
