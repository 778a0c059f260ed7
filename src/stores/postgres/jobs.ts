// Jobs of several processes: pg-boss keeps them in the database, in a schema beside the store's.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import PgBoss from 'pg-boss'
import type { JobQueue, Signal, Store } from '../../core/ports.ts'
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
/** Never in step with others: whoever looks just before them each time would have every job. */
const pollMs = () => 250 + Math.random() * 500
/** How often jobs are looked for whose process died, at the least. */
const MAINTENANCE_SECONDS = 5
const CONNECTION = { connections: 3, busyTimeoutMs: 10_000, retryForMs: 30_000 }

interface ThreadJob {
  readonly threadId: string
}

/** The leases of the store keep two jobs of one thread apart; the queue keeps what is to be done. */
export async function openPostgresJobs(
  address: string,
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  options: JobOptions = {},
): Promise<JobQueue> {
  const settings = jobSettings(options)
  const parsed = readAddress(address)
  const database = await openDatabase(parsed, CONNECTION)
  const boss = new PgBoss({
    // Our connections: what it asks for is asked again where the server was gone for a while.
    db: { executeSql: (text, values) => database.run((session) => session.sql(text, values)) },
    schema: `${parsed.schema}_jobs`,
    schedule: false,
    maintenanceIntervalSeconds: Math.min(
      MAINTENANCE_SECONDS,
      Math.ceil(settings.jobTimeoutMs / 1000),
    ),
  })
  // What it cannot do now it tries again by itself; who adds a job is told by that call.
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

/** `short`: a thread stands in line once. */
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
   * In place of the workers of pg-boss: they tell of a job's end without waiting for it, so that a server
   * that is gone then ends the process, and they begin a job that comes after they were stopped.
   */
  async #workUntil(signal: AbortSignal, run: JobRun): Promise<void> {
    const owner = randomUUID()
    while (!signal.aborted) {
      // Where the server is gone, there is none.
      const [job] = await this.#boss.fetch<ThreadJob>(QUEUE)
      if (job) await this.#runOne(job, owner, run)
      else await sleep(pollMs(), undefined, { signal }).catch(() => undefined) // closed meanwhile
    }
  }

  /** Where somebody else has the thread, its job stands in line again, so that others go on. */
  async #runOne({ id, data }: PgBoss.Job<ThreadJob>, owner: string, run: JobRun): Promise<void> {
    const { retryAfterMs } = this.#settings
    const { threadId } = data
    try {
      const isRun = await this.#runAlone(threadId, owner, run)
      if (!isRun) await this.#send(threadId, Math.max(1, Math.ceil(retryAfterMs / 1000)))
      await this.#boss.complete(QUEUE, id)
    } catch {
      // What a job has to say about its failure, it says itself. Where this cannot be told either, the
      // job is tried again when its time is over.
      await this.#boss.fail(QUEUE, id).catch(() => undefined)
    }
  }

  /** Within this process also where the lease was over because the server was gone for so long. */
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

/** Jobs that run are waited for this long; then they are left, and tried again when their time is over. */
const STOP_TIMEOUT_MS = 30_000
