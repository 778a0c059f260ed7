// The hash chain of a thread: each hash covers a stored event and the hash before it.

import { PrecisError } from '../../core/errors.ts'
import type { LogVerdict } from '../../core/ports.ts'
import { restlessThread } from '../errors.ts'
import type { Range } from './read-in-steps.ts'
import { sha256 } from './sha256.ts'
import { checkName, type StoredEvent } from './stored-event.ts'

/** An event and its hash; null if an older version wrote it. */
export type HashedCells = readonly [...cells: StoredEvent, hash: string | null]

/** Stands before the first event with a hash. */
export const NO_HASH = ''

/** Whether a hash matches a stored event and the hash before it. */
export type Fits = (hash: string, before: string, cells: StoredEvent) => boolean

/** Older versions wrote hex; today's base64 is shorter. */
const HEX_LENGTH = 32
const HASH_LENGTH = 22
/** Separates the digest of the first event of an append from what links it to the log (PostgreSQL only). */
const LINK = '.'

/**
 * The hashes of events behind the hash `before`: half of SHA-256 over the previous hash and the stored event.
 * Half is enough to detect changes and half as much to write. The thread id is not covered, since forks share
 * events. Hashing a whole append together is faster.
 */
export function computeHashes(before: string, rows: readonly StoredEvent[]): readonly string[] {
  let hash = before
  return rows.map((cells) => {
    hash = shortHash(writeText(hash, cells))
    return hash
  })
}

export const fitsCells: Fits = (hash, before, cells) =>
  hash === (hash.length === HEX_LENGTH ? olderHash : shortHash)(writeText(before, cells))

/**
 * On PostgreSQL the client hashes the events of an append, and the server links the first one to the log,
 * because only the server knows the previous hash. In older logs it linked each event.
 */
export const fitsLinked: Fits = (hash, before, cells) => {
  if (hash.length === HEX_LENGTH)
    return hash === olderHash(before + olderHash(writeText(NO_HASH, cells)))
  const [digest, link] = hash.split(LINK)
  const [digestBefore = ''] = before.split(LINK)
  if (link === undefined) return hash === shortHash(writeText(digestBefore, cells))
  return digest === shortHash(writeText(NO_HASH, cells)) && link === shortHash(before + digest)
}

function writeText(before: string, cells: StoredEvent): string {
  const [seq, id, v, type, timestamp, data, origin, source] = cells
  const names = `${before}${seq}\n${id}\n${v}\n${type}\n${timestamp}\n${origin === null ? '-' : `+${origin}`}`
  return `${names}\n${data?.length}\n${source?.length ?? '-'}\n${data}${source ?? ''}`
}

function shortHash(text: string): string {
  return sha256(text, 'base64').slice(0, HASH_LENGTH)
}

function olderHash(text: string): string {
  return sha256(text).slice(0, HEX_LENGTH)
}

/** Lists at most this many mismatches. */
const MOST_MISFITS = 1_000
/** If more are missing, the version or a number is damaged, and the log ends before them. */
const MOST_MISSING = 100_000

/** Follows a chain row by row. After a mismatch it continues from the stored hash. */
export class ChainCheck {
  #seq = 0
  #events = 0
  #allMissing = 0
  #end: number | undefined
  #before = NO_HASH
  #isGap = false // the hash before the next row is unknown
  #isBehindUnread = false
  #hashedSeq = 0 // the last one with a hash
  #unverified = 0
  readonly #fits: Fits
  readonly #misfits: { readonly seq: number; readonly problem: string }[] = []

  constructor(fits: Fits) {
    this.#fits = fits
  }

