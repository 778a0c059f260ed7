// What a person is told whose compaction changed nothing: why, and what would change something.
import type { CompactionResult } from '../../core/agent/frame.ts'
import { metTargetIn } from '../../core/edit/already-small.ts'

/** It leaves the last messages alone and takes all others, however little there is. */
const TAKES_ALL = 'summarize'

export function nothingDone(result: CompactionResult): string {
  const { strategy, report } = result
  const nothing = `${strategy} ${whyNothing(result)}`
  const { fallback } = report ?? {}
  if (fallback)
    return `Nothing was compacted: ${fallback.from} failed. ${fallback.reason} Then ${nothing}`
  if (strategy === TAKES_ALL) return `Nothing was compacted: ${nothing}`
  return `Nothing was compacted: ${nothing} /strategy ${TAKES_ALL}, then /compact, summarises all but the last messages.`
}

function whyNothing({ event }: CompactionResult): string {
  const met = metTargetIn(event?.data.metadata)
  if (!met) return 'found nothing to take out, and the context is as it was.'
  const [tokens, target] = [met.tokens, met.targetTokens].map((each) =>
    Math.round(each).toLocaleString('en-US'),
  )
  return `left the context (${tokens} tokens) as it was: that is within its target of ${target} tokens.`
}
