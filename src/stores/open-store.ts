// Opens a store by its address.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { importPeer } from '../core/errors.ts'
import type { Signal } from '../core/model.ts'
import * as option from '../core/options.ts'
import type { JobQueue, Store } from '../core/ports.ts'
import { shownAddress } from '../core/text/address.ts'
import { storeClosed, usageError } from './errors.ts'
import {
  type JobOptions,
  type JobRun,
  type JobSettings,
  jobSettings,
  runUnderLease,
} from './job-options.ts'
import { memoryStore } from './memory/memory.ts'
import { checkName } from './rows/stored-event.ts'
import { openSqliteStore } from './sqlite/store.ts'

/** At least two letters, because `C:\logs` is a path. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is

interface StoreOptions {
  readonly mustExist?: boolean // a missing store is an error instead of being created
  readonly readOnly?: boolean // never changes a SQLite file, which must exist
  readonly cwd?: string // base of a relative path; default: the working directory
}

const ADDRESSES =
  'Use `memory:`, `sqlite:PATH` or the path of a file, or `postgres://HOST/DATABASE`.'

/** `memory:`, `sqlite:PATH` or just the path of a SQLite file, `postgres://…`. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof address !== 'string')
    throw usageError('The address of the store must be a text.', ADDRESSES)
  option.checkOptions('openStore', options, {
    mustExist: option.optional(option.flag),
    readOnly: option.optional(option.flag),
    cwd: option.optional(option.text),
  })
  const [, name, rest = ''] = SCHEME.exec(address) ?? []
  const scheme = name?.toLowerCase()
  const { mustExist = false, readOnly = false } = options
  const opening = { mustExist, readOnly }
  if (scheme === undefined && address !== ':memory:')
    return openSqliteStore(pathFrom(address, options), opening)
  if (scheme === 'memory' && rest === '') return memoryStore()
  if (scheme === 'sqlite') return openSqliteStore(pathFrom(rest, options), opening)
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { openPostgresStore } = await import('./postgres/lazy-postgres.ts')
    return openPostgresStore(address, { mustExist })
  }
  // Not the whole address, which may contain a password.
  throw usageError(
    `There is no store for addresses like ${scheme === undefined ? shownAddress(address) : `${scheme}:…`}.`,
    ADDRESSES,
  )
}

/** An address without a scheme, or in the form of libpq, would become a file name. */
function pathFrom(path: string, { cwd }: StoreOptions): string {
  if (shownAddress(path) !== path)
    throw usageError(
      'The address of the store is neither a path nor an address with a scheme.',
      'Write postgres://USER:PASSWORD@HOST:PORT/DATABASE; or ./ before the name of a file.',
    )
  return cwd === undefined || path === '' ? path : resolve(cwd, path)
}

/** On PostgreSQL all processes share the queue; otherwise each process has its own. */
export async function openJobs(
  address: string,
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  options: JobOptions = {},
): Promise<JobQueue> {
  if (!/^postgres(?:ql)?:/i.test(address)) return localJobs(store, options)
  const { openPostgresJobs } = await importPeer('pg', () =>
    importPeer('pg-boss', () => import('./postgres/jobs.ts')),
  )
  return openPostgresJobs(address, store, options)
}

/** Jobs of one process: they wait in memory and end with it. Enough for a single user. */
function localJobs(
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  options: JobOptions = {},
): JobQueue {
  return new LocalJobs(store, jobSettings(options))
}

interface Waiting {
  readonly tries: number // so far
  readonly fromMs: number // when it may begin, on the clock of `performance.now`
}

class LocalJobs implements JobQueue {
  readonly #store: Pick<Store, 'takeLease' | 'releaseLease'>
  readonly #settings: JobSettings
  readonly #owner = randomUUID()
  readonly #waiting = new Map<string, Waiting>() // by thread, in the order of arrival
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

  async work(run: JobRun, until?: Signal): Promise<void> {
    if (this.#isClosed) throw storeClosed()
    this.#run = run
    until?.addEventListener('abort', () => {
      if (this.#run === run) this.#run = undefined
    })
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
    // A waiting job does not keep the process alive.
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
      // The job reports its own failure; the queue only counts it.
      if (tries < retries) again(tries + 1)
    }
  }
}
