// A log that the servers of one store keep together: entries in a thread of a reserved name.
import { Lock } from '../../agent/thread-runtime.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { EVENT_VERSION, type NewEvent, type ThreadEvent } from '../../core/log/event.ts'
import type { Clock, Ids, Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { RESERVED_PREFIX } from '../accounts/owners.ts'

export interface LogPorts {
  readonly store: Pick<Store, 'append' | 'read' | 'info' | 'follow'>
  readonly clock: Clock
  readonly ids: Ids
}

/** What it takes to restart a log. */
export interface RenewingPorts extends LogPorts {
  readonly store: LogPorts['store'] & Pick<Store, 'delete' | 'takeLease' | 'releaseLease'>
}

export interface LogEntry {
  readonly seq: number
  readonly at: Date
  readonly data: Json
}

const TRIES = 20

const PAUSE_MS = 5

const LEASE_MS = 15_000

const RENEWAL_MS = 50

/** Longer than the lease of a process that died during a renewal. */
const MOST_RENEWALS = 2 * (LEASE_MS / RENEWAL_MS)

export class ServerLog {
  readonly #ports: LogPorts
  /** The id of the log's thread. */
  readonly threadId: string
  readonly #title: string
  readonly #lock = new Lock()

  /** `name` identifies the log; lists of threads show `title`. */
  constructor(ports: LogPorts, name: string, title: string) {
    this.#ports = ports
    this.threadId = `${RESERVED_PREFIX}${name}`
    this.#title = title
  }

  /** Everything, or a range of numbers. */
  async read(from = 1, to?: number): Promise<LogEntry[]> {
    const range = { from, ...(to !== undefined && { to }) }
    return (await this.#ports.store.read(this.threadId, range)).map(readRow).flatMap(entriesIn)
  }

  /** Entries after that number, then new ones from any process, until the signal fires. */
  async *follow(afterSeq: number, signal: AbortSignal): AsyncGenerator<LogEntry> {
    for await (const row of this.#ports.store.follow(this.threadId, afterSeq, signal))
      yield* entriesIn(readRow(row))
  }

  /** Appends what `decide` derives from the current log; repeats if another process was faster. */
  add(decide: (entries: readonly LogEntry[]) => Json): Promise<void> {
    return this.#append(async (version) =>
      decide((await this.read()).filter(({ seq }) => seq <= version)),
    )
  }

  /** Appends an entry that does not depend on the log. */
  append(data: Json): Promise<void> {
    return this.#append(async () => data)
  }

  /** One append at a time, so only other processes can be faster. */
  #append(dataAt: (version: number) => Promise<Json>): Promise<void> {
    return this.#lock.run(() => this.#appendNext(dataAt))
  }

  async #appendNext(dataAt: (version: number) => Promise<Json>): Promise<void> {
    const { store, clock } = this.#ports
    for (let tries = 1; ; tries += 1) {
      const expectedVersion = await this.length()
      const data = await dataAt(expectedVersion)
      const entry = this.#event('FOREIGN', data)
      const title = this.#event('THREAD_STARTED', { title: this.#title })
      const events = expectedVersion === 0 ? [title, entry] : [entry]
      try {
        await store.append(this.threadId, events, { expectedVersion })
        return
      } catch (thrown) {
        const isLate = PrecisError.is(thrown) && thrown.code === 'version-conflict'
        if (!isLate || tries >= TRIES) throw thrown
        await clock.sleep(Math.random() * tries * PAUSE_MS) // random, so processes do not collide
      }
    }
  }

  /**
   * Deletes the log when due. Called before an append: an entry must not land in a log that another process
   * is deleting, so wait for that first.
   */
  async beginAnew(ports: RenewingPorts, isDue: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < MOST_RENEWALS && (await isDue()); tries += 1) {
      if (await this.#remove(ports, isDue)) return
      await ports.clock.sleep(RENEWAL_MS)
    }
  }

  /** One process at a time, so that none deletes a new log. */
  async #remove({ store, ids }: RenewingPorts, isDue: () => Promise<boolean>): Promise<boolean> {
    const owner = ids.next('renewal')
    if (!(await store.takeLease(this.threadId, owner, LEASE_MS))) return false
    try {
      return (await isDue()) && (await store.delete(this.threadId))
    } finally {
      await store.releaseLease(this.threadId, owner)
    }
  }

  /** The number of entries, including the title. */
  async length(): Promise<number> {
    return (await this.#ports.store.info(this.threadId))?.version ?? 0
  }

  #event(type: 'FOREIGN' | 'THREAD_STARTED', data: Json): NewEvent {
    const { ids, clock } = this.#ports
    const id = ids.next('evt')
    const timestamp = clock.now()
    return { v: EVENT_VERSION, id, threadId: this.threadId, timestamp, type, data } as NewEvent
  }
}

function entriesIn(event: ThreadEvent): LogEntry[] {
  if (event.type !== 'FOREIGN') return []
  return [{ seq: event.seq, at: event.timestamp, data: event.data }]
}
