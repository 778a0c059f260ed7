// The strategies of the agent's own `compact` tool: ranges, or everything.
import type { Edit } from '../../core/edit/change.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import { runHas } from '../../core/view/entry-range.ts'
import { findRequests } from '../../core/view/last-request.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { withFloor } from '../summary/floor.ts'
import { compactRanges, type RangeEdits, type RangeReplacement } from './compact-ranges.ts'
import { type ContextFile, compactWhole, oneLine } from './compact-whole.ts'

/** `closes` is the open call that asked for it, if any. */
export function checkpointRange(
  replacements: readonly RangeReplacement[],
  closes?: string,
): Strategy {
  const strategy: Strategy = {
    id: 'checkpoint-range',
    async propose({ context, eventAt }) {
      const found = compactRanges({
        context,
        eventAt,
        replacements,
        ...(closes !== undefined && { closes }),
      })
      if (found.ok) requireRequest(found.edits, context, eventAt)
      return proposed(found)
    },
  }
  return withFloor(strategy, 'own')
}

const QUOTED_CHARS = 80

/** Deleting the open request would leave the agent without a task. */
function requireRequest(edits: readonly Edit[], context: Context, eventAt: EventAt): void {
  const { shown, isOpen } = findRequests(context.items.toArray(), eventAt)
  const request = shown.findLast(({ id }) =>
    edits.some(({ covers, put }) => put.length === 0 && covers.some((run) => runHas(run, id))),
  )
  if (!request || !isOpen) return
  const quote = JSON.stringify(cutHead(request.text, QUOTED_CHARS))
  throw new PrecisError(
    'invalid-input',
    `The summary is empty, and the range holds the request that is still open: ${quote}.`,
    {
      where: 'replacements',
      hint: 'Write a summary, or end the range with `to` at a checkpoint before the request.',
    },
  )
}

interface WholeSummary {
  readonly summary: string
  readonly files: readonly ContextFile[]
  readonly continuation?: string
}

export function wholeSummary(whole: WholeSummary, closes?: string): Strategy {
  return withFloor(bareWhole(whole, closes), 'own')
}

/** Exactly as written, for callers that add a floor. */
export function bareWhole(whole: WholeSummary, closes?: string): Strategy {
  return {
    id: 'whole-summary',
    async propose({ context, eventAt, run }) {
      for (const file of whole.files) {
        const problem = 'error' in file ? file.error : file.isCut ? 'only in part' : undefined
        if (problem !== undefined)
          run.onWarning?.(
            `A file for the agent was not carried over whole: ${oneLine(`${file.path}: ${problem}`)}`,
          )
      }
      return proposed(
        compactWhole({ context, eventAt, ...whole, ...(closes !== undefined && { closes }) }),
      )
    },
  }
}

function proposed(found: RangeEdits) {
  if (!found.ok) throw found.error
  const { edits, closes } = found
  return { edits, ...(closes && { closes }) }
}
