// An open thread in this process: its state, its loaded rows, and its growth.
import type { EntryId } from '../core/edit/change.ts'
import type { LogReducer, Scratch } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { type EventDraft, isChange, type NewEvent, type ThreadEvent } from '../core/log/event.ts'
import type { Clock, Ids, Store } from '../core/ports.ts'
import { buildMarker, type Context, FOLD_VERSION, headIds } from '../core/view/context.ts'
import type { ThreadFold, ThreadState } from '../core/view/thread-state.ts'
import { threadScratch } from './compaction-progress.ts'
import { numberDrafts, type OpenCalls } from './drafts.ts'
import { LazyReducers, LoadedRows } from './rows.ts'

export interface ThreadPorts {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly fold: ThreadFold
}

/** Retries when others append to the same thread. */
const APPEND_TRIES = 20
/** A snapshot is due after this many events, or a tenth of the context if that is more. */
const SNAPSHOT_EVENTS = 1_000
const READ_ROWS = 2_000
/** Limit of unread rows in memory, so that a long import does not fill it. */
const HELD_TOKENS = 2_000_000
const HELD_ROWS = 5_000
const NOTHING_HELD = { version: 0, tokens: 0 }

export class LiveThread {
  readonly id: string
  readonly #ports: ThreadPorts
  #state: ThreadState
  #rows: LoadedRows
  #lazy: LazyReducers
  #snapshotSeq: number
  #heldFrom: Pick<Context, 'version' | 'tokens'> = NOTHING_HELD // at the last release of rows
  #lastId = ''
  #queue: Promise<unknown> = Promise.resolve()

  private constructor(ports: ThreadPorts, id: string) {
    this.id = id
    this.#ports = ports
    this.#state = ports.fold.init()
    this.#rows = new LoadedRows(ports.store, id)
    this.#lazy = new LazyReducers(ports.store, id)
    this.#snapshotSeq = 0
  }

  /** Undefined for a missing thread. Reads the snapshot and later rows. */
  static async open(ports: ThreadPorts, id: string): Promise<LiveThread | undefined> {
    if (!(await ports.store.info(id))) return undefined
    const thread = new LiveThread(ports, id)
    await thread.#restore()
    return thread
  }

  /** A thread without events; its first append creates it. */
  static fresh(ports: ThreadPorts, id: string): LiveThread {
    return new LiveThread(ports, id)
  }

  get state(): ThreadState {
    return this.#state
  }

  get context(): Context {
    return this.#state.context
  }

  get rows(): LoadedRows {
    return this.#rows
  }

