// The fast way to write a time gives what the slow way gives.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { isoTime } from './stored-event.ts'

const EDGES = [0, -1, 1, 999, 1000, -1000, -1001, 8.64e15, -8.64e15, 253_402_300_800_000]

it('writes times as toISOString does', () => {
  const near = fc.tuple(fc.integer({ min: -8.64e12, max: 8.64e12 }), fc.nat(3000))
  fc.assert(
    fc.property(fc.array(near), (times) => {
      for (const [seconds, millis] of times) {
        for (const time of [seconds * 1000 - millis, seconds * 1000, seconds * 1000 - 1]) {
          if (Math.abs(time) > 8.64e15) continue
          expect(isoTime(new Date(time))).toBe(new Date(time).toISOString())
        }
      }
    }),
    runs(),
  )
  for (const time of EDGES) expect(isoTime(new Date(time))).toBe(new Date(time).toISOString())
})
