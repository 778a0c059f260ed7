// What a store is asked, checked and encoded first: appends, forks, stretches to read, and how many calls may wait.
import { PrecisError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/log/event.ts'
import type { Appended, AppendOptions, ReadRange, Row, Snapshot } from '../../core/ports.ts'
import { idConflict, restlessThread, usageError } from '../errors.ts'
import type { Stretch } from '../follow.ts'
import {
  checkName,
  checkNumber,
  decodeRow,
  encodeEvents,
  encodeSnapshot,
  LIMITS,
  type SnapshotCells,
  type StoredEvent,
} from './stored-event.ts'

export interface AppendRequest {
  readonly threadId: string
  readonly expectedVersion: number
  readonly rows: readonly StoredEvent[]
  readonly snapshot?: SnapshotCells
  readonly length: number // characters of JSON
}

export interface ForkRequest {
  readonly parentId: string
  readonly seq: number
  readonly threadId: string
  readonly rows: readonly StoredEvent[]
  readonly snapshot?: SnapshotCells
  readonly length: number // characters of JSON
}

/** Where a thread was forked from. It stays known when the parent is gone. */
export interface Parent {
  readonly threadId: string
  readonly seq: number
}

/** The rows that were there already; undefined where the append wrote its own. */
export interface WriteAnswer {
  readonly stored?: readonly StoredEvent[]
}

export function appendRequest(
  threadId: string,
  events: readonly NewEvent[],
  { expectedVersion, snapshot }: AppendOptions,
): AppendRequest {
  checkName('a thread id', threadId)
  checkNumber('expectedVersion', expectedVersion, 0)
  const encoded = encode(threadId, events, expectedVersion, snapshot)
  return { threadId, expectedVersion, ...encoded }
}

export function forkRequest(
  parentId: string,
  seq: number,
  threadId: string,
  first: readonly NewEvent[],
  snapshot?: Snapshot,
): ForkRequest {
  checkName('a thread id', parentId)
  checkName('a thread id', threadId)
  checkNumber('the number to fork at', seq, 1)
  return { parentId, seq, threadId, ...encode(threadId, first, seq, snapshot) }
}

/**
 * The answer to an append after `before`: the rows it wrote, or found. They are decoded from what
 * was stored, so that they are what a read gives; and only when asked for, since callers mostly
 * know what they appended.
 */
export function appended(
  threadId: string,
  cells: readonly StoredEvent[],
  before: number,
  repeated: boolean,
): Appended {
  let rows: readonly Row[] | undefined
  return {
    version: cells.at(-1)?.[0] ?? before,
    get rows() {
      rows ??= cells.map((row) => decodeRow(threadId, row))
      return rows
    },
    repeated,
  }
}

/** The rows of a fork that was made before by this very request; another thread is a conflict. */
export function recogniseFork(
  request: Pick<ForkRequest, 'parentId' | 'seq' | 'threadId' | 'rows'>,
  parent: Parent | undefined,
  found: readonly (StoredEvent | undefined)[],
): readonly StoredEvent[] {
  const { threadId, rows, seq } = request
  if (parent?.threadId === request.parentId && parent.seq === seq) {
    const stored = rows.length === 0 ? [] : recognise(threadId, rows, found)
    if (stored && (stored[0]?.[0] ?? seq + 1) === seq + 1) return stored
  }
  throw idConflict(threadId, threadId, `There is another thread ${threadId} already.`)
}

/** Every id stands once in a log, whether its row is shared or its own. */
export function checkForkIds(threadId: string, found: readonly (StoredEvent | undefined)[]): void {
  const shared = found.find((cells) => cells !== undefined)
  if (shared === undefined) return
  throw idConflict(threadId, shared[1], `The fork shares an event ${shared[1]} already.`)
}

function encode(
  threadId: string,
  events: readonly NewEvent[],
  before: number,
  snapshot: Snapshot | undefined,
) {
  const { rows, length } = encodeEvents(threadId, events, before + 1)
  if (!snapshot) return { rows, length }
  const cells = encodeSnapshot(threadId, snapshot, before + rows.length)
  return { rows, snapshot: cells, length: length + cells.state.length }
}

// Whether an append was made before: how a caller who missed the answer may simply repeat it.

/**
 * Compares events with those of the log that have their ids (`found`, in the same order).
 * Gives the stored rows where all are there, with equal content and one after the other;
 * undefined where none is. Anything between is an `id-conflict`.
 */
export function recognise(
  threadId: string,
  rows: readonly StoredEvent[],
  found: readonly (StoredEvent | undefined)[],
): readonly StoredEvent[] | undefined {
  const stored = found.filter((cells) => cells !== undefined)
  if (stored.length === 0) return undefined
  const first = stored[0]?.[0] ?? 0
  rows.forEach((row, index) => {
    const twin = found[index]
    const id = row[1]
    if (twin === undefined) {
      throw idConflict(threadId, id, `Some events of the append are in the log, but ${id} is not.`)
    }
    if (!sameContent(row, twin)) {
      throw idConflict(threadId, id, `The log has an event ${id} with other content.`)
    }
    if (twin[0] !== first + index) {
      throw idConflict(threadId, id, `The log has event ${id} in another place.`)
    }
  })
  return stored
}

/** All but the sequence number, which the log gave. Content is equal where its JSON text is. */
function sameContent(one: StoredEvent, other: StoredEvent): boolean {
  return one.every((cell, column) => column === 0 || cell === other[column])
}

// Stretches of a log: which sequence numbers a read asks for.

/** From the first to the last sequence number, both inclusive. */
export type Range = readonly [from: number, to: number]

export interface ReadQuery {
  readonly ranges: readonly Range[]
  readonly limit: number
}

export function readQuery(range: ReadRange): ReadQuery {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER } = range
  checkNumber('the limit of a read', limit, 0)
  return { ranges: checkRanges([[from, to]]), limit }
}

