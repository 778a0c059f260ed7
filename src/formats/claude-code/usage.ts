// Billed usage in Claude Code's files, and where its counts are unreliable.
import type { TokenUsage } from '../../core/view/content.ts'
import { anthropicUsage } from '../../wire/answer-facts.ts'
import { countIn, type Fields, usageFrom } from '../reading/raw.ts'

/**
 * `saidTokens` is our estimate of the answer. Versions 2.1.12 to 2.1.37 recorded only the first partial
 * output count, far too low, so the estimate is better.
 */
export function readUsage(
  usage: Fields,
  version: string | undefined,
  saidTokens: number,
): TokenUsage | undefined {
  const output = countIn(usage.output_tokens)
  const isPartial = output !== undefined && hasPartialOutput(version)
  return usageFrom({
    ...anthropicUsage(usage),
    ...(isPartial && { output: Math.max(output, saidTokens) }),
  })
}

const FIRST_PARTIAL = 12

const LAST_PARTIAL = 37

export function hasPartialOutput(version: string | undefined): boolean {
  const patch = Number(/^2\.1\.(\d+)$/.exec(version ?? '')?.[1])
  return patch >= FIRST_PARTIAL && patch <= LAST_PARTIAL
}
