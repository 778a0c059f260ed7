// What must be true of jobs whose processes are killed: never two at once for a thread, and none is forgotten.
import { expect } from 'vitest'
import { openJobs, openStore } from '../../src/stores/open-store.ts'
import { until } from '../wait.ts'
import type { Scenario } from './harness.ts'
import { isSettled, JOB_OPTIONS, JOB_THREADS, noteJob, overlapsIn } from './jobs-threads.ts'

export const jobsScenario: Scenario = {
  name: 'jobs',
  proves:
    'what was put in line is done by whoever works next, and no process begins a job of a thread twice at once',
  child: new URL('./jobs-child.ts', import.meta.url),
  check: async (address, acknowledged) => {
    const store = await openStore(address)
    for (const threadId of JOB_THREADS) {
      const rows = await store.read(threadId)
      expect(overlapsIn(rows)).toEqual([])
      const wishes = rows.filter(({ data }) => data === 'want').length
      const confirmed = acknowledged.filter((line) => line === `wanted ${threadId}`).length
      expect(wishes).toBeGreaterThanOrEqual(confirmed)
    }
    await store.close()
  },
  /** Whoever works next does what the dead left: also what they had begun. */
  finish: async (address, acknowledged) => {
    const store = await openStore(address)
    const jobs = await openJobs(address, store, JOB_OPTIONS)
    await jobs.work(noteJob(store, 'last'))
    for (const threadId of JOB_THREADS) {
      if (!acknowledged.includes(`wanted ${threadId}`)) continue
      await jobs.add(threadId) // the last wish may not have come so far
      await until(`the jobs of ${threadId}`, async () => isSettled(await store.read(threadId)))
      expect(overlapsIn(await store.read(threadId))).toEqual([])
    }
    await jobs.close()
    await store.close()
  },
}
