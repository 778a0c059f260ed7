// The hash chain over the events of a thread: each hash covers an event as it is stored and the hash before it.

import { PrecisError } from '../../core/errors.ts'
import type { LogVerdict } from '../../core/ports.ts'
import { restlessThread } from '../errors.ts'
import type { Range } from './read-in-steps.ts'
import { sha256 } from './sha256.ts'
import { checkName, type StoredEvent } from './stored-event.ts'

/** An event and its hash; null where an older program wrote it. */
export type HashedCells = readonly [...cells: StoredEvent, hash: string | null]

/** What stands before the first event that has a hash. */
export const NO_HASH = ''

/** Whether a hash is that of an event as it is stored, behind the hash before it. */
export type Fits = (hash: string, before: string, cells: StoredEvent) => boolean

/** Older programs wrote hashes as hex. Today's are in base64, which is less to write. */
const HEX_LENGTH = 32
const HASH_LENGTH = 22
/** Between the digest of the first event of an append and what links it to the log: PostgreSQL alone. */
const LINK = '.'

/**
 * The hashes of events behind the hash `before`: half of SHA-256 over the hash before and the event as it is
 * stored. Half is enough to find what was altered, and is half as much to write. The thread is not in it,
 * since forks share events. All of an append come together: in a row they take less time.
 */
export function hashesOf(before: string, rows: readonly StoredEvent[]): readonly string[] {
  let hash = before
  return rows.map((cells) => {
    hash = shortHash(writeText(hash, cells))
    return hash
  })
}

export const fitsCells: Fits = (hash, before, cells) =>
  hash === (hash.length === HEX_LENGTH ? olderHash : shortHash)(writeText(before, cells))

/**
 * On PostgreSQL the client hashes the events of an append, and the server links the first to the log: it alone
 * knows the hash before. In older logs it linked each of them.
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

/** So many events that do not fit are listed. */
const MOST_MISFITS = 1_000
/** Where more are missing it is the version, or a number, that is damaged: the log ends before them. */
const MOST_MISSING = 100_000

/** Follows a chain row by row. Behind a row that does not fit it goes on from the hash that is stored there. */
export class ChainCheck {
  #seq = 0
  #events = 0
  #allMissing = 0
  #end: number | undefined
  #before = NO_HASH
  #isGap = false // what was before the next row is not known
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

  /** A row that is there and cannot be read; whether the next one was altered cannot be told. */
  addUnread(seq: number): void {
    this.#missing(seq)
    this.#seq = seq
    this.#report(seq, 'it cannot be read')
    this.#isGap = true
    this.#isBehindUnread = true
  }

  /** Nothing more would be listed. */
  get isFull(): boolean {
    return this.#misfits.length >= MOST_MISFITS
  }

  /**
   * `head` is the hash that the thread itself keeps of its last event. An older program keeps none, and its
   * forks may share events with hashes, up to `forkSeq`; who writes one of its own keeps it as well.
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
  /** The last event that was shared when the thread was forked; 0 where it was not. */
  readonly forkSeq: number
}

export interface ChainAnswer extends ChainEnd {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly rows: readonly HashedCells[]
  readonly rest: readonly Range[]
}

export type ChainStep = (threadId: string, ranges: readonly Range[]) => Promise<ChainAnswer>

/** How often a check starts again because its thread was deleted and recreated meanwhile. */
const MOST_RESTARTS = 5

/** What a step answers of a thread that is not there. */
export const NO_CHAIN: ChainAnswer = {
  life: undefined,
  version: 0,
  head: null,
  forkSeq: 0,
  rows: [],
  rest: [],
}

/** Undefined where there is no such thread. Events that come later are not part of it. */
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
  const rest: Range[] = [[1, end.version]] // the next one last
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
  /** The halves of the range; none where it is one row. */
  readonly rest: readonly Range[]
}

/** Damage to some rows does not hide what is wrong with the others. */
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
