// The hash chain over the events of a thread: each hash covers an event as it is stored and the hash before it.
import { hash } from 'node:crypto'
import type { LogVerdict } from '../core/ports.ts'
import { type Cells, checkName } from './cells.ts'
import { restlessThread } from './errors.ts'
import type { Range } from './ranges.ts'

/** An event and its hash; null where an older program wrote it. */
export type HashedCells = readonly [...cells: Cells, hash: string | null]

/** What stands before the first event that has a hash. */
export const NO_HASH = ''

/**
 * SHA-256 of the cells, as hex: of the text that is stored, not of what it reads as. The thread is not in
 * it, since forks share events.
 */
export function digestOfCells(cells: Cells): string {
  const [seq, id, v, type, timestamp, data, origin, source] = cells
  const names = JSON.stringify([
    seq,
    id,
    v,
    type,
    timestamp,
    origin,
    lengthOf(data),
    lengthOf(source),
  ])
  return hash('sha256', `${names}\n${data}${source ?? ''}`)
}

/** The hash of an event: of the hash before it and of its own digest. PostgreSQL computes the same. */
export function linkOf(before: string, digest: string): string {
  return hash('sha256', before + digest)
}

/** So many events that do not fit are listed. */
const MOST_MISFITS = 1_000

/** Follows a chain row by row. Behind a row that does not fit it goes on from the hash that is stored there. */
export class ChainCheck {
  #seq = 0
  #events = 0
  #before = NO_HASH
  #isGap = false // what was before the next row is not known
  #unverified = 0
  readonly #misfits: { readonly seq: number; readonly problem: string }[] = []

  add(row: HashedCells): void {
    const [seq, , , , , , , , stored] = row
    this.#missing(seq)
    this.#seq = seq
    this.#events += 1
    if (stored === null) {
      this.#unverified += 1
      return
    }
    if (!this.#isGap && stored !== linkOf(this.#before, digestOfCells(cellsIn(row))))
      this.#report(seq, 'it is not what was written: its hash does not fit')
    this.#before = stored
    this.#isGap = false
  }

  /** `head` is the hash that the thread itself keeps of its last event; null where it keeps none. */
  end(version: number, head: string | null): LogVerdict {
    this.#missing(version + 1)
    if (this.#misfits.length === 0 && head !== null && head !== this.#before)
      this.#report(version, 'the log does not end with the event that was written')
    return { events: this.#events, unverified: this.#unverified, misfits: this.#misfits }
  }

  #missing(next: number): void {
    for (let seq = this.#seq + 1; seq < next && this.#misfits.length < MOST_MISFITS; seq += 1) {
      this.#report(seq, 'it is missing')
      this.#isGap = true
    }
  }

  #report(seq: number, problem: string): void {
    if (this.#misfits.length < MOST_MISFITS) this.#misfits.push({ seq, problem })
  }
}

export interface ChainAnswer {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly version: number
  readonly head: string | null
  readonly rows: readonly HashedCells[]
  readonly rest: readonly Range[]
}

export type ChainStep = (threadId: string, ranges: readonly Range[]) => Promise<ChainAnswer>

/** How often a check starts again because its thread was deleted and recreated meanwhile. */
const MOST_RESTARTS = 5

/** Undefined where there is no such thread. Events that come later are not part of it. */
export async function verifyInSteps(
  step: ChainStep,
  threadId: string,
): Promise<LogVerdict | undefined> {
  checkName('a thread id', threadId)
  for (let restarts = 0; restarts <= MOST_RESTARTS; restarts += 1) {
    const verdict = await tryToVerify(step, threadId)
    if (verdict !== 'replaced') return verdict
  }
  throw restlessThread(threadId)
}

async function tryToVerify(
  step: ChainStep,
  threadId: string,
): Promise<LogVerdict | undefined | 'replaced'> {
  const first = await step(threadId, [[1, Number.MAX_SAFE_INTEGER]])
  if (first.life === undefined) return undefined
  const { life, version, head } = first
  const check = new ChainCheck()
  let { rows, rest } = first
  for (;;) {
    for (const row of rows) if (row[0] <= version) check.add(row)
    if (rest.length === 0) return check.end(version, head)
    const next = await step(
      threadId,
      rest.map(([from, to]) => [from, Math.min(to, version)] as const),
    )
    if (next.life !== life) return 'replaced'
    ;({ rows, rest } = next)
  }
}

function cellsIn(row: HashedCells): Cells {
  const [seq, id, v, type, timestamp, data, origin, source] = row
  return [seq, id, v, type, timestamp, data, origin, source]
}

/** A damaged page may give anything in the place of a text. */
function lengthOf(text: string | null): number | null {
  return text?.length ?? null
}
