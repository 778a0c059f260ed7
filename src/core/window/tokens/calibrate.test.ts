// Learning from measurements how far the estimate is off.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/scale.ts'
import {
  type Calibration,
  calibrate,
  MIN_DELTA_TOKENS,
  ratioOfWhole,
  UNCALIBRATED,
} from './calibrate.ts'

/** Measurements as [counted, estimated]; `undefined` is a change of the context. */
function learn(...measurements: (readonly [number, number] | undefined)[]): Calibration {
  return measurements.reduce<Calibration>(
    (state, measured) =>
      calibrate(state, measured && { tokens: measured[0], estimate: measured[1] }),
    UNCALIBRATED,
  )
}

describe('calibrate', () => {
  it.each<[string, Parameters<typeof learn>, number, number]>([
    ['nothing', [], 1, 0],
    ['one measurement', [[5_000, 1_000]], 1, 0],
    [
      'two, without the constant part',
      [
        [5_000, 1_000],
        [6_500, 2_000],
      ],
      1.5,
      1,
    ],
    [
      'a delta that is just large enough',
      [
        [100, 100],
        [400, 300],
      ],
      1.5,
      1,
    ],
    [
      'a delta that is too small',
      [
        [100, 100],
        [400, 299],
      ],
      1,
      0,
    ],
    [
      'small deltas, once they add up',
      [
        [100, 100],
        [250, 200],
        [400, 300],
      ],
      1.5,
      1,
    ],
    ['no ratio across a change', [[9_000, 9_000], undefined, [20_000, 10_000]], 1, 0],
    [
      'an outlier above',
      [
        [0.1, 0],
        [9_000, 1_000],
      ],
      3,
      1,
    ],
    [
      'an outlier below',
      [
        [1_000, 0],
        [1_010, 1_000],
      ],
      0.5,
      1,
    ],
    [
      'a context that shrank unseen',
      [
        [9_000, 9_000],
        [4_000, 5_000],
        [5_500, 6_000],
      ],
      1.5,
      1,
    ],
    [
      'a provider that counts nothing',
      [
        [0, 1_000],
        [0, 2_000],
      ],
      1,
      0,
    ],
  ])('learns from %s', (_, measurements, ratio, samples) => {
    const calibration = learn(...measurements)
    expect(calibration.ratio).toBeCloseTo(ratio, 6)
    expect(calibration.samples).toBe(samples)
  })

  it('smooths: later samples weigh less, never nothing', () => {
    const steps: [number, number][] = [[0.5, 0]]
    for (let step = 1; step <= 8; step += 1) steps.push([step * 2_000, step * 1_000])
    expect(learn(...steps).ratio).toBeCloseTo(2, 2)
    expect(learn(...steps, [16_000 + 1_000, 9_000]).ratio).toBeCloseTo(1.75, 2)
  })

  it('keeps what comes beside the context over a change', () => {
    const before = learn([12_000, 1_000], [13_500, 2_000])
    expect(before.overheadTokens).toBe(10_500)
    const after = calibrate(before, undefined)
    expect(after).toEqual({ ratio: 1.5, samples: 1, overheadTokens: 10_500 })
    expect(calibrate(after, undefined)).toBe(after)
  })

  it('makes the whole no larger than it was counted, over a change, too', () => {
    const before = learn([8_000, 10_000], [9_500, 11_000])
    expect(before.ratio).toBe(1.5)
    expect(ratioOfWhole(before)).toBeCloseTo(9_500 / 11_000, 6)
    const after = calibrate(before, undefined)
    expect(after.ratio).toBe(ratioOfWhole(before))
    expect(ratioOfWhole(after)).toBe(after.ratio)
  })

  it('is plain JSON, and leaves what it was given alone', () => {
    const before = Object.freeze(learn([100, 100]))
    const after = calibrate(before, { tokens: 700, estimate: 500 })
    expect(before).toEqual(learn([100, 100]))
    expect(JSON.parse(JSON.stringify(after))).toEqual(after)
  })

  it('is a number from 0.5 to 3 whatever was measured [ALWAYS-20]', () => {
    const number = fc.oneof(fc.double(), fc.integer({ min: -1_000, max: 1_000_000 }))
    const measured = fc.option(fc.record({ tokens: number, estimate: number }), { nil: undefined })
    fc.assert(
      fc.property(fc.array(measured), (measurements) => {
        const { ratio, overheadTokens = 0 } = measurements.reduce(calibrate, UNCALIBRATED)
        expect(ratio).toBeGreaterThanOrEqual(0.5)
        expect(ratio).toBeLessThanOrEqual(3)
        expect(overheadTokens).toBeGreaterThanOrEqual(0)
      }),
      runs(),
    )
  })

  it('finds the ratio of a thread that grows, whatever is sent beside it', () => {
    const overhead = fc.integer({ min: 0, max: 50_000 })
    const truth = fc.double({ min: 0.6, max: 2.5, noNaN: true })
    const steps = fc.array(fc.integer({ min: MIN_DELTA_TOKENS, max: 5_000 }), { minLength: 2 })
    fc.assert(
      fc.property(overhead, truth, steps, (beside, ratio, sizes) => {
        let estimate = 0
        const measurements = sizes.map((size) => {
          estimate += size
          return { tokens: beside + ratio * estimate, estimate }
        })
        expect(measurements.reduce(calibrate, UNCALIBRATED).ratio).toBeCloseTo(ratio, 6)
      }),
      runs(),
    )
  })
})
