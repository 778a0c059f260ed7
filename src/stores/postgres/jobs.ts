// Jobs shared by several processes: pg-boss keeps them in the database, in a schema next to the store's.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import PgBoss from 'pg-boss'
import type { Signal } from '../../core/model.ts'
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
import { readAddress } from './connection.ts'
import { type Database, openDatabase } from './database.ts'
import { storeFailure } from './failures.ts'

const QUEUE = 'threads'
/** Random, so that processes do not poll in step and one of them always wins. */
const pollMs = () => 250 + Math.random() * 500
/** Shortest interval of the search for jobs whose process died. */
const MAINTENANCE_SECONDS = 5
const CONNECTION = { connections: 3, busyTimeoutMs: 10_000, retryForMs: 30_000 }

interface ThreadJob {
  readonly threadId: string
}

/** The store's leases keep two jobs of one thread apart; the queue holds the pending ones. */
export async function openPostgresJobs(
  address: string,
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  options: JobOptions = {},
): Promise<JobQueue> {
  const settings = jobSettings(options)
  const parsed = readAddress(address)
  const database = await openDatabase(parsed, CONNECTION)
  const boss = new PgBoss({
    // Use our connections, which retry while the server is away.
    db: { executeSql: (text, values) => database.run((session) => session.sql(text, values)) },
    schema: `${parsed.schema}_jobs`,
    schedule: false,
    maintenanceIntervalSeconds: Math.min(
      MAINTENANCE_SECONDS,
      Math.ceil(settings.jobTimeoutMs / 1000),
    ),
  })
  // pg-boss retries by itself, and adding a job reports its own failure.
  boss.on('error', () => undefined)
  const queue = new PostgresJobs(boss, database, store, settings)
  try {
    await boss.start()
    await boss.createQueue(QUEUE, buildQueue(settings))
    await boss.updateQueue(QUEUE, buildQueue(settings))
    return queue
  } catch (thrown) {
    await queue.close()
    throw storeFailure(thrown, parsed)
  }
}

/** `short`: at most one pending job per thread. */
function buildQueue({ jobTimeoutMs, retries, retryAfterMs }: JobSettings): PgBoss.Queue {
  return {
    name: QUEUE,
    policy: 'short',
    retryLimit: retries,
    retryDelay: Math.ceil(retryAfterMs / 1000),
    expireInSeconds: Math.ceil(jobTimeoutMs / 1000),
  }
}

class PostgresJobs implements JobQueue {
  readonly #boss: PgBoss
  readonly #database: Database
  readonly #store: Pick<Store, 'takeLease' | 'releaseLease'>
  readonly #settings: JobSettings
  readonly #workers: Promise<void>[] = []
  readonly #running = new Set<string>() // threads
  readonly #stop = new AbortController()
  #closing: Promise<void> | undefined

  constructor(
    boss: PgBoss,
    database: Database,
    store: Pick<Store, 'takeLease' | 'releaseLease'>,
    settings: JobSettings,
  ) {
    this.#boss = boss
    this.#database = database
    this.#store = store
    this.#settings = settings
  }

  async add(threadId: string): Promise<boolean> {
    checkName('a thread id', threadId)
    return (await this.#send(threadId)) !== null
  }

  async work(run: JobRun, until: Signal = this.#stop.signal): Promise<void> {
    if (this.#closing) throw storeClosed()
    const end = AbortSignal.any([this.#stop.signal, until as AbortSignal])
    for (let count = 0; count < this.#settings.jobsAtOnce; count += 1)
      this.#workers.push(this.#workUntil(end, run))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stop.abort()
    const longest = sleep(STOP_TIMEOUT_MS, undefined, { ref: false })
    await Promise.race([Promise.all(this.#workers), longest])
    await this.#boss.stop({ graceful: false })
    await this.#database.close()
  }

  /**
   * Replaces the workers of pg-boss. Those report a job's end without awaiting it, so a lost server would end
   * the process, and they start jobs that arrive after they were stopped.
   */
  async #workUntil(signal: AbortSignal, run: JobRun): Promise<void> {
    const owner = randomUUID()
    while (!signal.aborted) {
      // None if the server is away.
      const [job] = await this.#boss.fetch<ThreadJob>(QUEUE)
      if (job) await this.#runOne(job, owner, run)
      else await sleep(pollMs(), undefined, { signal }).catch(() => undefined) // closed meanwhile
    }
  }

  /** If another process holds the thread, its job is queued again and other jobs go on. */
  async #runOne({ id, data }: PgBoss.Job<ThreadJob>, owner: string, run: JobRun): Promise<void> {
    const { retryAfterMs } = this.#settings
    const { threadId } = data
    try {
      const isRun = await this.#runAlone(threadId, owner, run)
      if (!isRun) await this.#send(threadId, Math.max(1, Math.ceil(retryAfterMs / 1000)))
      await this.#boss.complete(QUEUE, id)
    } catch {
      // The job reports its own failure. If this call fails too, the job is retried after its timeout.
      await this.#boss.fail(QUEUE, id).catch(() => undefined)
    }
  }

  /** Also keeps jobs of this process apart if the lease expired while the server was away. */
  async #runAlone(threadId: string, owner: string, run: JobRun): Promise<boolean> {
    if (this.#running.has(threadId)) return false
    this.#running.add(threadId)
    try {
      return await runUnderLease(this.#store, threadId, owner, this.#settings.jobTimeoutMs, run)
    } finally {
      this.#running.delete(threadId)
    }
  }

  async #send(threadId: string, startAfter = 0): Promise<string | null> {
    if (this.#closing) throw storeClosed()
    const options = { singletonKey: threadId, ...(startAfter > 0 && { startAfter }) }
    return this.#boss.send(QUEUE, { threadId } satisfies ThreadJob, options)
  }
}

/** How long close() waits for running jobs. Jobs still running then are retried after their timeout. */
const STOP_TIMEOUT_MS = 30_000
