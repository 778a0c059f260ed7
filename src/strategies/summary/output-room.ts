// The maximum length of a summary, for the model that writes it
import type { ModelLimits } from '../../core/ports.ts'

/** Room for a long summary, and for the thinking that some models do first. */
const OUTPUT_TOKENS = 16_384
/** An answer takes at most a quarter of a small window, not all of it. */
const OUTPUT_SHARE = 4

export function outputRoom(
  { windowTokens, outputTokens }: ModelLimits,
  wanted = OUTPUT_TOKENS,
): number {
  const share = windowTokens === undefined ? wanted : Math.floor(windowTokens / OUTPUT_SHARE)
  return Math.max(1, Math.min(wanted, outputTokens ?? wanted, share))
}
