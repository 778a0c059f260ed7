// Jobs of one process: they wait in memory, and are gone with it. For one person that is enough.
import { randomUUID } from 'node:crypto'
import type { JobQueue, Store } from '../../core/ports.ts'
import { storeClosed } from '../errors.ts'
import {
  type JobOptions,
  type JobRun,
  type JobSettings,
  jobSettings,
  runUnderLease,
} from '../job-options.ts'
import { checkName } from '../rows/stored-event.ts'

export function localJobs(
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  options: JobOptions = {},
): JobQueue {
  return new LocalJobs(store, jobSettings(options))
}

interface Waiting {
  readonly tries: number // before
  readonly fromMs: number // when it may begin, on the clock of `performance.now`
}

class LocalJobs implements JobQueue {
  readonly #store: Pick<Store, 'takeLease' | 'releaseLease'>
  readonly #settings: JobSettings
  readonly #owner = randomUUID()
  readonly #waiting = new Map<string, Waiting>() // by thread, in the order of their coming
  readonly #running = new Map<string, Promise<void>>()
  #run: JobRun | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(store: Pick<Store, 'takeLease' | 'releaseLease'>, settings: JobSettings) {
    this.#store = store
    this.#settings = settings
  }

  async add(threadId: string): Promise<boolean> {
    checkName('a thread id', threadId)
    if (this.#isClosed) throw storeClosed()
    if (this.#waiting.has(threadId)) return false
    this.#waiting.set(threadId, { tries: 0, fromMs: 0 })
    this.#startSome()
    return true
  }

  async work(run: JobRun): Promise<void> {
    if (this.#isClosed) throw storeClosed()
    this.#run = run
    this.#startSome()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all(this.#running.values())
  }

  #startSome(): void {
    const run = this.#run
    if (!run || this.#isClosed) return
    clearTimeout(this.#timer)
    const now = performance.now()
    for (const [threadId, waiting] of this.#waiting) {
      if (this.#running.size >= this.#settings.jobsAtOnce) return
      if (waiting.fromMs > now || this.#running.has(threadId)) continue
      this.#waiting.delete(threadId)
      const running = this.#runOne(threadId, waiting.tries, run).finally(() => {
        this.#running.delete(threadId)
        this.#startSome()
      })
      this.#running.set(threadId, running)
    }
    this.#wakeLater(now)
  }

  #wakeLater(now: number): void {
    const times = [...this.#waiting.values()].map(({ fromMs }) => fromMs)
    if (times.length === 0 || this.#running.size > 0) return
    // A job that waits does not keep the process alive.
    this.#timer = setTimeout(() => this.#startSome(), Math.max(1, Math.min(...times) - now)).unref()
  }

  async #runOne(threadId: string, tries: number, run: JobRun): Promise<void> {
    const { jobTimeoutMs, retries, retryAfterMs } = this.#settings
    const again = (count: number) => {
      if (this.#waiting.has(threadId)) return
      this.#waiting.set(threadId, { tries: count, fromMs: performance.now() + retryAfterMs })
    }
    try {
      const isRun = await runUnderLease(this.#store, threadId, this.#owner, jobTimeoutMs, run)
      if (!isRun) again(tries)
    } catch {
      // What a job has to say about its failure, it says itself; here it only counts.
      if (tries < retries) again(tries + 1)
    }
  }
}
