// Following a thread: existing rows, then new ones, each once and in order.

import type { Signal } from '../core/model.ts'
import type { Row } from '../core/ports.ts'
import { checkName, checkNumber } from './rows/stored-event.ts'

/** A bounded range of a log. */
export interface Stretch {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly rows: readonly Row[]
  readonly more: boolean
}

/** What a follower needs from a store. */
interface RowSource {
  rowsAfter(threadId: string, seq: number): Promise<Stretch>
  /** Calls `wake` whenever the thread may have changed, until the returned function is called. */
  watch(threadId: string, wake: () => void): () => void
}

/**
 * Ends when the signal fires or the thread is deleted. Waits for a thread that does not exist yet. Each
 * iterator starts after `afterSeq` and holds no resources before its first `next`.
 */
export function followRows(
  source: RowSource,
  threadId: string,
  afterSeq: number,
  signal: Signal,
): AsyncIterable<Row> {
  return { [Symbol.asyncIterator]: () => new Follower(source, threadId, afterSeq, signal) }
}

/** Written by hand: `return` cannot end a generator while its `next` is pending. */
class Follower implements AsyncIterator<Row, undefined> {
  readonly #source: RowSource
  readonly #threadId: string
  readonly #signal: Signal
  #seq: number // of the last row returned
  #life: number | undefined
  #rows: readonly Row[] = []
  #position = 0
  #news = true // there may be unread rows
  #ended = false
  #resume: (() => void) | undefined // ends the pause of `#step`
  #unwatch: (() => void) | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(source: RowSource, threadId: string, afterSeq: number, signal: Signal) {
    this.#source = source
    this.#threadId = threadId
    this.#seq = afterSeq
    this.#signal = signal
  }

  /** Concurrent calls are answered in order. */
  next(): Promise<IteratorResult<Row, undefined>> {
    const step = () => this.#step()
    const answer = this.#turn.then(step, step)
    this.#turn = answer
    return answer
  }

  async return(): Promise<IteratorResult<Row, undefined>> {
    this.#end()
    return { done: true, value: undefined }
  }

  async #step(): Promise<IteratorResult<Row, undefined>> {
    try {
      if (this.#unwatch === undefined) this.#start()
      const row = await this.#nextRow()
      return row ? { done: false, value: row } : { done: true, value: undefined }
    } catch (thrown) {
      this.#end()
      throw thrown
    }
  }

  async #nextRow(): Promise<Row | undefined> {
    while (!this.#ended) {
      const row = this.#rows[this.#position]
      if (row) {
        this.#position += 1
        this.#seq = row.seq
        return row
      }
      if (this.#news) await this.#readOn()
      else await this.#pause()
    }
    return undefined
  }

  async #readOn(): Promise<void> {
    this.#news = false
    const stretch = await this.#source.rowsAfter(this.#threadId, this.#seq)
    if (this.#life !== undefined && stretch.life !== this.#life) return this.#end()
    this.#life = stretch.life
    this.#rows = stretch.rows
    this.#position = 0
    if (stretch.more) this.#news = true
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  #start(): void {
    if (this.#ended) return
    checkName('a thread id', this.#threadId)
    checkNumber('the number to follow after', this.#seq, 0)
    this.#unwatch = this.#source.watch(this.#threadId, this.#wake)
    this.#signal.addEventListener('abort', this.#end)
    if (this.#signal.aborted) this.#end()
  }

  readonly #wake = (): void => {
    this.#news = true
    this.#resume?.()
  }

  readonly #end = (): void => {
    this.#ended = true
    this.#rows = []
    this.#signal.removeEventListener('abort', this.#end)
    this.#unwatch?.()
    this.#resume?.()
  }
}

/** The waiting followers of each thread. */
export class Subscriptions {
  readonly #waiting = new Map<string, Set<() => void>>()

  get threadIds(): readonly string[] {
    return [...this.#waiting.keys()]
  }

  /** True if this is the first follower of the thread. */
  add(threadId: string, wake: () => void): boolean {
    const waiting = this.#waiting.get(threadId)
    if (waiting) {
      waiting.add(wake)
      return false
    }
    this.#waiting.set(threadId, new Set([wake]))
    return true
  }

  /** True if this was the last follower of the thread. */
  remove(threadId: string, wake: () => void): boolean {
    const waiting = this.#waiting.get(threadId)
    if (!waiting?.delete(wake) || waiting.size > 0) return false
    return this.#waiting.delete(threadId)
  }

  wake(threadId: string): void {
    for (const wake of this.#waiting.get(threadId) ?? []) wake()
  }

  wakeAll(): void {
    for (const threadId of this.threadIds) this.wake(threadId)
  }
}
