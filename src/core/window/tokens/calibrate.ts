// Calibrates the estimate for a model, from its provider's counts.

/** A provider's count and our estimate of the same context. */
export interface Measurement {
  readonly tokens: number
  readonly estimate: number
}

export interface Calibration {
  readonly ratio: number // counted tokens per estimated one
  readonly samples: number // pairs of measurements used
  /** What the provider counted beyond the context, mostly tools. Survives context changes. */
  readonly overheadTokens?: number
  readonly last?: Measurement // for comparison with the next one
}

/** The estimate is used unchanged until there are two measurements. */
export const UNCALIBRATED: Calibration = { ratio: 1, samples: 0 }

/** Between closer measurements, overhead per message would distort the ratio. */
export const MIN_DELTA_TOKENS = 200

const LOWEST_RATIO = 0.5

const HIGHEST_RATIO = 3

const LOWEST_WEIGHT = 0.25

/**
 * Adds a measurement of a growing context; undefined restarts, as after a context change. Only what was added
 * between two measurements counts, so constant parts (system prompt, tools) cancel out.
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
  // It shrank without a change here: restart from the current measurement.
  if (estimated < 0 || counted < 0) return anchored(learned, measured)
  if (estimated < MIN_DELTA_TOKENS) return calibration
  const { ratio, samples } = learned
  const weight = Math.max(LOWEST_WEIGHT, 1 / (samples + 1))
  const better = ratio + weight * (clamp(counted / estimated) - ratio)
  return anchored({ ratio: better, samples: samples + 1 }, measured)
}

/**
 * The ratio for a whole context rather than for additions. The context is part of what was last counted, so a
 * ratio that exceeds the count is too high.
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
