// Puts threads in line and works on their jobs, until it is killed. A job notes its begin and its end in its thread.
import type { NewEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { openJobs } from '../../src/stores/open-store.ts'
import { READY } from './child.ts'
import { JOB_OPTIONS, JOB_THREADS, noteJob } from './jobs-threads.ts'
import { runStoreChild } from './store-child.ts'

await runStoreChild(async (store, child) => {
  const jobs = await openJobs(child.address, store, JOB_OPTIONS)
  await jobs.work(noteJob(store, `p${process.pid}`))
  child.acknowledge(READY)
  for (let count = 0; ; count += 1) {
    const threadId = child.random.pick(JOB_THREADS)
    await want(store, threadId, `${process.pid}.${count}`)
    await jobs.add(threadId)
    child.acknowledge(`wanted ${threadId}`)
  }
})

/** Notes that something is to be done. */
async function want(store: Store, threadId: string, id: string): Promise<void> {
  const event: NewEvent = {
    ...{ v: 2, id: `want ${id}`, threadId, timestamp: new Date() },
    ...{ type: 'FOREIGN', data: 'want' },
  }
  for (;;) {
    const expectedVersion = (await store.info(threadId))?.version ?? 0
    const isStored = await store.append(threadId, [event], { expectedVersion }).then(
      () => true,
      () => false, // the job was first
    )
    if (isStored) return
  }
}
