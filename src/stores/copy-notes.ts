// What copies into a store left out: kept in a thread of the store itself, so that a partial target tells it.
// Reads a damaged log as one that can be stored: an event that cannot be read is replaced in its place, and listed.
import { createHash } from 'node:crypto'
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import { EVENT_VERSION, type NewEvent } from '../core/log/event.ts'
import type { ReadRange, Row, Store, ThreadInfo } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'
import { PageRows } from './rows/pages.ts'
import { isName } from './rows/stored-event.ts'

/** Something that is not in the target as it was in the source. */
export type LeftOut = {
  readonly threadId: string
  /** Absent where it is the whole thread. */
  readonly seq?: number
  readonly problem: string
}

/** What copies from one source left out. */
export interface CopyNote {
  readonly from: string
  readonly isEnded: boolean // not while one is under way, nor where it was interrupted
  readonly leftOut: readonly LeftOut[] // of the last one that ended
}

/** With the prefix of threads that are no conversations: lists do not show it. */
export const COPY_NOTES = 'sys_copy'

/** So many are listed in the target; the report of the copy has them all. */
const MOST_LISTED = 1_000
/** How often others may write a note between looking and writing. */
const MOST_TRIES = 20

/** In the order in which the copies began; without those that ended with nothing left out. */
export async function copyNotes(store: Pick<Store, 'read'>): Promise<readonly CopyNote[]> {
  const notes = new Map<string, CopyNote>()
  for (const row of await store.read(COPY_NOTES)) {
    const { from, leftOut } = noteIn(readRow(row).data as Json)
    if (from === undefined) continue
    const earlier = notes.get(from)?.leftOut ?? []
    if (leftOut?.length === 0) notes.delete(from)
    else notes.set(from, { from, isEnded: leftOut !== undefined, leftOut: leftOut ?? earlier })
  }
  return [...notes.values()]
}

/** A copy that was interrupted has its note already. */
export async function noteBegin(store: Store, from: string): Promise<void> {
  const known = (await copyNotes(store)).find((note) => note.from === from)
  if (known?.isEnded !== false) await write(store, from)
}

export async function noteEnd(
  store: Store,
  from: string,
  leftOut: readonly LeftOut[],
): Promise<void> {
  await write(store, from, leftOut.slice(0, MOST_LISTED))
  if ((await copyNotes(store)).length === 0) await store.delete(COPY_NOTES)
}

async function write(store: Store, from: string, leftOut?: readonly LeftOut[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const expectedVersion = (await store.info(COPY_NOTES))?.version ?? 0
    const timestamp = new Date()
    const event = {
      v: EVENT_VERSION,
      id: `copy_${timestamp.getTime()}_${Math.random().toString(36).slice(2)}`,
      threadId: COPY_NOTES,
      timestamp,
      type: 'FOREIGN',
      data: { copy: leftOut ? 'ended' : 'begun', from, ...(leftOut && { leftOut }) },
    } as NewEvent
    try {
      await store.append(COPY_NOTES, [event], { expectedVersion })
      return
    } catch (thrown) {
      const isLate = PrecisError.is(thrown) && thrown.code === 'version-conflict'
      if (!isLate || tries === MOST_TRIES) throw thrown
    }
  }
}

function noteIn(data: Json): { from?: string; leftOut?: readonly LeftOut[] } {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {}
  const { from, leftOut } = data as { readonly [key: string]: Json }
  if (typeof from !== 'string') return {}
  return { from, ...(Array.isArray(leftOut) && { leftOut: leftOut as readonly LeftOut[] }) }
}

// The hash of a log: equal for two stores where every event of it is.

export interface LogDigest {
  readonly events: number
  readonly hash: string // SHA-256, as hex
}

/** Of the events up to a number. `each` sees the rows on the way. */
export async function computeDigest(
  store: Pick<Store, 'read'>,
  threadId: string,
  upTo: number,
  each: (row: Row) => void = () => undefined,
): Promise<LogDigest> {
  const hash = createHash('sha256')
  const pages = new PageRows()
  let events = 0
  const to = Math.min(upTo, Number.MAX_SAFE_INTEGER)
  // As many pages as there are rows: a damaged version may be any number.
  for (let from = 1, isMore = true; isMore && from <= to; ) {
    const limit = pages.rows
    const page = await store.read(threadId, { from, to, limit })
    pages.learn(page)
    isMore = page.length === limit
    from = (page.at(-1)?.seq ?? to) + 1
    for (const row of page) {
      const { seq, id, v, type, timestamp, data, origin, source } = row
      hash.update(`${JSON.stringify([seq, id, v, type, timestamp, data, origin, source])}\n`)
      events += 1
      each(row)
    }
  }
  return { events, hash: hash.digest('hex') }
}

type Source = Pick<Store, 'read' | 'info'>

export class SalvagedRows implements Pick<Store, 'read'> {
  readonly #store: Source
  readonly #problems = new Map<string, Map<number, string>>()

  constructor(store: Source) {
    this.#store = store
  }

