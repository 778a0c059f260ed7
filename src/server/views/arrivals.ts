// Threads imported through this process, latest first: their events are older than their arrival.
import type { Clock, Store } from '../../core/ports.ts'
import { buildSummary, listThreads, type WireSummary } from './thread-summary.ts'

const MOST_KEPT = 20
const MOST_OWNERS = 1_000
const PAGE = 50

interface Arrival {
  readonly threadId: string
  readonly atMs: number
}
type Reading = Pick<Store, 'read' | 'info' | 'list' | 'index' | 'find'>
type ThreadsQuery = Parameters<typeof listThreads>[1]
type ThreadPage = Awaited<ReturnType<typeof listThreads>>

export class Arrivals {
  readonly #clock: Clock
  readonly #byOwner = new Map<string, readonly Arrival[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records an imported thread, or one opened from a session file. */
  add(owner = '', threadId: string): void {
    const known = this.#byOwner.get(owner) ?? []
    this.#byOwner.delete(owner)
    const arrival = { threadId, atMs: this.#clock.now().getTime() }
    const others = known.filter((each) => each.threadId !== threadId)
    this.#byOwner.set(owner, [arrival, ...others].slice(0, MOST_KEPT))
    const [oldest] = this.#byOwner.keys()
    if (this.#byOwner.size > MOST_OWNERS && oldest !== undefined) this.#byOwner.delete(oldest)
  }

  /** A page of threads; the first page sorts imports by their arrival. */
  async page(store: Reading, query: ThreadsQuery, owner?: string): Promise<ThreadPage> {
    const { limit = PAGE, after, search = '' } = query
    if (after !== undefined || search !== '') return listThreads(store, query, owner)
    const arrived = await this.#found(store, owner, limit - 1)
    const page = await listThreads(store, { limit: limit - arrived.size }, owner)
    const rest = page.items.filter(({ threadId }) => !arrived.has(threadId))
    const timed = [
      ...[...arrived.values()].map(({ summary, atMs }) => ({ summary, atMs })),
      ...rest.map((summary) => ({ summary, atMs: Date.parse(summary.updatedAt) })),
    ]
    const items = timed.toSorted((a, b) => b.atMs - a.atMs).map(({ summary }) => summary)
    return { ...page, items }
  }

  async #found(store: Reading, owner = '', most: number) {
    const found = (this.#byOwner.get(owner) ?? []).slice(0, most).map(async (arrival) => {
      const info = await store.info(arrival.threadId)
      if (!info) return []
      const summary = await buildSummary(store, info)
      const atMs = Math.max(arrival.atMs, Date.parse(summary.updatedAt))
      return [[arrival.threadId, { summary, atMs }] as const]
    })
    return new Map<string, { readonly summary: WireSummary; readonly atMs: number }>(
      (await Promise.all(found)).flat(),
    )
  }
}
