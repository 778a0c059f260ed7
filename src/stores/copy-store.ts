// Copies all threads of a store into another while both are in use. Whoever is interrupted just starts again.
import { PrecisError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import type { Row, Store, ThreadInfo } from '../core/ports.ts'
import { digestOf } from './digest.ts'

export interface CopyReport {
  readonly threads: number
  readonly events: number // in these threads
  readonly copied: number // of them, this time
  /** Forks whose parent is gone: they hold their past themselves, and no longer name it. */
  readonly detached: readonly string[]
}

export interface CopyOptions {
  readonly onThread?: (threadId: string, done: number, all: number) => void
}

const BATCH_ROWS = 200

/**
 * Threads that are in both go on from where the other one ends, and every thread is compared by its
 * hash. What the target has besides stays. Leases, snapshots and the search index are not copied: the
 * first are of the moment, the others are made again.
 */
export async function copyStore(
  from: Store,
  to: Store,
  { onThread = () => undefined }: CopyOptions = {},
): Promise<CopyReport> {
  const infos = await allThreads(from)
  const copy = new Copy(from, to)
  for (const [index, { threadId }] of infos.entries()) {
    onThread(threadId, index, infos.length)
    await copy.thread(threadId)
  }
  return copy.report
}

/** Every thread that is there during the whole listing, also where others move in the list meanwhile. */
export async function allThreads(store: Pick<Store, 'list'>): Promise<readonly ThreadInfo[]> {
  const infos = new Map<string, ThreadInfo>()
  let after: string | undefined
  do {
    const page = await store.list({ limit: 1_000, ...(after !== undefined && { after }) })
    for (const info of page.items) infos.set(info.threadId, info)
    after = page.next
  } while (after !== undefined)
  return [...infos.values()]
}

class Copy {
  readonly #from: Store
  readonly #to: Store
  readonly #done = new Set<string>()
  readonly #underWay = new Set<string>()
  readonly #detached: string[] = []
  #events = 0
  #copied = 0

  constructor(from: Store, to: Store) {
    this.#from = from
    this.#to = to
  }

  get report(): CopyReport {
    const [events, copied] = [this.#events, this.#copied]
    return { threads: this.#done.size, events, copied, detached: this.#detached }
  }

  async thread(threadId: string): Promise<void> {
    if (this.#done.has(threadId)) return
    const info = await this.#from.info(threadId)
    if (!info) return // deleted meanwhile
    this.#done.add(threadId)
    this.#underWay.add(threadId)
    const there = (await this.#to.info(threadId))?.version
    let version = there ?? (await this.#begin(info))
    if (version > info.version) throw differs(threadId, `it has ${version} events there already`)
    if (there !== undefined) await this.#verifyEnd(threadId, there)
    while (version < info.version) {
      const last = Math.min(info.version, version + BATCH_ROWS)
      const rows = await this.#from.read(threadId, { from: version + 1, to: last })
      if (rows.length === 0) return // deleted meanwhile
      version = await this.#append(threadId, version, rows.map(newEventOf))
      this.#copied += rows.length
    }
    await this.#verify(threadId, info.version)
    this.#underWay.delete(threadId)
    this.#events += info.version
  }

  /** A fork shares its past there, too. Gives how many events the thread begins with. */
  async #begin({ threadId, parent }: ThreadInfo): Promise<number> {
    if (!parent) return 0
    if (!(await this.#isParent(threadId, parent))) {
      this.#detached.push(threadId)
      return 0
    }
    await this.thread(parent.threadId)
    return (await this.#to.fork(parent.threadId, parent.seq, threadId, [])).version
  }

  /** Not where the parent is gone, nor where another thread has its id since, a fork of this one for example. */
  async #isParent(threadId: string, parent: NonNullable<ThreadInfo['parent']>): Promise<boolean> {
    if (this.#underWay.has(parent.threadId)) return false
    const at = { from: parent.seq, to: parent.seq }
    const [theirs] = await this.#from.read(parent.threadId, at)
    const [ours] = await this.#from.read(threadId, at)
    return theirs !== undefined && isSame(theirs, ours)
  }

  /** Nothing is put behind another thread: where the last event is another one, all of it is. */
  async #verifyEnd(threadId: string, version: number): Promise<void> {
    const at = { from: version, to: version }
    const [here] = await this.#from.read(threadId, at)
    const [there] = await this.#to.read(threadId, at)
    if (here && !isSame(here, there)) throw differs(threadId, 'other events')
  }

  async #append(
    threadId: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<number> {
    try {
      return (await this.#to.append(threadId, events, { expectedVersion })).version
    } catch (thrown) {
      const isTooMuch = PrecisError.is(thrown) && thrown.code === 'invalid-input'
      if (!isTooMuch || events.length === 1) throw thrown
    }
    let version = expectedVersion
    for (const event of events) version = await this.#append(threadId, version, [event])
    return version
  }

  async #verify(threadId: string, version: number): Promise<void> {
    const there = await digestOf(this.#to, threadId, version)
    const here = await digestOf(this.#from, threadId, version)
    if (here.events > 0 && there.hash !== here.hash) throw differs(threadId, 'other events')
  }
}

function isSame(one: Row, other: Row | undefined): boolean {
  return one.id === other?.id && one.timestamp === other.timestamp
}

/** A row as the event that was appended. It was checked then, and is not read now. */
function newEventOf({ seq: _, timestamp, ...rest }: Row): NewEvent {
  return { ...rest, timestamp: new Date(timestamp) } as NewEvent
}

function differs(threadId: string, how: string): PrecisError {
  return new PrecisError(
    'id-conflict',
    `Thread ${threadId} is another one in the target: ${how}.`,
    {
      hint: 'Copy into an empty store, or delete that thread there.',
      where: threadId,
    },
  )
}