  /** Finished work of unfinished compactions. */
  get scratch(): Scratch {
    return threadScratch(this.#ports.store, this.id)
  }

  /** A reducer's state after event `upTo`. */
  reduce<S>(reducer: LogReducer<S>, upTo: number): Promise<S> {
    return this.#lazy.reduce(reducer, upTo)
  }

  /** Runs one piece of work at a time on this thread, in call order. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    )
    return result
  }

  /** Folds what other writers have appended since. Call it inside `exclusively`. */
  async refresh(): Promise<void> {
    for (;;) {
      const { version } = this.context
      // Reads the last known row again: if it differs, the thread was replaced.
      const from = Math.max(1, version)
      const rows = await this.#ports.store.read(this.id, { from, limit: READ_ROWS })
      if (version > 0 && rows[0]?.id !== this.#lastId) return this.#reopen()
      const events = this.#rows.addRows(version > 0 ? rows.slice(1) : rows)
      // A change may restore any entry of the log, whose rows may not be loaded here.
      if (events.some(isChange)) return this.#restore()
      this.#fold(events)
      if (rows.length < READ_ROWS) return
    }
  }

  /** Deleted, or deleted and recreated: nothing read so far is valid. */
  async #reopen(): Promise<void> {
    if (!(await this.#ports.store.info(this.id))) throw unknownThread(this.id)
    this.#snapshotSeq = 0
    this.#lazy = new LazyReducers(this.#ports.store, this.id)
    await this.#restore()
  }

  #fold(events: readonly ThreadEvent[]): void {
    for (const event of events)
      this.#state = this.#ports.fold.step(this.#state, event, this.#rows.eventAt)
    this.#lastId = events.at(-1)?.id ?? this.#lastId
  }

  /** Loads the rows of every context entry and its following events. */
  async loadContext(): Promise<void> {
    const { version } = this.context
    const marker = buildMarker(this.context)
    await this.#rows.loadLead(version)
    await this.#rows.loadEntries(headIds(this.context), 0)
    await this.#rows.loadEntries(entryIds(this.context), version)
    if (marker !== undefined) await this.#rows.loadSeqs([marker], 0)
  }

  /**
   * Appends drafts and folds them. Calls `draft` with the current context, again after each conflict, so that
   * its result always fits. Call this inside `exclusively`.
   */
  async append(
    draft: (state: ThreadState) => readonly EventDraft[] | Promise<readonly EventDraft[]>,
    openCalls: OpenCalls,
    expectedVersion?: number,
  ): Promise<ThreadEvent[]> {
    for (let attempt = 1; ; attempt += 1) {
      const drafts = await draft(this.#state)
      const expected = expectedVersion ?? this.context.version
      try {
        return await this.#appendOnce(drafts, openCalls, expected)
      } catch (error) {
        const code = PrecisError.is(error) ? error.code : undefined
        const isConflict = code === 'version-conflict' || code === 'id-conflict'
        if (!isConflict || expectedVersion !== undefined || attempt >= APPEND_TRIES) throw error
        await this.refresh()
        // Another process may have appended the same; otherwise it would fail again.
        if (code === 'id-conflict' && this.context.version === expected) throw error
      }
    }
  }

  async #appendOnce(
    drafts: readonly EventDraft[],
    openCalls: OpenCalls,
    expected: number,
  ): Promise<ThreadEvent[]> {
    if (drafts.length === 0) return []
    const { store, fold } = this.#ports
    if (expected !== this.context.version) await this.refresh()
    const numbered = numberDrafts(drafts, this.#state, {
      ...this.#ports,
      threadId: this.id,
      openCalls,
      rows: this.#rows,
    })
    const { events, state } = numbered
    // At another version it is a conflict or a repetition: a snapshot would not fit either.
    const due = expected === this.context.version && this.#snapshotDue(events, state)
    const appended = await store.append(this.id, events.map(unnumbered), {
      expectedVersion: expected,
      ...(due && { snapshot: fold.encode(state) }),
    })
    if (appended.repeated) {
      await this.refresh()
      return this.#rows.addRows(appended.rows)
    }
    for (const event of events) this.#rows.add(event)
    this.#state = state
    this.#lastId = events.at(-1)?.id ?? this.#lastId
    if (due) this.#snapshotSeq = state.context.version
    if (events.some(isChange)) this.#forgetAllBut(entryIds(state.context))
    else if (isTooMuch(this.#heldFrom, state.context)) this.#forgetAllBut([])
    return events
  }

  #forgetAllBut(ids: readonly EntryId[]): void {
    this.#rows.forgetAllBut(ids)
    this.#heldFrom = this.context
  }

  #snapshotDue(events: readonly ThreadEvent[], state: ThreadState): boolean {
    const { version, items } = state.context
    return (
      events.some(isChange) ||
      version - this.#snapshotSeq >= Math.max(SNAPSHOT_EVENTS, items.length / 10)
    )
  }

  /** From the newest usable snapshot, otherwise from the first event. */
  async #restore(): Promise<void> {
    const { store, fold } = this.#ports
    const snapshot = await store.snapshot(this.id, FOLD_VERSION)
    const restored = snapshot && fold.decode(snapshot)
    if (restored && (await this.#continueFrom(restored))) {
      this.#snapshotSeq = restored.context.version
      return
    }
    this.#rows = new LoadedRows(store, this.id)
    this.#state = fold.init()
    await this.#replay()
  }

  /** Folds the rows after a snapshot; false if they contain a change, which may need any row. */
  async #continueFrom(restored: ThreadState): Promise<boolean> {
    const rows = new LoadedRows(this.#ports.store, this.id)
    let state = restored
    let lastId = ''
    for (;;) {
      const from = Math.max(1, state.context.version)
      const page = await this.#ports.store.read(this.id, { from, limit: READ_ROWS })
      const events = rows.addRows(page.filter((row) => row.seq > state.context.version))
      if (events.some(isChange)) return false
      for (const event of events) state = this.#ports.fold.step(state, event, rows.eventAt)
      lastId = page.at(-1)?.id ?? lastId
      if (page.length === READ_ROWS) continue
      this.#rows = rows
      this.#state = state
      this.#lastId = lastId
      return true
    }
  }

  async #replay(): Promise<void> {
    for (;;) {
      const from = this.context.version + 1
      const rows = await this.#ports.store.read(this.id, { from, limit: READ_ROWS })
      this.#fold(this.#rows.addRows(rows))
      if (rows.length < READ_ROWS) break
    }
    this.#rows.forgetAllBut(entryIds(this.context))
  }
}

export function unknownThread(threadId: string): PrecisError {
  return new PrecisError('unknown-thread', `Thread ${threadId} not found`, {
    where: threadId,
    hint: 'Create it first, or check the id and the store.',
  })
}

function isTooMuch(since: Pick<Context, 'version' | 'tokens'>, now: Context): boolean {
  return now.version - since.version > HELD_ROWS || now.tokens - since.tokens > HELD_TOKENS
}

function entryIds(context: Context): EntryId[] {
  return context.items.toArray().map((item) => item.id)
}

function unnumbered(event: ThreadEvent): NewEvent {
  const { seq: _, ...rest } = event
  return rest as NewEvent
}
