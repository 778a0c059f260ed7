// Talks, calls tools, compacts and undoes in one thread until it is killed. Says what it stored by a hash.
import { PrecisError } from '../../src/core/errors.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { answer, result, thoughtAnswer, user } from '../say.ts'
import { type ChildWork, READY } from './child.ts'
import { hashOf, THREAD, threadsOn } from './compact-threads.ts'
import { runStoreChild } from './store-child.ts'

await runStoreChild(async (store, child) => {
  const threads = threadsOn(store, child.random)
  if ((await threads.getAllEvents(THREAD)).length === 0) await threads.create({ threadId: THREAD })
  child.acknowledge(READY)
  for (;;) {
    await step(threads, child)
    const context = await threads.context(THREAD)
    child.acknowledge(`${context.version} ${hashOf(context)}`)
  }
})

async function step(threads: Threads, { random }: ChildWork): Promise<void> {
  const choice = random.int(0, 9)
  if (choice < 5) {
    const call = `call_${random.int(0, 999_999)}`
    await threads.append(THREAD, [user('go on'), ...thoughtAnswer('hm', 'reading', call)])
    await threads.append(THREAD, [result(call, 'a line of output\n'.repeat(random.int(0, 399)))])
    await threads.append(THREAD, answer('read'))
  } else if (choice < 7) await threads.compact(THREAD, 'trim-tool-results')
  else if (choice < 9) await threads.compact(THREAD, 'tail-only')
  else await undoIfPossible(threads)
}

async function undoIfPossible(threads: Threads): Promise<void> {
  try {
    await threads.undo(THREAD)
  } catch (error) {
    if (!PrecisError.is(error) || error.code !== 'nothing-to-undo') throw error
  }
}
