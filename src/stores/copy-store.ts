// Copies all threads of a store into another while both are in use. After an interruption, run it again.
import { PrecisError } from '../core/errors.ts'
import type { NewEvent } from '../core/log/event.ts'
import type { Row, Store, ThreadInfo } from '../core/ports.ts'
import { COPY_NOTES, copyNotes, type LeftOut, noteBegin, noteEnd } from './copy-notes.ts'
import { computeDigest } from './rows/digest.ts'
import { PageRows } from './rows/pages.ts'
import { refuseDamagedName } from './rows/stored-event.ts'
import { SalvagedRows } from './salvage.ts'

export interface CopyReport {
  readonly threads: number
  readonly events: number // in the copied threads
  readonly copied: number // of them, by this run
  /** Forks whose parent no longer exists: they hold their past themselves and name no parent. */
  readonly detached: readonly string[]
}

export interface CopyOptions {
  /** The name of the source in the notes of the target. */
  readonly name?: string
  readonly onThread?: (threadId: string, done: number, all: number) => void
}

/**
 * Threads that are in both go on from where the other one ends, and every thread is compared by its
 * hash. What the target has besides stays. A thread that is another one there is left out; an event that
 * cannot be read is replaced by one that says so, in its place; one that was altered is copied as it is.
 * Then it rejects, but only when everything else is copied: `details.problems` lists them, and so does a
 * check of the target. Leases, snapshots and the search index are not copied: the first are of the moment,
 * the others are made again.
 */
export async function copyStore(
  from: Store,
  to: Store,
  { name = 'another store', onThread = () => undefined }: CopyOptions = {},
): Promise<CopyReport> {
  const infos = await allThreads(from)
  const copy = new Copy(from, to)
  const known = new Set(infos.map(({ threadId }) => threadId))
  const noted = (await copyNotes(to)).find((note) => note.from === name)?.leftOut ?? []
  await noteBegin(to, name)
  for (const [index, { threadId }] of infos.entries()) {
    onThread(threadId, index, infos.length)
    await copy.thread(threadId)
  }
  // What the source itself lacks, the target lacks too.
  const before = (await copyNotes(from)).flatMap(({ from: other, isEnded, leftOut }) =>
    [...leftOut, ...(isEnded ? [] : [UNFINISHED])].map((each) => ({
      ...each,
      problem: `${each.problem} (in the copy from ${other})`,
    })),
  )
  // Threads deleted from the source stay in the target as they were.
  const kept = noted.filter(({ threadId }) => threadId !== '*' && !known.has(threadId))
  const problems = [...copy.problems, ...(await findStrays(from)), ...before, ...kept]
  await noteEnd(to, name, problems)
  const [first] = copy.leftOut.values()
  if (first) throw leftOut(first, [...copy.leftOut.keys()], copy.report, problems)
  if (problems.length > 0) throw notAsTheyWere(problems, copy.report)
  return copy.report
}

const UNFINISHED: LeftOut = { threadId: '*', problem: 'the copy did not end' }

/** All threads but the notes, even if others are created or changed during the listing. */
export async function allThreads(store: Pick<Store, 'list'>): Promise<readonly ThreadInfo[]> {
  const infos = new Map<string, ThreadInfo>()
  let after: string | undefined
  do {
    const page = await store.list({ limit: 1_000, ...(after !== undefined && { after }) })
    for (const info of page.items) if (info.threadId !== COPY_NOTES) infos.set(info.threadId, info)
    after = page.next
  } while (after !== undefined)
  return [...infos.values()]
}

/** Events of no thread: the row of their thread was lost, and its id with it. */
export async function findStrays(store: Store): Promise<LeftOut[]> {
  const count = (await store.countStrays?.()) ?? 0
  if (count === 0) return []
  return [{ threadId: '*', problem: `${count} events belong to no thread: its row is gone` }]
}

const CONFLICTS: ReadonlySet<string> = new Set(['version-conflict', 'id-conflict'])
/** Errors that concern one thread; the others are still copied. */
const OF_ONE_THREAD: ReadonlySet<string> = new Set([...CONFLICTS, 'store-corrupt'])

