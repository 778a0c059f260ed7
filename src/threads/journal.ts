// A log numbered by its owner, kept as a thread of a store.
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import type { NewEvent, ThreadEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'

/** Events per append: the store's maximum, so that what belongs together is stored together. */
const MOST_EVENTS = 10_000

export class Journal {
  readonly #store: Store
  readonly #threadId: string
  /** Distinguishes this process's events from another's. */
  readonly #writer = crypto.randomUUID()
  /** Being written: a failed call may have written it, and is repeated unchanged. */
  readonly #pending: (readonly NewEvent[])[] = []
  #version = 0
  #taken = 0

  constructor(store: Store, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  /** All its events in the store. */
  async load(): Promise<ThreadEvent[]> {
    const rows = await this.#store.read(this.#threadId)
    this.#version = rows.length
    this.#taken = rows.length
    return rows.map(readRow)
  }

  /** Writes the unwritten events of the log. */
  async save(log: readonly ThreadEvent[]): Promise<void> {
    while (this.#taken < log.length) {
      const events = log.slice(this.#taken, this.#taken + MOST_EVENTS)
      this.#pending.push(events.map((event) => this.#written(event)))
      this.#taken += events.length
    }
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      await this.#append(next)
      this.#version += next.length
      this.#pending.shift()
    }
  }

  async #append(events: readonly NewEvent[]): Promise<void> {
    try {
      await this.#store.append(this.#threadId, events, { expectedVersion: this.#version })
    } catch (error) {
      if (!PrecisError.is(error) || error.code !== 'version-conflict') throw error
      throw new PrecisError(
        'version-conflict',
        `Another compactor has written to the thread ${this.#threadId}.`,
        { where: this.#threadId, hint: 'Use one compactor at a time for each thread.' },
      )
    }
  }

  #written({ seq, ...event }: ThreadEvent): NewEvent {
    return {
      ...event,
      data: JSON.parse(JSON.stringify(event.data)),
      threadId: this.#threadId,
      id: `${this.#writer}.${seq}`,
      timestamp: new Date(),
    } as NewEvent
  }
}
