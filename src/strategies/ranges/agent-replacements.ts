// The strategies behind the agent's own `compact` tool: ranges, or everything
import type { Strategy } from '../../core/edit/strategy.ts'
import { withFloor } from '../summary/floor.ts'
import { compactRanges, type RangeEdits, type RangeReplacement } from './compact-ranges.ts'
import { type ContextFile, compactWhole } from './compact-whole.ts'

/** `closes` is the open call that asked for it, where one did. */
export function checkpointRange(
  replacements: readonly RangeReplacement[],
  closes?: string,
): Strategy {
  const strategy: Strategy = {
    id: 'checkpoint-range',
    propose: async ({ context, eventAt }) =>
      proposed(
        compactRanges({ context, eventAt, replacements, ...(closes !== undefined && { closes }) }),
      ),
  }
  return withFloor(strategy, 'own')
}

export interface WholeSummary {
  readonly summary: string
  readonly files: readonly ContextFile[]
  readonly continuation?: string
}

export function wholeSummary(whole: WholeSummary, closes?: string): Strategy {
  return withFloor(bareWhole(whole, closes), 'own')
}

/** Exactly what was written, for whoever puts a floor under it. */
export function bareWhole(whole: WholeSummary, closes?: string): Strategy {
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
