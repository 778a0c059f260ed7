// The entries of a context, page by page, with what each one replaces
import type { Edit, EntryId, Run } from '../../core/edit/change.ts'
import { readRow } from '../../core/log/codec.ts'
import { type EventAt, isChange } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { type Context, headIds } from '../../core/view/context.ts'
import { isNew, newEntryAt, parseEntryId, putsOf } from '../../core/view/entry.ts'
import type { ContextEntry, ContextPage } from '../../protocol/client.ts'
import { LoadedRows } from '../../threads/rows.ts'
import { entryText } from './entry-text.ts'

/** Enough to recognise it and to read most; the whole can be read by its ref. */
const ENTRY_CHARS = 4_000

interface Seen {
  readonly store: Store
  readonly threadId: string
  readonly context: Context
}

/** Only the rows of this page are read, however long the context is. */
export async function contextEntriesOf(
  { store, threadId, context }: Seen,
  { from = 0, limit = 100 }: { readonly from?: number; readonly limit?: number },
): Promise<ContextPage> {
  const rows = new LoadedRows(store, threadId)
  const originals = new Originals(store, threadId)
  const heads = headIds(context)
  const items = context.items.toArray().filter(({ kind }) => kind !== 'gap')
  const start = Math.max(0, from - heads.length)
  const shown = items.slice(start, Math.max(start, from + limit - heads.length))
  await rows.loadEntries(heads, 0)
  await rows.loadEntries(
    shown.map(({ id }) => id),
    context.version,
  )
  const { eventAt } = rows
  const page: ContextEntry[] = headEntries(context, eventAt).slice(from, from + limit)
  for (const { id, kind, tokens } of shown) {
    const label = newEntryAt(id, eventAt)?.label
    page.push({
      ref: id,
      role: kind,
      ...(label !== undefined && { label }),
      text: entryText(id, eventAt, ENTRY_CHARS),
      tokens,
      covers: await originals.under(id),
    })
  }
  return { items: page, total: heads.length + items.length }
}

/** The prompts in effect stand before everything, and no compaction reaches them. */
function headEntries(context: Context, eventAt: EventAt): ContextEntry[] {
  const { systemTokens, userSystemTokens, system } = context.head
  return headIds(context).map((ref) => {
    const { seq } = parseEntryId(ref)
    const data = eventAt(seq)?.data
    const text = typeof data === 'string' ? data.slice(0, ENTRY_CHARS) : ''
    const tokens = seq === system ? systemTokens : userSystemTokens
    return { ref, role: 'system', text, tokens, covers: 1 }
  })
}

/**
 * Counts originals from the changes alone: a summary of a hundred thousand entries is counted without
 * reading one of them. For one request: changes are kept as long as it lasts.
 */
class Originals {
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

/** Only the first new entry of an edit stands for what the edit took out. */
function carriedBy(edits: readonly Edit[], index: number): Edit | undefined {
  let next = 0
  for (const edit of edits) {
    const made = putsOf(edit).filter(isNew).length
    if (made > 0 && next === index) return edit
    next += made
  }
  return undefined
}
