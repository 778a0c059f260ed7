// Trimming with refs, as a rung of the ladder.
import type { Edit, NewEntry } from '../../core/edit/change.ts'
import { proposing, type Strategy, stepwise } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import { weightOf } from '../../core/view/context.ts'
import type { Item } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { roundsOf } from '../../core/view/seam.ts'
import { WHOLE_ROUNDS } from '../mask.ts'
import { measureRewrite, readRef, resultWith, trimToolResults, untilSaved } from '../trim.ts'

/** `trim-tool-results` as a rung: oldest first, as few as needed, and each cut names its ref. */
export const trimRung: Strategy = stepwise({
  id: trimToolResults.id,
  *steps(input) {
    const { context, eventAt, targetTokens } = input
    const items = new Map(context.items.toArray().map((item) => [item.id, item]))
    const recent = recentResults(context.items.toArray(), context.open)
    const { edits } = yield* proposing(trimToolResults, { ...input, trigger: 'auto' })
    const rewrites = edits.flatMap((edit) => {
      const item = items.get(edit.covers[0] as Item['id'])
      const entry = item && !recent.has(item.id) ? withRef(edit, item, eventAt) : undefined
      const rewrite = item && entry && measureRewrite(item, entry, eventAt)
      return rewrite && rewrite.saved > 0 ? [rewrite] : []
    })
    const excess = targetTokens === undefined ? undefined : weightOf(context) - targetTokens
    return { edits: untilSaved(rewrites, excess) }
  },
})

function recentResults(items: readonly Item[], open: ReadonlySet<string>): Set<Item['id']> {
  const from = roundsOf(items, open).at(-WHOLE_ROUNDS)?.start ?? 0
  return new Set(items.slice(from).map(({ id }) => id))
}

/** After the marker of each cut block. */
function withRef({ put: [put] }: Edit, item: Item, eventAt: EventAt): NewEntry | undefined {
  const before = contentOf(item.id, eventAt)
  if (!put || !('label' in put) || put.type !== 'TOOL_RESULT' || before?.kind !== 'result')
    return undefined
  const content = put.data.content.map((block, at) =>
    block.text === undefined || block.text === before.result.content[at]?.text
      ? block
      : { ...block, text: `${block.text} ${readRef(item.id, eventAt)}` },
  )
  return resultWith(put.data, content, 'trimmed')
}