  add(row: HashedCells): void {
    const [seq, , , , , , , , stored] = row
    this.#missing(seq)
    this.#seq = seq
    this.#events += 1
    if (stored === null) {
      this.#unverified += 1
      return
    }
    if (!this.#isGap && !this.#fits(stored, this.#before, cellsIn(row)))
      this.#report(seq, 'it is not what was written: its hash does not fit')
    if (this.#isBehindUnread)
      this.#report(seq, 'it could not be verified: the one before it cannot be read')
    this.#before = stored
    this.#hashedSeq = seq
    this.#isGap = false
    this.#isBehindUnread = false
  }

  /** An existing but unreadable row. Whether the next one was altered cannot be told. */
  addUnread(seq: number): void {
    this.#missing(seq)
    this.#seq = seq
    this.#report(seq, 'it cannot be read')
    this.#isGap = true
    this.#isBehindUnread = true
  }

  /** The list of mismatches is full. */
  get isFull(): boolean {
    return this.#misfits.length >= MOST_MISFITS
  }

  /**
   * `head` is the thread's own copy of its last hash. Older versions keep none, and their forks may share
   * events with hashes up to `forkSeq`. A version that writes hashes writes `head` too.
   */
  end({ version, head, forkSeq }: ChainEnd): LogVerdict {
    this.#missing(version + 1)
    const isLost = head === null && this.#hashedSeq > forkSeq
    if (this.#misfits.length === 0 && isLost)
      this.#report(version, 'whether the log ends with it is not known: the thread lost its hash')
    if (this.#misfits.length === 0 && head !== null && head !== this.#before)
      this.#report(version, 'the log does not end with the event that was written')
    const [events, unverified, misfits] = [this.#events, this.#unverified, this.#misfits]
    return { events, ...(this.#end !== undefined && { end: this.#end }), unverified, misfits }
  }

  #missing(next: number): void {
    const missing = next - this.#seq - 1
    if (missing <= 0) return
    this.#isGap = true
    this.#allMissing += missing
    if (this.#allMissing > MOST_MISSING) this.#end ??= this.#seq
    if (missing > MOST_MISFITS) {
      const others = (missing - 1).toLocaleString('en-US')
      this.#report(this.#seq + 1, `it is missing, and so are the ${others} events after it`)
      return
    }
    for (let seq = this.#seq + 1; seq < next; seq += 1) this.#report(seq, 'it is missing')
  }

  #report(seq: number, problem: string): void {
    if (!this.isFull) this.#misfits.push({ seq, problem })
  }
}

interface ChainEnd {
  readonly version: number
  readonly head: string | null
  /** The last event shared at the time of the fork; 0 if it is not a fork. */
  readonly forkSeq: number
}

export interface ChainAnswer extends ChainEnd {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly rows: readonly HashedCells[]
  readonly rest: readonly Range[]
}

export type ChainStep = (threadId: string, ranges: readonly Range[]) => Promise<ChainAnswer>

/** Restarts of a check whose thread was deleted and recreated meanwhile. */
const MOST_RESTARTS = 5

/** The answer of a step for a missing thread. */
export const NO_CHAIN: ChainAnswer = {
  life: undefined,
  version: 0,
  head: null,
  forkSeq: 0,
  rows: [],
  rest: [],
}

/** Undefined for a missing thread. Later events are not part of it. */
export async function verifyInSteps(
  step: ChainStep,
  threadId: string,
  fits: Fits,
): Promise<LogVerdict | undefined> {
  checkName('a thread id', threadId)
  for (let restarts = 0; restarts <= MOST_RESTARTS; restarts += 1) {
    const verdict = await tryToVerify(step, threadId, new ChainCheck(fits))
    if (verdict !== 'replaced') return verdict
  }
  throw restlessThread(threadId)
}

async function tryToVerify(
  step: ChainStep,
  threadId: string,
  check: ChainCheck,
): Promise<LogVerdict | undefined | 'replaced'> {
  const { life, ...end } = await step(threadId, [])
  if (life === undefined) return undefined
  const rest: Range[] = [[1, end.version]] // the next range is last
  for (let range = rest.pop(); range; range = rest.pop()) {
    const next = await readOrHalve(step, threadId, range)
    rest.push(...next.rest.toReversed())
    if ('rows' in next) {
      if (next.life !== life) return 'replaced'
      for (const row of next.rows) check.add(row)
    } else if (next.rest.length === 0) {
      if (check.isFull) throw next.failure
      check.addUnread(range[0])
    }
  }
  return check.end(end)
}

interface Unread {
  readonly failure: PrecisError
  /** The halves of the range; empty for one row. */
  readonly rest: readonly Range[]
}

/** Damage to some rows does not hide problems in others. */
async function readOrHalve(
  step: ChainStep,
  threadId: string,
  range: Range,
): Promise<ChainAnswer | Unread> {
  try {
    return await step(threadId, [range])
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code !== 'store-corrupt') throw thrown
    const [from, to] = range
    const middle = Math.floor((from + to) / 2)
    const halves: readonly Range[] = [
      [from, middle],
      [middle + 1, to],
    ]
    return { failure: thrown, rest: from < to ? halves : [] }
  }
}

function cellsIn(row: HashedCells): StoredEvent {
  const [seq, id, v, type, timestamp, data, origin, source] = row
  return [seq, id, v, type, timestamp, data, origin, source]
}
