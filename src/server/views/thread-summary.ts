// A thread as a list shows it: its title, its age, where it came from.
import type { z } from 'zod'
import { readRow } from '../../core/log/codec.ts'
import type { EventOf, ThreadEvent } from '../../core/log/event.ts'
import { isPartialImport } from '../../core/log/import-end.ts'
import type { SearchQuery, Store, ThreadInfo } from '../../core/ports.ts'
import { queryWords } from '../../core/search/words.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import type { threadPageSchema, threadSummarySchema } from '../../protocol/schemas.ts'
import { maySee, readNames } from '../accounts/owners.ts'

export type WireSummary = z.output<typeof threadSummarySchema>
type Reading = Pick<Store, 'read' | 'info' | 'list' | 'index' | 'find'>

/** A title must come from the first events. */
const LOOKED_AT = 20
const TITLE_CHARS = 200
/** Threads examined by one search; the next page continues from there. */
const MOST_SEARCHED = 2_000
const PAGE = 50
const MOST_FINDS = 100

export async function buildSummary(store: Reading, info: ThreadInfo): Promise<WireSummary> {
  return summaryBy(store, info, await readOpening(store, info))
}

async function summaryBy(
  store: Reading,
  info: ThreadInfo,
  events: readonly ThreadEvent[],
): Promise<WireSummary> {
  const { threadId, version, createdAt, updatedAt } = info
  const started = events.findLast((event) => event.type === 'THREAD_STARTED')
  const parent = info.parent ?? started?.data.from
  return {
    threadId,
    title: await readTitle(store, events, started),
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(parent && { parent }),
    ...(started?.data.reason !== undefined && { reason: started.data.reason }),
    ...((await isPartialImport(store, info, events[0])) && { isPartial: true as const }),
    ...importTime(started),
  }
}

/** What the first event of an import tells about it. */
function importTime(started: EventOf<'THREAD_STARTED'> | undefined) {
  const { source } = started ?? {}
  const at = typeof source === 'object' && source !== null && 'at' in source ? source.at : undefined
  const time = typeof at === 'string' ? new Date(at) : undefined
  const isTime = time !== undefined && !Number.isNaN(time.getTime())
  return isTime && { importedAt: time.toISOString() }
}

/**
 * Latest first, restricted to the owner. A search matches threads by title or id, and by what was said in
 * them, compacted or not.
 */
export async function listThreads(
  store: Reading,
  query: { readonly after?: string; readonly limit?: number; readonly search?: string },
  owner?: string,
): Promise<z.output<typeof threadPageSchema>> {
  const { limit = PAGE } = query
  const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const whose = owner === undefined ? {} : { owners: readNames(owner) }
  const saying = await threadsSaying(store, query.search ?? '', whose)
  const items: WireSummary[] = []
  let { after } = query
  for (let searched = 0; ; ) {
    const wanted = limit - items.length
    // Skips hidden threads in large steps.
    const step = words.length === 0 ? wanted : Math.max(wanted, PAGE)
    const pageOf = (size: number) =>
      store.list({ limit: size, ...whose, ...(after !== undefined && { after }) })
    let page = await pageOf(step)
    const shown = await Promise.all(
      page.items.map(async (info) => {
        const events = await readOpening(store, info)
        const summary = maySee(owner, events[0]) && (await summaryBy(store, info, events))
        return summary && (has(summary, words) || saying.has(info.threadId)) ? summary : undefined
      }),
    )
    const places = shown.flatMap((summary, place) => (summary ? [place] : []))
    const last = places[wanted - 1]
    // The next page starts after the last shown thread; only the store can compute its cursor.
    if (last !== undefined && last < shown.length - 1) page = await pageOf(last + 1)
    items.push(...shown.slice(0, page.items.length).filter((summary) => summary !== undefined))
    searched += page.items.length
    after = page.next
    if (after === undefined) return { items }
    if (items.length >= limit || searched >= MOST_SEARCHED) return { items, next: after }
  }
}

/** The best matches the owner may see; each contains all the words. */
async function threadsSaying(
  { index }: Reading,
  text: string,
  whose: Pick<SearchQuery, 'owners'>,
): Promise<ReadonlySet<string>> {
  if (!index || queryWords(text).length === 0) return new Set()
  const { finds, hasAllWords } = await index.search({
    text,
    limit: MOST_FINDS,
    isThreadOnce: true,
    ...whose,
  })
  return new Set(hasAllWords ? finds.map(({ threadId }) => threadId) : [])
}

function has({ title, threadId }: WireSummary, words: readonly string[]): boolean {
  const text = `${title} ${threadId}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** A fork shares the opening of its parent, followed by its own name. */
async function readOpening(
  store: Reading,
  { threadId, parent }: ThreadInfo,
): Promise<ThreadEvent[]> {
  const rows = await store.read(threadId, { limit: LOOKED_AT })
  const own =
    parent && parent.seq >= LOOKED_AT
      ? await store.read(threadId, { from: parent.seq + 1, limit: 1 })
      : []
  return [...rows, ...own].map(readRow)
}

async function readTitle(
  store: Reading,
  events: readonly ThreadEvent[],
  started: EventOf<'THREAD_STARTED'> | undefined,
): Promise<string> {
  const own = started?.data.title ?? ownTitle(events)
  if (own !== undefined) return oneLine(own)
  // A fresh session opens with a summary; the title is what follows it.
  const { from } = started?.data ?? {}
  const before = from && (await store.read(from.threadId, { limit: LOOKED_AT })).map(readRow)
  return oneLine((before && ownTitle(before)) ?? '')
}

/** Its given name, or the first thing a person said to the agent; otherwise the first user message. */
function ownTitle(events: readonly ThreadEvent[]): string | undefined {
  let first: string | undefined
  for (const event of events) {
    if (event.type === 'THREAD_STARTED' && event.data.title !== undefined) return event.data.title
    if (event.type !== 'USER_MESSAGE' || event.origin === 'summary') continue
    const typed = typedTexts(event).join(' ').trim()
    if (typed !== '' && !TO_THE_CLIENT.test(typed)) return typed
    first ??= (typed || textOfUserContent(event.data)).replace(SHELL_TAGS, '')
  }
  return first
}

/** A lone command or a shell line: typed, but not said to the agent. */
const TO_THE_CLIENT = /^(?:\/[\w:-]+$|<bash-input>)/
const SHELL_TAGS = /<\/?bash-input>/g

function oneLine(text: string): string {
  return cutHead(
    text
      .slice(0, 4 * TITLE_CHARS)
      .replace(/\s+/g, ' ')
      .trim(),
    TITLE_CHARS,
  )
}
