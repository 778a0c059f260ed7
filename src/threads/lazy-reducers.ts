// States of reducers that are made when a strategy asks for them, and stepped over new events only.
import type { LogReducer } from '../core/edit/strategy.ts'
import { readRow } from '../core/log/codec.ts'
import type { Store } from '../core/ports.ts'

const READ_ROWS = 2_000

interface LazyState {
  readonly version: number // of the reducer
  readonly seq: number // of the last event it has seen
  readonly state: unknown
}

/** Those of one thread. They are in memory alone: a process that starts again makes them again. */
export class LazyReducers {
  readonly #store: Pick<Store, 'read'>
  readonly #threadId: string
  readonly #states = new Map<string, LazyState>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(store: Pick<Store, 'read'>, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  /** What the reducer makes of the first `upTo` events. One at a time: states may grow in place. */
  reduce<S>(reducer: LogReducer<S>, upTo: number): Promise<S> {
    const result = this.#queue.then(() => this.#reduceNow(reducer, upTo))
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    )
    return result
  }

  async #reduceNow<S>(reducer: LogReducer<S>, upTo: number): Promise<S> {
    const known = this.#states.get(reducer.name)
    const isAhead = known !== undefined && known.seq > upTo
    const isUsable = known?.version === reducer.version && !isAhead
    // A state that has seen more than was asked for stays; what was asked for is made apart.
    if (!isAhead) this.#states.delete(reducer.name)
    let state = isUsable ? (known.state as S) : reducer.init()
    let seq = isUsable ? known.seq : 0
    while (seq < upTo) {
      const limit = Math.min(READ_ROWS, upTo - seq)
      const rows = await this.#store.read(this.#threadId, { from: seq + 1, limit })
      if (rows.length === 0) break
      for (const row of rows) state = reducer.step(state, readRow(row))
      seq += rows.length
    }
    if (!isAhead) this.#states.set(reducer.name, { version: reducer.version, seq, state })
    return state
  }
}