  /** Of the events that were read so far, by their numbers. */
  problemsOf(threadId: string): readonly (readonly [seq: number, problem: string])[] {
    return [...(this.#problems.get(threadId) ?? [])].sort(([one], [other]) => one - other)
  }

  /** Rejects as reading did where not one event can be read. */
  async requireSome(threadId: string, version: number): Promise<void> {
    let failed: unknown
    for (let seq = 1; seq <= version; seq += 1) {
      try {
        await this.#store.read(threadId, { from: seq, to: seq })
        return
      } catch (thrown) {
        if (!PrecisError.is(thrown) || thrown.code !== 'store-corrupt') throw thrown
        failed = thrown
      }
    }
    throw failed
  }

  /** A row for each number, or none where the thread was deleted meanwhile. */
  async read(threadId: string, { from = 1, ...range }: ReadRange = {}): Promise<readonly Row[]> {
    const { to: last = from, limit = last } = range
    const to = Math.min(last, from + limit - 1)
    const found = await this.#found(threadId, from, to)
    const isWhole = found.length === to - from + 1 && found.every(isStorable)
    if (isWhole) return found as readonly Row[]
    const info = await this.#store.info(threadId)
    if (!info || info.version < to) return []
    const rows = new Map(found.map((each) => [each.seq, each]))
    const owners = await this.#owners(info)
    return Array.from({ length: to - from + 1 }, (_, index) => {
      const seq = from + index
      const each = rows.get(seq) ?? { seq, problem: 'it is missing' }
      if (isStorable(each)) return each
      const problem = 'problem' in each ? each.problem : findProblem(each)
      this.#note(threadId, seq, problem)
      if (!('problem' in each) && isKept(each)) return withTime(each)
      const owner = owners.find((one) => seq > one.after) ?? info
      const made = placeholder(owner, seq, problem, 'problem' in each ? undefined : each)
      return { ...made, threadId }
    })
  }

  /** Who brought events in, the thread itself first: a fork has those of its past from its parent. */
  async #owners(info: ThreadInfo): Promise<readonly Owner[]> {
    const owners: Owner[] = []
    for (let one: ThreadInfo | undefined = info; one; ) {
      const { threadId, createdAt, parent }: ThreadInfo = one
      owners.push({ threadId, createdAt, after: parent?.seq ?? 0 })
      const isKnown = owners.some((each) => each.threadId === parent?.threadId)
      one = parent && !isKnown ? await this.#store.info(parent.threadId) : undefined
    }
    return owners
  }

  #note(threadId: string, seq: number, problem: string): void {
    const problems = this.#problems.get(threadId) ?? new Map<number, string>()
    this.#problems.set(threadId, problems.set(seq, problem))
  }

  async #found(threadId: string, from: number, to: number): Promise<readonly ReadResult[]> {
    try {
      return await this.#store.read(threadId, { from, to })
    } catch (thrown) {
      if (!PrecisError.is(thrown) || thrown.code !== 'store-corrupt') throw thrown
      if (from === to) return [{ seq: from, problem: thrown.message }]
    }
    // Damage to a page of the file: by halves, until what can be read is read.
    const middle = Math.floor((from + to) / 2)
    return [
      ...(await this.#found(threadId, from, middle)),
      ...(await this.#found(threadId, middle + 1, to)),
    ]
  }
}

interface Owner extends Pick<ThreadInfo, 'threadId' | 'createdAt'> {
  /** Up to this number its events are those of its parent. */
  readonly after: number
}

interface Unread {
  readonly seq: number
  readonly problem: string
}

type ReadResult = Row | Unread

function isStorable(found: ReadResult): found is Row {
  return !('problem' in found) && findProblem(found) === ''
}

/** Why a store would not take the row as it is; empty where it would. */
function findProblem(row: Row): string {
  const { id, v, type, timestamp, origin } = row
  if (!isName(id)) return 'its id cannot be read'
  if (!isName(type) || (origin !== undefined && !isName(origin))) return 'its type cannot be read'
  if (!Number.isSafeInteger(v) || v < 0) return 'its version cannot be read'
  if (isUnreadable(row.data) || isUnreadable(row.source)) return 'its content is not JSON'
  const time = Date.parse(timestamp)
  if (Number.isNaN(time)) return 'its timestamp cannot be read'
  if (new Date(time).toISOString() !== timestamp) return 'its timestamp is not as it was written'
  return ''
}

/** Only its time is written in another way. */
function isKept(row: Row): boolean {
  return findProblem(withTime(row)) === ''
}

function withTime(row: Row): Row {
  const time = Date.parse(row.timestamp)
  return Number.isNaN(time) ? row : { ...row, timestamp: new Date(time).toISOString() }
}

/** As a store gives text that is no JSON. */
function isUnreadable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('unreadable' in value)) return false
  return Object.keys(value).length === 1 && typeof value.unreadable === 'string'
}

/**
 * It takes the place of the event in the log, has no effect on the context, and holds what there was. In a
 * fork it is the same as in its parent.
 */
function placeholder(
  { threadId, createdAt }: Pick<ThreadInfo, 'threadId' | 'createdAt'>,
  seq: number,
  problem: string,
  row: Row | undefined,
): Row {
  const where = `${threadId} ${seq}`
  const id = row && isName(row.id) ? row.id : `unreadable_${seq}`
  const time = Date.parse(row?.timestamp ?? '')
  return {
    v: EVENT_VERSION,
    id,
    threadId,
    seq,
    timestamp: (Number.isNaN(time) ? createdAt : new Date(time)).toISOString(),
    type: 'FOREIGN',
    data: {
      undecodable: (row ? { ...row, threadId } : null) as Json,
      error: { message: problem, where },
    },
  }
}
