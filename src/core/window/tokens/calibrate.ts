// Calibrates the estimate for a model, from its provider's counts

/** What a provider counted, beside our own estimate of the same context. */
export interface Measurement {
  readonly tokens: number
  readonly estimate: number
}

export interface Calibration {
  readonly ratio: number // counted tokens for each estimated one
  readonly samples: number // pairs of measurements it was learned from
  /** What the provider counted beyond the context: tools, mostly. Outlives a change of the context. */
  readonly overheadTokens?: number
  readonly last?: Measurement // to compare the next one with
}

/** Until two measurements are known, the estimate stands as it is. */
export const UNCALIBRATED: Calibration = { ratio: 1, samples: 0 }

/** Between closer measurements, what a provider adds around each message would distort the ratio. */
export const MIN_DELTA_TOKENS = 200

const LOWEST_RATIO = 0.5

const HIGHEST_RATIO = 3

const LOWEST_WEIGHT = 0.25

/**
 * One more measurement of a growing context; undefined if there is none, as after a change of the
 * context: what follows is not compared with what was before. Only what was added between two
 * measurements counts, so the constant part (system prompt, tools) cancels out.
 */
export function calibrate(
  calibration: Calibration,
  measured: Measurement | undefined,
): Calibration {
  const { last, ...learned } = calibration
  if (measured === undefined || !isUsable(measured)) {
    return last === undefined ? calibration : { ...learned, ratio: ratioOfWhole(calibration) }
  }
  if (last === undefined) return anchored(learned, measured)
  const estimated = measured.estimate - last.estimate
  const counted = measured.tokens - last.tokens
  // It shrank although nothing was changed here: start again from what is there now.
  if (estimated < 0 || counted < 0) return anchored(learned, measured)
  if (estimated < MIN_DELTA_TOKENS) return calibration
  const { ratio, samples } = learned
  const weight = Math.max(LOWEST_WEIGHT, 1 / (samples + 1))
  const better = ratio + weight * (clamp(counted / estimated) - ratio)
  return anchored({ ratio: better, samples: samples + 1 }, measured)
}

/**
 * The ratio for a whole context rather than for what is added to it. The context is a part of what was
 * counted last, so a ratio by which it would be more is too high.
 */
export function ratioOfWhole({ ratio, last }: Calibration): number {
  return last ? Math.min(ratio, clamp(last.tokens / last.estimate)) : ratio
}

function anchored(learned: Calibration, { tokens, estimate }: Measurement): Calibration {
  const overheadTokens = Math.max(0, Math.round(tokens - learned.ratio * estimate))
  return { ...learned, overheadTokens, last: { tokens, estimate } }
}

function isUsable({ tokens, estimate }: Measurement): boolean {
  return Number.isFinite(tokens) && tokens > 0 && Number.isFinite(estimate) && estimate >= 0
}

function clamp(ratio: number): number {
  return Math.min(HIGHEST_RATIO, Math.max(LOWEST_RATIO, ratio))
}
