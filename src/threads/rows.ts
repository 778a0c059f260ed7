// The rows a context names, read from the store on demand.
import type { Edit, EntryId, Run } from '../core/edit/change.ts'
import type { LogReducer } from '../core/edit/strategy.ts'
import { readRow } from '../core/log/codec.ts'
import { bearsEntry, type EventAt, isChange, type ThreadEvent } from '../core/log/event.ts'
import type { Row, Store } from '../core/ports.ts'
import { parseEntryId, readNewEntries } from '../core/view/entry.ts'

type Range = readonly [from: number, to: number]

/** Rows closer than this are read as one range: cheaper than two look-ups. */
const MERGE_DISTANCE = 16
/** Rows read at a time to find the end of an entry's following events. */
const TAIL_ROWS = 32

/** The loaded events of one thread, not the whole log. */
export class LoadedRows {
  readonly #store: Store
  readonly #threadId: string
  #events = new Map<number, ThreadEvent>()

  constructor(store: Store, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  readonly eventAt: EventAt = (seq) => this.#events.get(seq)

  /** What is loaded now, unaffected by later loading. */
  copy(): EventAt {
    const events = new Map(this.#events)
    return (seq) => events.get(seq)
  }

  add(event: ThreadEvent): void {
    this.#events.set(event.seq, event)
  }

  addRows(rows: readonly Row[]): ThreadEvent[] {
    const events = rows.map(readRow)
    for (const event of events) this.add(event)
    return events
  }

  /** Loads these entries' content, originals, and following events. */
  async loadEntries(ids: readonly EntryId[], version: number): Promise<void> {
    await this.#loadSeqs(await this.#originals(ids), version)
  }

  /** Loads everything these edits cover or restore. */
  async loadEdits(edits: readonly Edit[], version: number): Promise<void> {
    const runs = edits.flatMap((edit) => [
      ...edit.covers,
      ...edit.put.flatMap((put) => ('keep' in put ? [put.keep] : [])),
    ])
    await this.#loadRanges(runs.filter((run) => typeof run !== 'string').map(seqsOfRange), version)
    await this.loadEntries(
      runs.filter((run) => typeof run === 'string'),
      version,
    )
  }

  async loadSeqs(seqs: readonly number[], version: number): Promise<void> {
    await this.#loadSeqs(seqs, version)
  }

  /** Loads the events before the first entry of the log. */
  async loadLead(version: number): Promise<void> {
    await this.#loadTail(0, version)
  }

  /** Releases everything these ids do not need; later reads load it again. */
  forgetAllBut(ids: readonly EntryId[]): void {
    const kept = new Map<number, ThreadEvent>()
    for (const id of ids) {
      const { seq } = parseEntryId(id)
      const event = this.#events.get(seq)
      if (event) kept.set(seq, event)
    }
    this.#events = kept
  }

  /** The originals behind these ids, through rewrites; loads changes on the way. */
  async #originals(ids: readonly EntryId[]): Promise<number[]> {
    const seqs = new Set<number>()
    let level: readonly EntryId[] = ids
    while (level.length > 0) {
      const made = level.map(parseEntryId).filter((id) => !id.original)
      await this.#loadRanges(
        [...new Set(made.map((id) => id.seq))].map((seq): Range => [seq, seq]),
        0,
      )
      const next: EntryId[] = []
      for (const id of level.map(parseEntryId)) {
        seqs.add(id.seq)
        const event = id.original ? undefined : this.#events.get(id.seq)
        const of =
          event && isChange(event) && !id.original
            ? readNewEntries(event.data.edits)[id.index]?.of
            : undefined
        if (of) next.push(of)
      }
      level = next
    }
    return [...seqs]
  }

  async #loadSeqs(seqs: readonly number[], version: number): Promise<void> {
    const sorted = [...new Set(seqs)].toSorted((a, b) => a - b)
    const ranges: [number, number][] = []
    for (const seq of sorted) {
      const last = ranges.at(-1)
      if (last && seq - last[1] <= MERGE_DISTANCE) last[1] = seq
      else ranges.push([seq, seq])
    }
    await this.#loadRanges(ranges, version)
  }

  /** Reads ranges not in memory, each with the events after its last entry. */
  async #loadRanges(ranges: readonly Range[], version: number): Promise<void> {
    const missing = ranges.filter(([from, to]) => !this.#has(from, to))
    if (missing.length > 0) this.addRows(await this.#store.readMany(this.#threadId, missing))
    for (const [, to] of ranges) await this.#loadTail(to, version)
  }

  #has(from: number, to: number): boolean {
    for (let seq = from; seq <= to; seq += 1) if (!this.#events.has(seq)) return false
    return true
  }

  /** Events without an entry belong to the entry before: reads up to the next entry. */
  async #loadTail(after: number, version: number): Promise<void> {
    let seq = after + 1
    while (seq <= version) {
      const event = this.#events.get(seq)
      if (event === undefined) {
        const rows = await this.#store.read(this.#threadId, { from: seq, limit: TAIL_ROWS })
        if (rows.length === 0) return
        this.addRows(rows)
      } else if (bearsEntry(event)) return
      else seq += 1
    }
  }
}

function seqsOfRange(run: Exclude<Run, string>): Range {
  return [parseEntryId(run[0]).seq, parseEntryId(run[1]).seq]
}

const READ_ROWS = 2_000

interface LazyState {
  readonly version: number // of the reducer
  readonly seq: number // of the last event it has seen
  readonly state: unknown
}

/** The lazy reducers of one thread, in memory only: recomputed after a restart. */
export class LazyReducers {
  readonly #store: Pick<Store, 'read'>
  readonly #threadId: string
  readonly #states = new Map<string, LazyState>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(store: Pick<Store, 'read'>, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  /** The reducer's state after `upTo` events. One at a time: states may grow in place. */
  reduce<S>(reducer: LogReducer<S>, upTo: number): Promise<S> {
    const result = this.#queue.then(() => this.#reduceNow(reducer, upTo))
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    )
    return result
  }

  async #reduceNow<S>(reducer: LogReducer<S>, upTo: number): Promise<S> {
    const known = this.#states.get(reducer.name)
    const isAhead = known !== undefined && known.seq > upTo
    const isUsable = known?.version === reducer.version && !isAhead
    // Keeps a state that is further ahead; the requested one is computed separately.
    if (!isAhead) this.#states.delete(reducer.name)
    let state = isUsable ? (known.state as S) : reducer.init()
    let seq = isUsable ? known.seq : 0
    while (seq < upTo) {
      const limit = Math.min(READ_ROWS, upTo - seq)
      const rows = await this.#store.read(this.#threadId, { from: seq + 1, limit })
      if (rows.length === 0) break
      for (const row of rows) state = reducer.step(state, readRow(row))
      seq += rows.length
    }
    if (!isAhead) this.#states.set(reducer.name, { version: reducer.version, seq, state })
    return state
  }
}
