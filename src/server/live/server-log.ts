// A log that the servers of one store keep together: entries in a thread of a reserved name.
import { Lock } from '../../agent/core.ts'
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

/** What it takes to begin a log again. */
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

/** Longer than the lease of one who died over it. */
const MOST_RENEWALS = 2 * (LEASE_MS / RENEWAL_MS)

export class ServerLog {
  readonly #ports: LogPorts
  /** Of the thread that it is kept in. */
  readonly threadId: string
  readonly #title: string
  readonly #lock = new Lock()

  /** `name` is that of the log, `title` what a list of all threads shows of it. */
  constructor(ports: LogPorts, name: string, title: string) {
    this.#ports = ports
    this.threadId = `${RESERVED_PREFIX}${name}`
    this.#title = title
  }

  /** All of it, or what has these numbers. */
  async read(from = 1, to?: number): Promise<LogEntry[]> {
    const range = { from, ...(to !== undefined && { to }) }
    return (await this.#ports.store.read(this.threadId, range)).map(readRow).flatMap(entriesIn)
  }

  /** Entries after that number, then new ones of any process, until the signal fires. */
  async *follow(afterSeq: number, signal: AbortSignal): AsyncGenerator<LogEntry> {
    for await (const row of this.#ports.store.follow(this.threadId, afterSeq, signal))
      yield* entriesIn(readRow(row))
  }

  /** Adds what `decide` makes of the log as it is; again where another process was first. */
  add(decide: (entries: readonly LogEntry[]) => Json): Promise<void> {
    return this.#append(async (version) =>
      decide((await this.read()).filter(({ seq }) => seq <= version)),
    )
  }

  /** Adds what depends on nothing. */
  append(data: Json): Promise<void> {
    return this.#append(async () => data)
  }

  /** One at a time, so that only other processes can be first. */
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
        await clock.sleep(Math.random() * tries * PAUSE_MS) // not all of them again at the same time
      }
    }
  }

  /**
   * Throws the log away where that is due. Asked for before something is added: it would go with the
   * log that another is throwing away, so that one is waited for.
   */
  async beginAnew(ports: RenewingPorts, isDue: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < MOST_RENEWALS && (await isDue()); tries += 1) {
      if (await this.#remove(ports, isDue)) return
      await ports.clock.sleep(RENEWAL_MS)
    }
  }

  /** One at a time, so that nobody throws a new one away. */
  async #remove({ store, ids }: RenewingPorts, isDue: () => Promise<boolean>): Promise<boolean> {
    const owner = ids.next('renewal')
    if (!(await store.takeLease(this.threadId, owner, LEASE_MS))) return false
    try {
      return (await isDue()) && (await store.delete(this.threadId))
    } finally {
      await store.releaseLease(this.threadId, owner)
    }
  }

  /** How many entries there are, with the title. */
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
