// Running totals of a thread: cost, usage and context size, updated incrementally
import type { Reading } from '../../core/edit/change.ts'
import { readRow } from '../../core/log/codec.ts'
import { type ChangeType, type EventOf, isChange, type ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { type Context, calibrationOf, foldEvent } from '../../core/view/context.ts'
import { readContext } from '../../core/window/reading.ts'
import type { TimelinePoint } from '../../protocol/client.ts'
import { LoadedRows } from '../../threads/rows.ts'
import type { AppModels } from '../ports.ts'
import {
  addCost,
  addUsage,
  MOST_POINTS,
  NOTHING_TALLIED,
  type Prices,
  pointAt,
  type ThreadTotals,
  thinned,
} from './count-event.ts'

const PAGE_ROWS = 2_000

const MOST_THREADS = 200

/** Contexts are cached to count on from them; this limits the entries of all threads together. */
const MOST_ENTRIES = 300_000

/** Up to this many new events are counted before a thread is shown. */
const QUICK_EVENTS = 20_000

export class Tallies {
  readonly #store: Store
  readonly #models: AppModels
  readonly #kept = new Map<string, ThreadTotals>()
  readonly #counting = new Map<string, Promise<ThreadTotals>>()

  constructor(store: Store, models: AppModels) {
    this.#store = store
    this.#models = models
  }

  /** Counts up to the current last event. */
  async of(threadId: string): Promise<ThreadTotals> {
    const running = this.#counting.get(threadId)
    if (running) await running.catch(() => undefined) // it may have begun before the last events
    const counting = this.#counting.get(threadId) ?? this.#count(threadId)
    this.#counting.set(threadId, counting)
    try {
      return await counting
    } finally {
      if (this.#counting.get(threadId) === counting) this.#counting.delete(threadId)
    }
  }

  /** The same if it is quick; otherwise counts in the background and returns undefined. */
  async soon(threadId: string, version: number): Promise<ThreadTotals | undefined> {
    const known = this.#kept.get(threadId)
    if (version - (known?.seq ?? 0) <= QUICK_EVENTS) return this.of(threadId)
    // A later caller that waits for it gets the error.
    if (!this.#counting.has(threadId)) this.of(threadId).catch(() => undefined)
    return undefined
  }

  /** Sets sums of the working conversation that were computed elsewhere. */
  set(threadId: string, seq: number, usage: ThreadTotals['usage']): void {
    const known = this.#kept.get(threadId)
    if (known?.seq === seq && usage) this.#kept.set(threadId, { ...known, usage })
  }

  async #count(threadId: string): Promise<ThreadTotals> {
    let tally = this.#kept.get(threadId) ?? NOTHING_TALLIED
    let pass = new Pass(this.#store, this.#models, threadId, tally.points)
    for (;;) {
      // Includes the last counted event, to check that the thread is still the same.
      const from = Math.max(1, tally.seq)
      const rows = await this.#store.read(threadId, { from, limit: PAGE_ROWS })
      if (tally.seq > 0 && rows[0]?.id !== tally.lastId) {
        tally = NOTHING_TALLIED
        pass = new Pass(this.#store, this.#models, threadId, tally.points)
        continue
      }
      for (const row of tally.seq > 0 ? rows.slice(1) : rows)
        tally = await pass.step(tally, readRow(row))
      if (rows.length < PAGE_ROWS) break
    }
    tally = { ...tally, points: pass.points }
    this.#keep(threadId, tally)
    return tally
  }

  #keep(threadId: string, tally: ThreadTotals): void {
    this.#kept.delete(threadId)
    this.#kept.set(threadId, tally)
    let entries = 0
    for (const each of this.#kept.values()) entries += each.context.items.length
    for (const [oldest, each] of this.#kept) {
      if (this.#kept.size === 1) return
      if (this.#kept.size <= MOST_THREADS && entries <= MOST_ENTRIES) return
      this.#kept.delete(oldest)
      entries -= each.context.items.length
    }
  }
}

/** One read of a log: looks prices up once, and loads earlier rows only for a change. */
class Pass {
  readonly #rows: LoadedRows
  readonly #models: AppModels
  readonly #prices: Prices = new Map()
  #points: TimelinePoint[]

  constructor(store: Store, models: AppModels, threadId: string, points: readonly TimelinePoint[]) {
    this.#rows = new LoadedRows(store, threadId)
    this.#models = models
    this.#points = [...points]
  }

  get points(): readonly TimelinePoint[] {
    return this.#points
  }

  async step(tally: ThreadTotals, event: ThreadEvent): Promise<ThreadTotals> {
    if (isChange(event)) await this.#loadFor(event)
    const context = foldEvent(tally.context, event, this.#rows.eventAt)
    const { usage: before, ...rest } = tally
    const usage = addUsage(before, event)
    const here = { ...rest, context, seq: event.seq, lastId: event.id, ...(usage && { usage }) }
    const now = await addCost(here, event, this.#prices, this.#models)
    if (event.type === 'AGENT_MESSAGE' || isChange(event))
      this.#take(pointAt(event, readWindow(tally.context), readWindow(context)), now.usd)
    return now
  }

  #take(point: TimelinePoint | undefined, costUsd: number | undefined): void {
    if (point) this.#points.push({ ...point, ...(costUsd !== undefined && { costUsd }) })
    if (this.#points.length > 2 * MOST_POINTS) this.#points = [...thinned(this.#points)]
  }

  /** Loads what it covers and restores; holds nothing else of the log. */
  async #loadFor(event: EventOf<ChangeType>): Promise<void> {
    this.#rows.forgetAllBut([])
    const { edits } = event.data
    const rewritten = edits.flatMap(({ put }) =>
      put.flatMap((each) => ('of' in each && each.of !== undefined ? [each.of] : [])),
    )
    await this.#rows.loadEdits(edits, event.seq)
    await this.#rows.loadEntries(rewritten, event.seq)
    if ('of' in event.data) await this.#rows.loadSeqs([event.data.of], 0)
    this.#rows.add(event)
  }
}

function readWindow(context: Context): Reading {
  return readContext(context, calibrationOf(context))
}
