// Opens the queue of jobs that belongs to a store.
import type { JobQueue, Store } from '../core/ports.ts'
import type { JobOptions } from './job-options.ts'
import { localJobs } from './memory/local-jobs.ts'

/** On PostgreSQL all processes share it; otherwise jobs are those of this process. */
export async function openJobs(
  address: string,
  store: Pick<Store, 'takeLease' | 'releaseLease'>,
  options: JobOptions = {},
): Promise<JobQueue> {
  if (!/^postgres(?:ql)?:/i.test(address)) return localJobs(store, options)
  const { openPostgresJobs } = await import('./postgres/jobs.ts')
  return openPostgresJobs(address, store, options)
}
