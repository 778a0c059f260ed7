// The entries of a context, page by page, with what each one replaces.
import type { z } from 'zod'
import { nameOfEntry } from '../../core/edit/report-name.ts'
import type { StrategyInput } from '../../core/edit/strategy.ts'
import { isOpening, splitTokens } from '../../core/edit/token-split.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import type { Archive } from '../../core/search/archive.ts'
import { type Context, headIds } from '../../core/view/context.ts'
import { newEntryAt, parseEntryId } from '../../core/view/entry.ts'
import type {
  ContextEntry,
  ContextFigures,
  ContextPage,
  ContextPicture,
} from '../../protocol/client.ts'
import type { recalledSchema } from '../../protocol/schemas.ts'
import { LoadedRows } from '../../threads/rows.ts'
import { entryText } from './diff.ts'
import { categoriesIn, Originals, tokenScale } from './entry-places.ts'

/** Enough for most entries; read the whole by its ref. */
const ENTRY_CHARS = 4_000

interface ThreadContext {
  readonly store: Store
  readonly threadId: string
  readonly context: Context
}

/** Reads only the rows of this page, however long the context is. */
export async function readContextEntries(
  { store, threadId, context }: ThreadContext,
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
  const counted = tokenScale(context)
  const page: ContextEntry[] = headEntries(context, eventAt).slice(from, from + limit)
  for (const { id, kind, tokens } of shown) {
    const label = newEntryAt(id, eventAt)?.label ?? (isOpening(id, eventAt) ? 'summary' : undefined)
    const first = label === undefined ? undefined : (await originals.spans(id))[0]?.[0]
    page.push({
      ref: id,
      role: kind,
      ...(label !== undefined && { label }),
      text: entryText(id, eventAt, ENTRY_CHARS),
      tokens: counted(tokens),
      covers: await originals.under(id),
      ...(first !== undefined && { first: `e${first}` }),
    })
  }
  return { items: page, total: heads.length + items.length }
}

/** The effective prompts come first, and no compaction changes them. */
function headEntries(context: Context, eventAt: EventAt): ContextEntry[] {
  const { systemTokens, userSystemTokens, system } = context.head
  const counted = tokenScale(context)
  return headIds(context).map((ref) => {
    const { seq } = parseEntryId(ref)
    const data = eventAt(seq)?.data
    const text = typeof data === 'string' ? data.slice(0, ENTRY_CHARS) : ''
    const tokens = seq === system ? systemTokens : userSystemTokens
    return { ref, role: 'system', text, tokens: counted(tokens), covers: 1 }
  })
}

const LARGEST = 10

/** The figures tell how full the window is; the context tells with what. */
export function buildPicture(
  { context, eventAt }: Pick<StrategyInput, 'context' | 'eventAt'>,
  figures: ContextFigures,
): ContextPicture {
  const counted = tokenScale(context)
  const known = categoriesIn(splitTokens(context, eventAt), counted)
  const total = known.reduce((sum, { tokens }) => sum + tokens, 0)
  const used = figures.tokens ?? total
  // What a provider counts beyond the log: mostly the tools. Compactions do not change it.
  const beyond = Math.max(0, used - total)
  const free = figures.limit === undefined ? undefined : Math.max(0, figures.limit - used)
  return {
    categories: [
      ...known.filter(({ tokens }) => tokens > 0),
      ...(beyond > 0 ? [{ name: 'tools', tokens: beyond }] : []),
      ...(free === undefined ? [] : [{ name: 'free', tokens: free }]),
    ],
    context: figures,
    largest: context.items
      .toArray()
      .filter(({ kind }) => kind !== 'gap')
      .toSorted((one, other) => other.tokens - one.tokens)
      .slice(0, LARGEST)
      .map(({ id, tokens }) => ({
        ref: id,
        what: nameOfEntry(id, eventAt),
        tokens: counted(tokens),
      })),
  }
}

type WireRecalled = z.output<typeof recalledSchema>

const MOST_FINDS = 20
const PAGE_CHARS = 100_000

/** Searches a thread by words and reads by ref. */
export async function recalled(
  archive: Archive,
  { query, ref, offset = 0 }: { query?: string; ref?: string; offset?: number },
): Promise<WireRecalled> {
  if (query !== undefined && ref === undefined) return found(archive, query)
  if (ref !== undefined && query === undefined) {
    const page = await archive.read(ref, offset, PAGE_CHARS)
    return { ...page, hits: [] }
  }
  throw new PrecisError('invalid-input', 'Give either `query` or `ref`.', {
    where: 'query',
    hint: 'Use `query` to search, and `ref` to read a match in full.',
  })
}

async function found(archive: Archive, query: string): Promise<WireRecalled> {
  const { finds, matching } = await archive.search(query, MOST_FINDS)
  const hits = finds.map(({ ref, speaker, timestamp, snippet }) => ({
    ref,
    speaker,
    timestamp: timestamp.toISOString(),
    text: snippet,
  }))
  if (hits.length === 0) return { text: 'Nothing was found.', hits }
  const more = matching > hits.length ? [`${matching - hits.length} more were found.`] : []
  const lines = hits.map(({ ref, speaker, text }) => `[ref:${ref}] ${speaker}: ${text}`)
  return { text: [...lines, ...more].join('\n'), hits }
}
