// How a queue of jobs treats its jobs; the same for every kind of queue.
import { createHash } from 'node:crypto'
import type { Signal, Store } from '../core/ports.ts'
import { checkNumber } from './cells.ts'
import { LIMITS } from './limits.ts'

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
  const { jobsAtOnce = 2, jobTimeoutMs = 300_000, retries = 3, retryAfterMs = 5_000 } = options
  checkNumber('jobsAtOnce', jobsAtOnce, 1, 100)
  checkNumber('jobTimeoutMs', jobTimeoutMs, 1_000, DAY_MS)
  checkNumber('retries', retries, 0, 100)
  checkNumber('retryAfterMs', retryAfterMs, 0, DAY_MS)
  return { jobsAtOnce, jobTimeoutMs, retries, retryAfterMs }
}

export type JobRun = (threadId: string, signal: Signal) => Promise<void>

/**
 * Runs a job under the lease of its thread, which ends with the job's time where the process dies.
 * False, and nothing done, where another process has it.
 */
export async function runUnderLease(
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  threadId: string,
  owner: string,
  timeoutMs: number,
  run: JobRun,
): Promise<boolean> {
  const name = leaseNameOf(threadId)
  if (!(await store.takeLease(name, owner, timeoutMs))) return false
  try {
    await run(threadId, AbortSignal.timeout(timeoutMs))
    return true
  } finally {
    await store.releaseLease(name, owner)
  }
}

function leaseNameOf(threadId: string): string {
  const name = `job ${threadId}`
  if (name.length <= LIMITS.nameLength) return name
  return `job ${createHash('sha256').update(threadId).digest('hex')}`
}
