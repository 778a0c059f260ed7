// Threads that come of another, and threads that go.
import { EVENT_VERSION, type NewEventOf } from '../core/log/event.ts'
import { wholeAppend } from './draft-checks.ts'
import type { OpenThreads } from './open-threads.ts'

export function branching(threads: OpenThreads) {
  const { store, ids, clock, fold } = threads.ports
  return {
    fork: (threadId: string, seq?: number): Promise<string> =>
      threads.on(threadId, async (thread) => {
        const at = await wholeAppend(store, threadId, seq ?? thread.context.version)
        const forkId = ids.next('thr')
        const started: NewEventOf<'THREAD_STARTED'> = {
          v: EVENT_VERSION,
          id: ids.next('evt'),
          threadId: forkId,
          timestamp: clock.now(),
          type: 'THREAD_STARTED',
          data: { from: { threadId, seq: at }, reason: 'fork' },
        }
        // A fork of the present has its context already; one of the past is replayed when it is opened.
        const state =
          at === thread.context.version
            ? fold.step(thread.state, { ...started, seq: at + 1 }, thread.rows.eventAt)
            : undefined
        await store.fork(threadId, at, forkId, [started], {
          ...(state && { snapshot: fold.encode(state) }),
        })
        return forkId
      }),
    async delete(threadId: string): Promise<boolean> {
      threads.forget(threadId)
      return store.delete(threadId)
    },
  }
}
