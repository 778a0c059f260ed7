// The count of values and levels in bytes, compared with what a parser finds.
import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/generate/random.ts'
import { SEED } from '../../../test/scale.ts'
import { JsonBounds } from '../text/json-bounds.ts'

function randomJson(random: Random, depth: number): unknown {
  const kind = depth === 0 ? 0 : random.int(0, 3)
  if (kind === 1)
    return Array.from({ length: random.int(0, 4) }, () => randomJson(random, depth - 1))
  if (kind === 2)
    return Object.fromEntries(
      Array.from({ length: random.int(0, 4) }, (_, at) => [
        `${random.pick(TEXTS)}${at}`,
        randomJson(random, depth - 1),
      ]),
    )
  return random.pick([1, null, true, ...TEXTS])
}
const TEXTS = ['', '"', '\\', '\\"', '[[[', '{,{,', 'ä€😀', '\n', 'end\\\\', ']']

/** Values as the bounds count them: one for each list or object, one for each further thing in it. */
function measured(value: unknown): { values: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 0, depth: 0 }
  const inner = Object.values(value).map(measured)
  return {
    values: Math.max(1, inner.length) + inner.reduce((sum, each) => sum + each.values, 0),
    depth: 1 + Math.max(0, ...inner.map((each) => each.depth)),
  }
}

function isTaken(text: string, limits: { values: number; depth: number }, pieces: Random): boolean {
  const bounds = new JsonBounds(limits)
  try {
    for (let at = 0; at < text.length; ) {
      const end = at + pieces.int(1, 9)
      bounds.take(text.slice(at, end))
      at = end
    }
    return true
  } catch {
    return false
  }
}

describe('bounds of JSON', () => {
  it('agree with a parser on random values in random pieces', () => {
    const random = new Random(SEED)
    for (let round = 0; round < 1_000; round += 1) {
      const value = randomJson(random, 5)
      const text = JSON.stringify(value, undefined, random.pick([0, 2]))
      const { values, depth } = measured(value)
      const place = `seed ${SEED}, round ${round}: ${text}`
      expect(isTaken(text, { values, depth }, random), place).toBe(true)
      if (values === 0) continue
      expect(isTaken(text, { values: values - 1, depth }, random), place).toBe(false)
      expect(isTaken(text, { values, depth: depth - 1 }, random), place).toBe(false)
    }
  })
})
