// What the agent itself replaces through its `compact` tool, as strategies: ranges, or everything.
import type { Strategy } from '../core/strategy.ts'
import { compactRanges, type RangeEdits, type RangeReplacement } from './compact-ranges.ts'
import { type ContextFile, compactWhole } from './compact-whole.ts'

/** `closes` is the open call that asked for it, where one did. */
export function checkpointRange(
  replacements: readonly RangeReplacement[],
  closes?: string,
): Strategy {
  return {
    id: 'checkpoint-range',
    propose: async ({ context, eventAt }) =>
      proposed(
        compactRanges({ context, eventAt, replacements, ...(closes !== undefined && { closes }) }),
      ),
  }
}

export interface WholeSummary {
  readonly summary: string
  readonly files: readonly ContextFile[]
  readonly continuation?: string
}

export function wholeSummary(whole: WholeSummary, closes?: string): Strategy {
  return {
    id: 'whole-summary',
    propose: async ({ context, eventAt }) =>
      proposed(
        compactWhole({ context, eventAt, ...whole, ...(closes !== undefined && { closes }) }),
      ),
  }
}

function proposed(found: RangeEdits) {
  if (!found.ok) throw found.error
  const { edits, closes } = found
  return { edits, ...(closes && { closes }) }
}
