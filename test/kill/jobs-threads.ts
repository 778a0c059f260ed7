// The jobs of processes that are killed: what they note in their threads, and what must be true of that.
import { PrecisError } from '../../src/core/errors.ts'
import type { NewEvent } from '../../src/core/log/event.ts'
import type { Row, Store } from '../../src/core/ports.ts'
import type { JobOptions } from '../../src/stores/index.ts'
import { pretendWork } from '../wait.ts'

export const JOB_THREADS: readonly string[] = ['a', 'b', 'c']
/** Jobs take some milliseconds: one whose process died is tried again as soon as that is allowed. */
export const JOB_OPTIONS: JobOptions = { jobTimeoutMs: 1_000, retryAfterMs: 0, retries: 100 }

let jobs = 0

/** A job that notes its begin and, a moment later, its end. */
export function noteJob(store: Store, owner: string): (threadId: string) => Promise<void> {
  return async (threadId) => {
    jobs += 1
    const name = `${owner}.${jobs}`
    await note(store, threadId, name, 'begin')
    await pretendWork(5)
    await note(store, threadId, name, 'end')
  }
}

/** A process runs one job of a thread at a time: whoever begins has ended what it began before. */
export function overlapsIn(rows: readonly Row[]): string[] {
  const open = new Map<string, string>() // owner → the job that it is at
  const found: string[] = []
  for (const { id, data } of rows) {
    const [, name = ''] = id.split(' ')
    const owner = name.split('.')[0] ?? ''
    if (data === 'begin') {
      if (open.has(owner)) found.push(`${open.get(owner)} and ${name}`)
      open.set(owner, name)
    } else if (data === 'end') open.delete(owner)
  }
  return found
}

/** Whether a job that began after the last wish has ended. */
export function isSettled(rows: readonly Row[]): boolean {
  const lastWish = rows.findLastIndex(({ data }) => data === 'want')
  const began = new Set(
    rows
      .slice(lastWish + 1)
      .flatMap(({ id, data }) => (data === 'begin' ? [id.split(' ')[1]] : [])),
  )
  return (
    lastWish === -1 || rows.some(({ id, data }) => data === 'end' && began.has(id.split(' ')[1]))
  )
}

async function note(
  store: Store,
  threadId: string,
  name: string,
  what: 'begin' | 'end',
): Promise<void> {
  const event: NewEvent = {
    ...{ v: 2, id: `${what} ${name}`, threadId, timestamp: new Date() },
    ...{ type: 'FOREIGN', data: what },
  }
  for (;;) {
    const expectedVersion = (await store.info(threadId))?.version ?? 0
    try {
      await store.append(threadId, [event], { expectedVersion })
      return
    } catch (thrown) {
      if (!PrecisError.is(thrown) || thrown.code !== 'version-conflict') throw thrown
    }
  }
}
