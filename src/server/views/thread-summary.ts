// A thread as a list shows it: its title, its age, where it came from.
import type { z } from 'zod'
import { isPartialImport, readRow } from '../../core/log/codec.ts'
import type { EventOf, ThreadEvent } from '../../core/log/event.ts'
import type { SearchQuery, Store, ThreadInfo } from '../../core/ports.ts'
import { queryWords } from '../../core/search/words.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { cutHead } from '../../core/window/tokens/weigh.ts'
import type { threadPageSchema, threadSummarySchema } from '../../protocol/schemas.ts'
import { maySee, readNames } from '../accounts/owners.ts'

export type WireSummary = z.output<typeof threadSummarySchema>
type Reading = Pick<Store, 'read' | 'info' | 'list' | 'index' | 'find'>

/** What the user said first stands near the beginning, or it is no title. */
const LOOKED_AT = 20
const TITLE_CHARS = 200
/** A search looks at so many threads at a time; the next page continues from there. */
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

/** What the first event of an import says of it. */
function importTime(started: EventOf<'THREAD_STARTED'> | undefined) {
  const { source } = started ?? {}
  const at = typeof source === 'object' && source !== null && 'at' in source ? source.at : undefined
  const time = typeof at === 'string' ? new Date(at) : undefined
  const isTime = time !== undefined && !Number.isNaN(time.getTime())
  return isTime && { importedAt: time.toISOString() }
}

/**
 * The latest first, of those that the owner may see. Found are threads whose title or id has these words,
 * and those in which they were said, compacted or not.
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
    // What is not shown is passed over in large steps.
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
    // The next page begins behind the last that is shown: asked for again, since only the store knows how.
    if (last !== undefined && last < shown.length - 1) page = await pageOf(last + 1)
    items.push(...shown.slice(0, page.items.length).filter((summary) => summary !== undefined))
    searched += page.items.length
    after = page.next
    if (after === undefined) return { items }
    if (items.length >= limit || searched >= MOST_SEARCHED) return { items, next: after }
  }
}

/** The best of those that the owner may see, where every one has all the words. */
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

/** A fork shares the opening of its parent, and says behind it what it is. */
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
  // A fresh session opens with a summary: its title is what follows the summary.
  const { from } = started?.data ?? {}
  const before = from && (await store.read(from.threadId, { limit: LOOKED_AT })).map(readRow)
  return oneLine((before && ownTitle(before)) ?? '')
}

/** What it was called, or what a person said first to the agent; else what stands first in the user's place. */
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

/** A command alone, or a line for the shell: typed, and not said to the agent. */
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
