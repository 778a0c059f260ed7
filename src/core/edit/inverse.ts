// The inverse of a change: edits that restore exactly what was there before.
import type { EventAt } from '../log/event.ts'
import type { Item } from '../view/entry.ts'
import { runsOf } from '../view/entry-range.ts'
import type { PlacedEdit } from './apply.ts'
import type { Edit, Hidden, Kept, Run } from './change.ts'

/**
 * `before` and `after` are the items around a change, `placed` its edits in context order. Answers outside
 * the edits whose thinking was hidden get an edit that only shows it again.
 */
export function computeInverse(
  before: readonly Item[],
  after: readonly Item[],
  placed: readonly PlacedEdit[],
  eventAt: EventAt,
): Edit[] {
  const inverse: Edit[] = []
  let fromBefore = 0
  let fromAfter = 0
  for (const edit of [...placed, undefined]) {
    const end = edit?.start ?? before.length
    const outputStart = fromAfter + (end - fromBefore)
    inverse.push(
      ...shownAgain(before.slice(fromBefore, end), after.slice(fromAfter, outputStart), eventAt),
    )
    if (!edit) break
    const output = after.slice(outputStart, outputStart + edit.items.length)
    inverse.push({
      covers: runsOf(output, eventAt),
      put: keptAs(before.slice(edit.start, edit.end), eventAt),
    })
    fromBefore = edit.end
    fromAfter = outputStart + edit.items.length
  }
  return inverse
}

/** Whether this edit changes only what is hidden. */
export function hidesOnly(edit: Edit): boolean {
  return (
    edit.put.length === edit.covers.length &&
    edit.put.every((put, at) => 'keep' in put && sameRun(put.keep, edit.covers[at] as Run))
  )
}

function sameRun(a: Run, b: Run): boolean {
  return typeof a === 'string' || typeof b === 'string'
    ? a === b
    : a[0] === b[0] && a[1] === b[1] && a[2] === b[2]
}

/** Items as kept runs with explicit hidden state. */
export function keptAs(items: readonly Item[], eventAt: EventAt): Kept[] {
  return findGroups(items, (item) =>
    item.thinkingTokens === undefined ? undefined : isHidden(item),
  ).flatMap((group) => {
    const hide: readonly Hidden[] = group.state ? ['thinking'] : []
    return runsOf(group.items, eventAt).map((keep) => ({ keep, hide }))
  })
}

/** Edits that show thinking again that a change hid outside its edits. */
function shownAgain(before: readonly Item[], after: readonly Item[], eventAt: EventAt): Edit[] {
  if (!before.some((item, at) => !isHidden(item) && isHidden(after[at]))) return []
  const hiddenNow = new Set(
    before.filter((item, at) => !isHidden(item) && isHidden(after[at])).map((item) => item.id),
  )
  return findGroups(before, (item) =>
    item.thinkingTokens === undefined ? undefined : hiddenNow.has(item.id),
  )
    .filter((group) => group.state)
    .map((group) => {
      const covers = runsOf(group.items, eventAt)
      return { covers, put: covers.map((keep) => ({ keep, hide: [] })) }
    })
}

export function isHidden(item: Item | undefined): boolean {
  return item?.hide?.includes('thinking') ?? false
}

/** Adjacent items with the same state; items without one join those before. */
function findGroups(
  items: readonly Item[],
  stateOf: (item: Item) => boolean | undefined,
): { state: boolean; items: Item[] }[] {
  const groups: { state: boolean | undefined; items: Item[] }[] = []
  for (const item of items) {
    const state = stateOf(item)
    const group = groups.at(-1)
    if (!group || (state !== undefined && group.state !== undefined && group.state !== state))
      groups.push({ state, items: [item] })
    else {
      group.items.push(item)
      group.state ??= state
    }
  }
  return groups.map((group) => ({ state: group.state ?? false, items: group.items }))
}