type Misfit = Omit<LeftOut, 'threadId'>

class Copy {
  readonly #from: Store
  readonly #rows: SalvagedRows
  readonly #to: Store
  readonly #begun = new Set<string>()
  readonly #underWay = new Set<string>()
  readonly #detached: string[] = []
  /** Why a thread was not copied, by its id. */
  readonly leftOut = new Map<string, PrecisError>()
  readonly problems: LeftOut[] = []
  #threads = 0
  #events = 0
  #copied = 0

  constructor(from: Store, to: Store) {
    this.#from = from
    this.#rows = new SalvagedRows(from)
    this.#to = to
  }

  get report(): CopyReport {
    const [threads, events, copied] = [this.#threads, this.#events, this.#copied]
    return { threads, events, copied, detached: this.#detached }
  }

  async thread(threadId: string): Promise<void> {
    if (this.#begun.has(threadId)) return
    this.#begun.add(threadId)
    this.#underWay.add(threadId)
    try {
      await this.#copyThread(threadId)
    } catch (thrown) {
      if (!PrecisError.is(thrown) || !OF_ONE_THREAD.has(thrown.code)) throw thrown
      this.leftOut.set(threadId, thrown)
      this.problems.push({ threadId, problem: thrown.message })
    }
    this.#underWay.delete(threadId)
  }

  async #copyThread(threadId: string): Promise<void> {
    refuseDamagedName(threadId)
    const info = await this.#from.info(threadId)
    if (!info) return // deleted meanwhile
    const there = (await this.#to.info(threadId))?.version
    let version = there ?? (await this.#begin(info))
    if (version > info.version) throw differs(threadId, `it has ${version} events there already`)
    if (there !== undefined) await this.#verifyEnd(threadId, there)
    const { end = info.version, misfits } = await this.#verdict(threadId)
    const last = Math.min(info.version, end)
    if (version < last) await this.#rows.requireSome(threadId, last)
    const pages = new PageRows()
    while (version < last) {
      const to = Math.min(last, version + pages.rows)
      const rows = await this.#rows.read(threadId, { from: version + 1, to })
      if (rows.length === 0) return // deleted meanwhile
      pages.learn(rows)
      version = await this.#appendOrSkip(threadId, version, rows.map(readNewEvent))
    }
    await this.#verify(threadId, last)
    this.#listProblems(threadId, misfits)
    if (last < info.version) this.problems.push({ threadId, problem: `copied up to event ${last}` })
    this.#threads += 1
    this.#events += last
  }

  /** A fork shares its past in the target, too. Returns how many events the thread begins with. */
  async #begin({ threadId, parent }: ThreadInfo): Promise<number> {
    if (!parent) return 0
    const isParent = await this.#isParent(threadId, parent)
    if (isParent) await this.thread(parent.threadId)
    const isThere = ((await this.#to.info(parent.threadId))?.version ?? 0) >= parent.seq
    if (isParent && isThere && !this.leftOut.has(parent.threadId))
      return (await this.#to.fork(parent.threadId, parent.seq, threadId, [])).version
    this.#detached.push(threadId)
    return 0
  }

  /** False if the parent was deleted, even if another thread has its id, for example a fork of this one. */
  async #isParent(threadId: string, parent: NonNullable<ThreadInfo['parent']>): Promise<boolean> {
    if (this.#underWay.has(parent.threadId)) return false
    const at = { from: parent.seq, to: parent.seq }
    const [theirs] = await this.#rows.read(parent.threadId, at)
    const [ours] = await this.#rows.read(threadId, at)
    return theirs !== undefined && isSame(theirs, ours)
  }

  /** Append only behind the same thread: if the last event differs, so does the whole thread. */
  async #verifyEnd(threadId: string, version: number): Promise<void> {
    const at = { from: version, to: version }
    const [here] = await this.#rows.read(threadId, at)
    const [there] = await this.#to.read(threadId, at)
    if (here && !isSame(here, there)) throw differs(threadId, 'other events')
  }

  /** If another process copies the same thread, skip what it has written. */
  async #appendOrSkip(
    threadId: string,
    before: number,
    events: readonly NewEvent[],
  ): Promise<number> {
    try {
      return await this.#append(threadId, before, events)
    } catch (thrown) {
      if (!PrecisError.is(thrown) || !CONFLICTS.has(thrown.code)) throw thrown
      const { version = 0 } = (await this.#to.info(threadId)) ?? {}
      if (version <= before) throw thrown
      await this.#verifyEnd(threadId, version)
      return version
    }
  }

  async #append(
    threadId: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<number> {
    try {
      const { version, repeated } = await this.#to.append(threadId, events, { expectedVersion })
      if (!repeated) this.#copied += events.length
      return version
    } catch (thrown) {
      const isTooMuch = PrecisError.is(thrown) && thrown.code === 'invalid-input'
      if (!isTooMuch || events.length === 1) throw thrown
    }
    let version = expectedVersion
    for (const event of events) version = await this.#append(threadId, version, [event])
    return version
  }

  /** Altered text is readable and is copied, but its new hash must not hide the change. */
  #listProblems(threadId: string, misfits: readonly Misfit[]): void {
    const unread = this.#rows.problemsOf(threadId)
    for (const [seq, problem] of unread) this.problems.push({ threadId, seq, problem })
    const listed = new Set(unread.map(([seq]) => seq))
    for (const misfit of misfits)
      if (misfit.seq === undefined || !listed.has(misfit.seq))
        this.problems.push({ threadId, ...misfit })
  }

  async #verdict(threadId: string): Promise<{ end?: number; misfits: readonly Misfit[] }> {
    try {
      return (await this.#from.verify?.(threadId)) ?? { misfits: [] }
    } catch (thrown) {
      if (!PrecisError.is(thrown) || thrown.code !== 'store-corrupt') throw thrown
      return { misfits: [{ problem: 'its other events could not be verified' }] }
    }
  }

  async #verify(threadId: string, version: number): Promise<void> {
    const there = await computeDigest(this.#to, threadId, version)
    const here = await computeDigest(this.#rows, threadId, version)
    if (here.events > 0 && there.hash !== here.hash) throw differs(threadId, 'other events')
  }
}

function notAsTheyWere(problems: readonly LeftOut[], { threads }: CopyReport): PrecisError {
  const events = problems.length === 1 ? '1 event was' : `${problems.length} events were`
  const message = `${events} damaged or altered; ${threads} threads are copied.`
  return new PrecisError('store-corrupt', message, {
    hint: 'A check of the target names them, until `precis store check TARGET --repair --accept`.',
    details: { leftOut: [], copied: threads, problems },
  })
}

function isSame(one: Row, other: Row | undefined): boolean {
  return one.id === other?.id && one.timestamp === other.timestamp
}

/** Turns a row back into the event that was appended. It was validated then. */
function readNewEvent({ seq: _, timestamp, ...rest }: Row): NewEvent {
  return { ...rest, timestamp: new Date(timestamp) } as NewEvent
}

function differs(threadId: string, how: string): PrecisError {
  return new PrecisError(
    'id-conflict',
    `The target has a different thread with the id ${threadId}: ${how}.`,
    {
      hint: 'Copy into an empty store, or delete that thread there.',
      where: threadId,
    },
  )
}

/** The message names at most this many threads; `details` has all. */
const NAMED = 10

function leftOut(
  first: PrecisError,
  threadIds: readonly string[],
  { threads }: CopyReport,
  problems: readonly LeftOut[],
): PrecisError {
  const named = threadIds.slice(0, NAMED).join(', ')
  const more = threadIds.length > NAMED ? ` and ${threadIds.length - NAMED} more` : ''
  const message = `${first.message} Not copied: ${named}${more}. Copied: ${threads}.`
  const { code, hint, where } = first
  return new PrecisError(code, message, {
    ...(hint !== undefined && { hint }),
    ...(where !== undefined && { where }),
    details: { leftOut: threadIds, copied: threads, problems },
    cause: first,
  })
}
