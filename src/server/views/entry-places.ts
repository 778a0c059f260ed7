// Where each original entry is now: in the context as it was, or replaced.
import type { Edit, EntryId, Run } from '../../core/edit/change.ts'
import type { TokenSplit } from '../../core/edit/token-split.ts'
import { readRow } from '../../core/log/codec.ts'
import { bearsEntry, isChange } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { type Context, calibrationOf, headIds } from '../../core/view/context.ts'
import { collectPuts, isNew, itemAt, newEntryAt, parseEntryId } from '../../core/view/entry.ts'
import { ratioOfWhole } from '../../core/window/tokens/calibrate.ts'
import type { ContextCategory, EntryPlace } from '../../protocol/client.ts'
import { LoadedRows } from '../../threads/rows.ts'

/** Entries have estimates, windows have counted figures. This makes them comparable. */
export function tokenScale(context: Context): (tokens: number) => number {
  const ratio = ratioOfWhole(calibrationOf(context))
  return (tokens) => Math.round(ratio * tokens)
}

interface ThreadContext {
  readonly store: Store
  readonly threadId: string
  readonly context: Context
}

const PAGE = 1_000

export async function readPlaces(
  { store, threadId, context }: ThreadContext,
  { from = 1, limit = PAGE }: { readonly from?: number; readonly limit?: number },
): Promise<EntryPlace[]> {
  const rows = new LoadedRows(store, threadId)
  const last = Math.min(from + limit - 1, context.version)
  if (from > last) return []
  const events = rows.addRows(await store.read(threadId, { from, to: last }))
  const replaced = new Map<number, Pick<EntryPlace, 'place' | 'by' | 'label' | 'together'>>()
  const originals = new Originals(store, threadId)
  let place = headIds(context).length
  for (const { id, kind } of context.items) {
    const parsed = parseEntryId(id)
    const at = kind === 'gap' ? {} : { place }
    if (kind !== 'gap') place += 1
    if (parsed.original) {
      if (parsed.seq >= from && parsed.seq <= last) replaced.set(parsed.seq, at)
      continue
    }
    const found = { ...at, by: id, together: await originals.under(id) }
    for (const [first, end] of await originals.spans(id))
      for (let seq = Math.max(first, from); seq <= Math.min(end, last); seq += 1)
        replaced.set(seq, found)
  }
  await rows.loadEntries(
    [...new Set([...replaced.values()].flatMap(({ by }) => (by ? [by as EntryId] : [])))],
    context.version,
  )
  const counted = tokenScale(context)
  return events.filter(bearsEntry).map(({ seq }) => {
    const found = replaced.get(seq) ?? {}
    const label = found.by && newEntryAt(found.by as EntryId, rows.eventAt)?.label
    const tokens = counted(itemAt(`e${seq}`, rows.eventAt)?.tokens ?? 0)
    return { ref: `e${seq}`, tokens, ...found, ...(label !== undefined && { label }) }
  })
}

type Span = readonly [first: number, last: number]

/**
 * Counts originals from the changes alone, so a summary of a hundred thousand entries needs no reads. Lives
 * for one request: it caches changes.
 */
export class Originals {
  readonly #store: Pick<Store, 'read'>
  readonly #threadId: string
  readonly #edits = new Map<number, Promise<readonly Edit[]>>()

  constructor(store: Pick<Store, 'read'>, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  /** How many originals this entry stands for. */
  async under(id: EntryId): Promise<number> {
    const parsed = parseEntryId(id)
    if (parsed.original) return 1
    const edit = carriedBy(await this.#editsOf(parsed.seq), parsed.index)
    if (!edit) return 0
    const kept = edit.put.flatMap((put) => ('keep' in put ? [put.keep] : []))
    return (await this.#sum(edit.covers)) - (await this.#sum(kept))
  }

  /** The numbers of the events this entry stands for, in order, as the ends of ranges. */
  async spans(id: EntryId): Promise<readonly Span[]> {
    const parsed = parseEntryId(id)
    if (parsed.original) return [[parsed.seq, parsed.seq]]
    const edit = carriedBy(await this.#editsOf(parsed.seq), parsed.index)
    if (!edit) return []
    const kept = edit.put.flatMap((put) => ('keep' in put ? [put.keep] : []))
    return without(await this.#spansOf(edit.covers), await this.#spansOf(kept))
  }

  async #spansOf(runs: readonly Run[]): Promise<Span[]> {
    const spans: Span[] = []
    for (const run of runs)
      if (typeof run === 'string') spans.push(...(await this.spans(run)))
      else spans.push([parseEntryId(run[0]).seq, parseEntryId(run[1]).seq])
    return spans.sort(([one], [other]) => one - other)
  }

  async #sum(runs: readonly Run[]): Promise<number> {
    let sum = 0
    for (const run of runs) sum += typeof run === 'string' ? await this.under(run) : run[2]
    return sum
  }

  #editsOf(seq: number): Promise<readonly Edit[]> {
    const known = this.#edits.get(seq) ?? this.#read(seq)
    this.#edits.set(seq, known)
    return known
  }

  async #read(seq: number): Promise<readonly Edit[]> {
    const [row] = await this.#store.read(this.#threadId, { from: seq, to: seq })
    const event = row && readRow(row)
    return event && isChange(event) ? event.data.edits : []
  }
}

/** Only the first new entry of an edit stands for the removed ones. */
function carriedBy(edits: readonly Edit[], index: number): Edit | undefined {
  let next = 0
  for (const edit of edits) {
    const made = collectPuts(edit).filter(isNew).length
    if (made > 0 && next === index) return edit
    next += made
  }
  return undefined
}

/** Both are sorted, and no kept span crosses an end. */
function without(spans: readonly Span[], kept: readonly Span[]): Span[] {
  const left: Span[] = []
  for (const [first, last] of spans) {
    let from = first
    for (const [keptFirst, keptLast] of kept) {
      if (keptLast < from || keptFirst > last) continue
      if (keptFirst > from) left.push([from, keptFirst - 1])
      from = keptLast + 1
    }
    if (from <= last) left.push([from, last])
  }
  return left
}

/** In one order everywhere, without those that are empty in all. */
export function categoriesIn(
  { toolResults, toolCalls, ...split }: TokenSplit,
  counted: (tokens: number) => number,
): ContextCategory[] {
  const results = toolResults.reduce((sum, { tokens }) => sum + tokens, 0)
  return [
    { name: 'system', tokens: counted(split.system) },
    { name: 'user', tokens: counted(split.user) },
    { name: 'assistant', tokens: counted(split.assistant) },
    { name: 'thinking', tokens: counted(split.thinking) },
    { name: 'tool calls', tokens: counted(toolCalls) },
    { name: 'tool results', tokens: counted(results) },
    { name: 'images', tokens: counted(split.images) },
    { name: 'summaries', tokens: counted(split.summaries) },
  ]
}
