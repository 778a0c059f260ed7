// The reading: how full the window is, from the provider's last count plus a calibrated estimate
import type { Reading } from '../edit/change.ts'
import { type Context, calibrationOf, weightOf } from '../view/context.ts'

/** What is known better than the thread itself knows it. */
interface ReadingOptions {
  /** Counted tokens for each estimated one; else what the thread's measurements taught. */
  readonly ratio?: number
  /** What is sent beside the context, the tools above all; else what they taught. */
  readonly overheadTokens?: number
  /** Nothing that was not counted: unknown after a change, until the provider has counted again. */
  readonly measuredOnly?: boolean
}

const UNKNOWN_READING: Reading = {}

/**
 * A count from before the latest change of the context is not there any more (the fold drops it),
 * so it cannot pass for the present. Unknown is an absent `tokens`, never 0.
 */
export function readContext(context: Context, options: ReadingOptions = {}): Reading {
  const learned = calibrationOf(context)
  const ratio = positive(options.ratio) ?? positive(learned.ratio) ?? 1
  const weight = weightOf(context)
  const counted = positive(context.measured?.tokens)
  if (context.measured && counted !== undefined) {
    // Only what came after the count is estimated, so a wrong ratio does little harm.
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

/** A count of 0 is a provider that does not count. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : undefined
}
