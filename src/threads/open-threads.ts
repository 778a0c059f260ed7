// The threads that are open in this process, the latest used ones kept.
import { readRow } from '../core/log/codec.ts'
import type { Store, ThreadInfo } from '../core/ports.ts'
import { LiveThread, type ThreadPorts, unknownThread } from './live-thread.ts'

/** The one that was used longest ago is closed first; it is opened again when it is needed. */
const MAX_OPEN = 64

export class OpenThreads {
  readonly ports: ThreadPorts
  readonly #open = new Map<string, Promise<LiveThread | undefined>>()

  constructor(ports: ThreadPorts) {
    this.ports = ports
  }

  /** Undefined if there is no such thread. */
  async find(threadId: string): Promise<LiveThread | undefined> {
    const opening = this.#open.get(threadId) ?? LiveThread.open(this.ports, threadId)
    this.#open.delete(threadId)
    this.#open.set(threadId, opening)
    const oldest = this.#open.keys().next().value
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest)
    try {
      const thread = await opening
      if (!thread) this.forget(threadId)
      return thread
    } catch (error) {
      this.forget(threadId)
      throw error
    }
  }

  async get(threadId: string): Promise<LiveThread> {
    const thread = await this.find(threadId)
    if (!thread) throw unknownThread(threadId)
    return thread
  }

  /** Runs `work` on the thread as it is now, with nothing of this process in between. */
  async on<T>(threadId: string, work: (thread: LiveThread) => Promise<T> | T): Promise<T> {
    const isOpen = this.#open.has(threadId)
    const thread = await this.get(threadId)
    return thread.exclusively(async () => {
      try {
        // One that was opened for this has just been read.
        if (isOpen) await thread.refresh()
      } catch (error) {
        this.forget(threadId)
        throw error
      }
      return work(thread)
    })
  }

  forget(threadId: string): void {
    this.#open.delete(threadId)
  }
}

// Fresh sessions open with where they came from: the threads behind one, and those that go on from one.

/** What a thread was when the next one was opened from it; what came later is another story. */
interface PastThread {
  readonly threadId: string
  readonly upTo: number // the last event that belongs to it
}

/** Further back nobody looks: the work is bounded, also if logs name each other in a circle. */
const MOST_THREADS = 16

/** The latest first. A thread that was deleted ends it: what it came from is not known any more. */
export async function* pastThreadsOf(
  store: Pick<Store, 'read'>,
  threadId: string,
): AsyncGenerator<PastThread> {
  let at = threadId
  for (let steps = 0; steps < MOST_THREADS; steps += 1) {
    const [row] = await store.read(at, { from: 1, to: 1 })
    const first = row && readRow(row)
    if (first?.type !== 'THREAD_STARTED' || first.data.reason !== 'fresh-session') return
    const { from } = first.data
    if (!from) return
    yield { threadId: from.threadId, upTo: from.seq }
    at = from.threadId
  }
}

/** Fresh sessions that were opened from a thread, of so many pages of the latest threads. */
const MOST_PAGES = 10

/** The latest first; of threads that were made at `sinceMs` or later, where that is given. */
export async function* freshThreadsOf(
  store: Pick<Store, 'read' | 'list'>,
  threadId: string,
  sinceMs = 0,
): AsyncGenerator<ThreadInfo> {
  let after: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items, next } = await store.list(after === undefined ? {} : { after })
    for (const info of items) {
      if (info.updatedAt.getTime() < sinceMs) return // the list begins with the latest
      if (info.createdAt.getTime() < sinceMs || info.threadId === threadId) continue
      for await (const { threadId: former } of pastThreadsOf(store, info.threadId)) {
        if (former === threadId) yield info
        break
      }
    }
    if (next === undefined) return
    after = next
  }
}
