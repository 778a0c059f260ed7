// Reads a damaged log as one that can be stored: an event that cannot be read is replaced in its place, and listed.
import { PrecisError } from '../core/errors.ts'
import { EVENT_VERSION } from '../core/log/event.ts'
import type { ReadRange, Row, Store, ThreadInfo } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'
import { isName } from './rows/stored-event.ts'

type Source = Pick<Store, 'read' | 'info'>

export class SalvagedRows implements Pick<Store, 'read'> {
  readonly #store: Source
  readonly #problems = new Map<string, Map<number, string>>()

  constructor(store: Source) {
    this.#store = store
  }

  /** Problems of the events read so far, by number. */
  problemsOf(threadId: string): readonly (readonly [seq: number, problem: string])[] {
    return [...(this.#problems.get(threadId) ?? [])].sort(([one], [other]) => one - other)
  }

  /** Rejects with the error of the read if not one event is readable. */
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

  /** One row for each number; none if the thread was deleted meanwhile. */
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

  /** The threads that wrote the events, this one first: a fork has those of its past from its parent. */
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
    // A damaged page of the file: halve the range until only the damaged rows fail.
    const middle = Math.floor((from + to) / 2)
    return [
      ...(await this.#found(threadId, from, middle)),
      ...(await this.#found(threadId, middle + 1, to)),
    ]
  }
}

interface Owner extends Pick<ThreadInfo, 'threadId' | 'createdAt'> {
  /** Events up to this number are those of its parent. */
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

/** Why a store would reject the row as it is; empty if it would accept it. */
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

/** Differs only in how its time is written. */
function isKept(row: Row): boolean {
  return findProblem(withTime(row)) === ''
}

function withTime(row: Row): Row {
  const time = Date.parse(row.timestamp)
  return Number.isNaN(time) ? row : { ...row, timestamp: new Date(time).toISOString() }
}

/** The shape in which a store returns text that is not JSON. */
function isUnreadable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('unreadable' in value)) return false
  return Object.keys(value).length === 1 && typeof value.unreadable === 'string'
}

/**
 * Takes the place of the unreadable event in the log, has no effect on the context, and holds the original
 * content. A fork and its parent get the same one.
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
