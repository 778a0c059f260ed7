// The open threads of this process; keeps the most recently used ones.
import { LiveThread, type ThreadPorts, unknownThread } from './live-thread.ts'

/** Above this the least recently used one is closed, and reopened when needed. */
const MAX_OPEN = 64

export class OpenThreads {
  readonly ports: ThreadPorts
  readonly #open = new Map<string, Promise<LiveThread | undefined>>()

  constructor(ports: ThreadPorts) {
    this.ports = ports
  }

  /** Undefined for a missing thread. */
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

  /** Runs `work` on the current thread, with nothing else of this process in between. */
  async on<T>(threadId: string, work: (thread: LiveThread) => Promise<T> | T): Promise<T> {
    const isOpen = this.#open.has(threadId)
    const thread = await this.get(threadId)
    return thread.exclusively(async () => {
      try {
        // A newly opened one is up to date.
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
