// Settings of a job queue, the same for every kind.
import { createHash } from 'node:crypto'
import type { Signal } from '../core/model.ts'
import { checkNames } from '../core/options.ts'
import type { Store } from '../core/ports.ts'
import { LIMITS } from './rows/limits.ts'
import { checkNumber } from './rows/stored-event.ts'

export interface JobOptions {
  /** Concurrent jobs in this process. Default 2. */
  readonly jobsAtOnce?: number
  /** Timeout of a job. A job whose process died is retried after it. Default 5 minutes. */
  readonly jobTimeoutMs?: number
  /** Retries of a failed job. Default 3. */
  readonly retries?: number
  /** Delay before a retry. Default 5 s. */
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

/** Renewed while the job runs. If this process dies, another one can take the thread after this time. */
const LEASE_MS = 60_000

/**
 * Runs a job while holding the lease of its thread, until the job ends, even if it ends late. The job's
 * signal fires on timeout and when the lease is lost. False, with nothing done, if another process holds the
 * lease.
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
    // An unreachable store may be back at the next attempt.
    const isOurs = await take().catch(() => true)
    if (!isOurs) over.abort()
  }
  const renewals = setInterval(() => {
    renewing = renewing.then(renew)
  }, ttlMs / 3)
  // An own timer: Node may collect AbortSignal.timeout() before it fires if only any() references it.
  const deadline = setTimeout(() => over.abort(), timeoutMs)
  try {
    await run(threadId, over.signal)
    return true
  } finally {
    clearTimeout(deadline)
    clearInterval(renewals)
    await renewing // a late renewal would take the released lease again
    await store.releaseLease(name, owner)
  }
}

function readLeaseName(threadId: string): string {
  const name = `job ${threadId}`
  if (name.length <= LIMITS.nameLength) return name
  return `job ${createHash('sha256').update(threadId).digest('hex')}`
}
