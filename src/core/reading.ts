// How full the window is: what the provider counted last, and a calibrated estimate of what came since.
import type { Reading } from './change.ts'
import { type Context, weightOf } from './context.ts'

/** A `Calibration` can be passed as it is. */
export interface ReadingOptions {
  /** Counted tokens for each estimated one (see tokens/calibrate.ts); 1 where it is not known. */
  readonly ratio?: number
  /** What is sent beside the context, the tools above all: only an estimate has to add it. */
  readonly overheadTokens?: number
  /** Nothing that was not counted: unknown after a change, until the provider has counted again. */
  readonly measuredOnly?: boolean
}

export const UNKNOWN: Reading = {}

/**
 * A count from before the latest change of the context is not there any more (the fold drops it),
 * so it cannot pass for the present. Unknown is an absent `tokens`, never 0.
 */
export function readContext(context: Context, options: ReadingOptions = {}): Reading {
  const ratio = positiveOr(options.ratio, 1)
  const weight = weightOf(context)
  const { measured } = context
  if (measured && isKnown(measured.tokens) && measured.tokens > 0) {
    const since = Math.max(0, weight - measured.estimate)
    return known(measured.tokens + ratio * since, 'measured')
  }
  if (options.measuredOnly) return UNKNOWN
  return known(ratio * weight + positiveOr(options.overheadTokens, 0), 'estimated')
}

function known(tokens: number, by: 'measured' | 'estimated'): Reading {
  return isKnown(tokens) ? { tokens: Math.round(tokens), by } : UNKNOWN
}

function isKnown(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens >= 0
}

function positiveOr(value: number | undefined, otherwise: number): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : otherwise
}
