// Cut points, by the rows that were seen to come out of the original algorithm, and by what it must never do.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { type CutItem, type CutPoint, findCutPoint } from './cut-point.ts'

const ROLES = { U: 'user', A: 'answer', R: 'result', s: 'aside' } as const

/** `U A R100`: ten tokens each unless a number is given; `s` is a setting. */
function items(text: string): CutItem[] {
  return text.split(' ').map((word) => ({
    role: ROLES[word[0] as keyof typeof ROLES],
    tokens: Number(word.slice(1) || 10),
  }))
}

function whole(firstKept: number): CutPoint {
  return { firstKept, isSplitTurn: false }
}
function split(firstKept: number, turnStart: number): CutPoint {
  return { firstKept, isSplitTurn: true, turnStart }
}

const TALK = 'U A U A U A'
const TOOLS = 'U A R100 A R100 A'

const VECTORS: [entries: string, keepRecent: number[], expected: CutPoint][] = [
  [TALK, [5, 10], split(5, 4)],
  [TALK, [11, 15, 20], whole(4)],
  [TALK, [21, 25, 30], split(3, 2)],
  [TALK, [31, 35, 40], whole(2)],
  [TALK, [41, 45, 50], split(1, 0)],
  [TALK, [51, 60, 61, 1_000], whole(0)],
  [TOOLS, [5, 10, 11, 50], split(5, 0)],
  [TOOLS, [120, 130], split(3, 0)],
  [TOOLS, [230], split(1, 0)],
  [TOOLS, [500], whole(0)],
  ['s s s', [0, 5, 500], whole(0)],
]

const CASES: [
  why: string,
  entries: string,
  keepRecent: number,
  start: number,
  expected: CutPoint,
][] = [
  ['nothing before the start is looked at', TALK, 1_000, 2, whole(2)],
  ['a turn that began before the start is not split', TALK, 5, 5, whole(5)],
  ['without a place for a cut all from the start stays', 'U A R s R', 5, 2, whole(2)],
  ['settings before the cut go with it', 'U A s s U A', 15, 0, whole(2)],
  ['settings before a step go with it', 'U A R s A', 5, 0, split(3, 0)],
  ['settings weigh nothing', 'U A s900 U A', 15, 0, whole(2)],
  ['a move over settings ends at the start', 's s U A', 15, 1, whole(1)],
  ['a huge last result stays with its call', 'U A U A R900', 50, 0, split(3, 2)],
  ['results before every message belong to no turn', 'R R A U', 500, 0, whole(2)],
  ['nothing asked for keeps the last step', TALK, 0, 0, split(5, 4)],
]

describe('cut points', () => {
  it.each(VECTORS)('%s keeping %j', (entries, keepRecent, expected) => {
    for (const tokens of keepRecent) expect(findCutPoint(items(entries), tokens)).toEqual(expected)
  })

  it.each(CASES)('%s', (_, entries, keepRecent, start, expected) => {
    expect(findCutPoint(items(entries), keepRecent, start)).toEqual(expected)
  })

  it('has no cut in an empty thread', () => {
    expect(findCutPoint([], 10)).toEqual(whole(0))
  })

  it('never parts a result from what it follows, and keeps more when asked for more', () => {
    const thread = fc.array(
      fc.record({
        role: fc.constantFrom(...Object.values(ROLES)),
        tokens: fc.integer({ min: 0, max: 50 }),
      }),
    )
    fc.assert(
      fc.property(thread, fc.nat(600), fc.nat(600), (all, some, more) => {
        const cut = findCutPoint(all, some)
        const message = all.slice(cut.firstKept).find(({ role }) => role !== 'aside')
        const canCut = all.some(({ role }) => role === 'user' || role === 'answer')
        if (canCut) expect(message?.role).toMatch(/^(user|answer)$/)
        else expect(cut).toEqual(whole(0))
        if (cut.isSplitTurn) {
          expect(message?.role).toBe('answer')
          expect(all[cut.turnStart ?? -1]?.role).toBe('user')
          const between = all.slice((cut.turnStart ?? 0) + 1, cut.firstKept)
          expect(between.map(({ role }) => role)).not.toContain('user')
        }
        expect(findCutPoint(all, some + more).firstKept).toBeLessThanOrEqual(cut.firstKept)
      }),
      runs(2_000),
    )
  })
})