/** Leaves out empty stretches and joins those that touch, so that few are left to read. */
export function checkRanges(ranges: readonly Range[]): readonly Range[] {
  if (ranges.length > LIMITS.ranges) {
    throw usageError(
      `${ranges.length} stretches are too many for one read.`,
      `Ask for at most ${LIMITS.ranges} at a time.`,
    )
  }
  const joined: Range[] = []
  for (const [from, to] of ranges) {
    checkNumber('the first number of a stretch', from, 1)
    checkNumber('the last number of a stretch', to, 0)
    if (from > to) continue
    const last = joined.at(-1)
    if (last && last[1] + 1 === from) joined[joined.length - 1] = [last[0], to]
    else joined.push([from, to])
  }
  return joined
}

/** A long read, step by step: it blocks no other for long, and holds nothing twice. */
export interface StepAnswer {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly rows: readonly StoredEvent[]
  /** What is left to read, up to the version of now. */
  readonly rest: readonly Range[]
}

/** Reads at most `limit` rows, and fewer where these are many or long. */
export type ReadStep = (
  threadId: string,
  ranges: readonly Range[],
  limit: number,
) => Promise<StepAnswer>

/** How often a read restarts because its thread was deleted and recreated meanwhile. */
const MOST_RESTARTS = 5

export async function readInSteps(
  step: ReadStep,
  threadId: string,
  query: ReadQuery,
): Promise<Row[]> {
  checkName('a thread id', threadId)
  for (let restarts = 0; restarts <= MOST_RESTARTS; restarts += 1) {
    const rows = await tryToRead(step, threadId, query)
    if (rows) return rows
  }
  throw restlessThread(threadId)
}

/** One step, for a follower. */
export async function rowsAfter(step: ReadStep, threadId: string, seq: number): Promise<Stretch> {
  const range = [seq + 1, Number.MAX_SAFE_INTEGER] as const
  const { life, rows, rest } = await step(threadId, [range], LIMITS.stepRows)
  return { life, rows: rows.map((row) => decodeRow(threadId, row)), more: rest.length > 0 }
}

/** Events that come later are not part of a read that has begun. */
export function clipRanges(ranges: readonly Range[], version: number): readonly Range[] {
  return ranges
    .map(([from, to]): Range => [from, Math.min(to, version)])
    .filter(([from, to]) => from <= to)
}

/** Undefined where the thread was replaced by another one of its id between two steps. */
async function tryToRead(
  step: ReadStep,
  threadId: string,
  { ranges, limit }: ReadQuery,
): Promise<Row[] | undefined> {
  const rows: Row[] = []
  let rest = ranges
  let firstLife: number | undefined
  while (rest.length > 0 && rows.length < limit) {
    const answer = await step(threadId, rest, limit - rows.length)
    firstLife ??= answer.life
    if (answer.life !== firstLife) return undefined
    for (const row of answer.rows) rows.push(decodeRow(threadId, row))
    rest = answer.rest
  }
  return rows
}

/**
 * How many calls wait for a database, and how much they carry: beyond a limit, more are refused.
 */
export class Backpressure {
  readonly #where: string
  #calls = 0
  #length = 0

  constructor(where: string) {
    this.#where = where
  }

  /** Throws `store-busy` where too much waits. Whoever came in must `leave` with the same length. */
  enter(length: number): void {
    const isTooLong = this.#calls > 0 && this.#length + length > LIMITS.waitingLength
    if (this.#calls >= LIMITS.waitingCalls || isTooLong) {
      throw new PrecisError('store-busy', `Too many calls wait for the store ${this.#where}.`, {
        hint: 'Wait for earlier calls before making more.',
        where: this.#where,
        retryable: true,
      })
    }
    this.#calls += 1
    this.#length += length
  }

  leave(length: number): void {
    this.#calls -= 1
    this.#length -= length
  }
}
