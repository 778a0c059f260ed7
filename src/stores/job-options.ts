// How a queue of jobs treats its jobs; the same for every kind of queue.
import { createHash } from 'node:crypto'
import { checkNames } from '../core/options.ts'
import type { Signal, Store } from '../core/ports.ts'
import { LIMITS } from './rows/limits.ts'
import { checkNumber } from './rows/stored-event.ts'

export interface JobOptions {
  /** Jobs of this process at a time. Default 2. */
  readonly jobsAtOnce?: number
  /** How long a job may take; whose process died is tried again after this. Default 5 minutes. */
  readonly jobTimeoutMs?: number
  /** How often a job is tried again. Default 3. */
  readonly retries?: number
  /** How long before it is tried again. Default 5 s. */
  readonly retryAfterMs?: number
}

export type JobSettings = Required<JobOptions>

const DAY_MS = 24 * 60 * 60 * 1000

export function jobSettings(options: JobOptions): JobSettings {
  checkNames('openJobs', options, ['jobsAtOnce', 'jobTimeoutMs', 'retries', 'retryAfterMs'])
  const { jobsAtOnce = 2, jobTimeoutMs = 300_000, retries = 3, retryAfterMs = 5_000 } = options
  checkNumber('jobsAtOnce', jobsAtOnce, 1, 100)
  checkNumber('jobTimeoutMs', jobTimeoutMs, 1_000, DAY_MS)
  checkNumber('retries', retries, 0, 100)
  checkNumber('retryAfterMs', retryAfterMs, 0, DAY_MS)
  return { jobsAtOnce, jobTimeoutMs, retries, retryAfterMs }
}

export type JobRun = (threadId: string, signal: Signal) => Promise<void>

/** Renewed while the job runs: so soon another process may have the thread where this one dies. */
const LEASE_MS = 60_000

/**
 * Runs a job under the lease of its thread, which it has until it ends, also where that is late: its
 * signal fires when its time is over, and when the lease was lost. False, and nothing done, where another
 * process has it.
 */
export async function runUnderLease(
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  threadId: string,
  owner: string,
  timeoutMs: number,
  run: JobRun,
): Promise<boolean> {
  const name = readLeaseName(threadId)
  const ttlMs = Math.min(timeoutMs, LEASE_MS)
  const take = () => store.takeLease(name, owner, ttlMs)
  if (!(await take())) return false
  const over = new AbortController()
  let renewing: Promise<void> = Promise.resolve()
  const renew = async (): Promise<void> => {
    // A store that cannot be reached now may be by the next time.
    const isOurs = await take().catch(() => true)
    if (!isOurs) over.abort()
  }
  const renewals = setInterval(() => {
    renewing = renewing.then(renew)
  }, ttlMs / 3)
  // A timer of its own: Node may collect AbortSignal.timeout() before it fires where only any() holds it.
  const deadline = setTimeout(() => over.abort(), timeoutMs)
  try {
    await run(threadId, over.signal)
    return true
  } finally {
    clearTimeout(deadline)
    clearInterval(renewals)
    await renewing // or it would take the lease again that is given back here
    await store.releaseLease(name, owner)
  }
}

function readLeaseName(threadId: string): string {
  const name = `job ${threadId}`
  if (name.length <= LIMITS.nameLength) return name
  return `job ${createHash('sha256').update(threadId).digest('hex')}`
}
