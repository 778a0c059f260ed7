// The reading: how full the window is, from the provider's last count plus a calibrated estimate.
import type { Reading } from '../edit/change.ts'
import { type Context, calibrationOf, weightOf } from '../view/context.ts'

/** Facts that override the thread's own. */
interface ReadingOptions {
  /** Counted tokens per estimated one; default: learned from the thread's measurements. */
  readonly ratio?: number
  /** Tokens sent beside the context, mainly tools; default: learned. */
  readonly overheadTokens?: number
  /** Only counts: unknown after a change, until the provider counts again. */
  readonly measuredOnly?: boolean
}

const UNKNOWN_READING: Reading = {}

/**
 * The fold drops counts from before the latest change, so they cannot pass for current. Unknown is an absent
 * `tokens`, never 0.
 */
export function readContext(context: Context, options: ReadingOptions = {}): Reading {
  const learned = calibrationOf(context)
  const ratio = positive(options.ratio) ?? positive(learned.ratio) ?? 1
  const weight = weightOf(context)
  const counted = positive(context.measured?.tokens)
  if (context.measured && counted !== undefined) {
    // Only content after the count is estimated, so a wrong ratio matters little.
    const since = Math.max(0, weight - context.measured.estimate)
    return known(counted + ratio * since, 'measured')
  }
  if (options.measuredOnly) return UNKNOWN_READING
  const overhead = positive(options.overheadTokens ?? learned.overheadTokens) ?? 0
  return known(ratio * weight + overhead, 'estimated')
}

function known(tokens: number, by: 'measured' | 'estimated'): Reading {
  return Number.isFinite(tokens) ? { tokens: Math.round(tokens), by } : UNKNOWN_READING
}

/** A count of 0 means the provider does not count. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : undefined
}
