// `prune`: replaces duplicate, superseded and machine-only content with one-line stubs, without a model
import type { Edit, EntryId, NewEntry } from '../../core/edit/change.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Item } from '../../core/view/entry.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { weighText } from '../../core/window/tokens/weigh.ts'
import { resultWith, rewriteOf } from '../elision.ts'
import { base64 } from './base64.ts'
import { failedAttempts } from './failed-attempts.ts'
import { generatedFiles } from './generated-files.ts'
import { jsonRows } from './json-rows.ts'
import { listings } from './listings.ts'
import { logs } from './logs.ts'
import { oldImages } from './old-images.ts'
import { progress } from './progress.ts'
import type { Elision, Prune } from './prune-kind.ts'
import { repeatedReads } from './repeated-reads.ts'
import { repeatedResults } from './repeated-results.ts'
import { supersededWrites } from './superseded-writes.ts'
import { type PruneView, pruneView } from './tool-uses.ts'

/** Of what several would do to one entry, the first in this list does it. */
const PRUNES: readonly Prune[] = [
  repeatedReads,
  supersededWrites,
  repeatedResults,
  failedAttempts,
  generatedFiles,
  base64,
  oldImages,
  jsonRows,
  listings,
  logs,
  progress,
]

/** The names by which prunes can be chosen. */
export const PRUNE_NAMES: readonly string[] = PRUNES.map(({ name }) => name)

/** Fewer are not worth a change. */
const LEAST_SAVED_TOKENS = 16

/** A strategy that prunes in these ways alone. */
export function createPrune(names: readonly string[] = PRUNE_NAMES): Strategy {
  const unknown = names.find((name) => !PRUNE_NAMES.includes(name))
  if (unknown !== undefined)
    throw new PrecisError('invalid-input', `Unknown prune rule: ${unknown}.`, {
      where: unknown,
      hint: `Prunes: ${PRUNE_NAMES.join(', ')}.`,
    })
  const chosen = PRUNES.filter(({ name }) => names.includes(name))
  return {
    id: 'prune',
    async propose({ context, eventAt }) {
      const view = pruneView(context, eventAt)
      const edits: Edit[] = []
      const reasons: Record<string, EntryId[]> = {}
      const taken = new Set<number>()
      for (const { name, isSingle, find } of chosen) {
        const done: EntryId[] = []
        const free = isSingle ? view.uses.filter(({ at }) => !taken.has(at)) : view.uses
        for (const elision of find({ ...view, uses: free })) {
          const { start, end } = placeOf(elision)
          if (rangeHas(taken, start, end)) continue
          const edit = editFor(elision, view)
          if (!edit) continue
          edits.push(edit)
          for (let at = start; at < end; at += 1) {
            taken.add(at)
            done.push((view.items[at] as Item).id)
          }
        }
        if (done.length > 0) reasons[name] = done
      }
      return { edits, metadata: { pruned: edits.length, reasons } }
    },
  }
}

export const prune = createPrune()

function placeOf(elision: Elision): { readonly start: number; readonly end: number } {
  if ('said' in elision) return elision.use.round
  const at = 'use' in elision ? elision.use.at : elision.at
  return { start: at, end: at + 1 }
}

function rangeHas(taken: ReadonlySet<number>, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (taken.has(at)) return true
  return false
}

/** Undefined if it would save next to nothing. */
function editFor(elision: Elision, view: PruneView): Edit | undefined {
  const { items, eventAt } = view
  if ('said' in elision) {
    const { start, end } = elision.use.round
    const round = items.slice(start, end)
    const data = { content: elision.said, calls: [] }
    const saved = round.reduce((sum, { tokens }) => sum + tokens, 0) - weighText(elision.said)
    if (saved < LEAST_SAVED_TOKENS) return undefined
    return {
      covers: runsOf(round, eventAt),
      put: [{ type: 'AGENT_MESSAGE', data, label: 'trimmed' }],
    }
  }
  const entry: NewEntry =
    'use' in elision
      ? resultWith(elision.use.result, elision.content, 'trimmed')
      : { type: 'USER_MESSAGE', data: elision.words, label: 'trimmed' }
  const item = items['use' in elision ? elision.use.at : elision.at] as Item
  const { edit, saved } = rewriteOf(item, entry, eventAt)
  return saved < LEAST_SAVED_TOKENS ? undefined : edit
}
