// Where the benchmark keeps its databases, and threads over them.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Clock, Ids, Store } from '../../src/core/ports.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'

/** Runs in a folder of its own, which is gone afterwards. */
export async function inFolder<T>(
  work: (folder: string) => Promise<T>,
  parent = tmpdir(),
): Promise<T> {
  const folder = await mkdtemp(join(parent, 'precis-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Unordered, as those of the product: the index on ids is touched all over. */
export const benchIds: Ids = {
  next: (prefix) => `${prefix}_${randomUUID().replaceAll('-', '')}`,
}

export const benchClock: Clock = { now: () => new Date(), sleep: async () => undefined }

export function threadsOver(store: Store, strategies: readonly Strategy[] = []): Threads {
  return createThreads({ store, clock: benchClock, ids: benchIds, strategies })
}

/** A new thread with these drafts, one append for each batch. */
export async function fillThread(
  threads: Threads,
  batches: Iterable<readonly EventDraft[]>,
): Promise<string> {
  const threadId = await threads.create()
  for (const batch of batches) await threads.append(threadId, batch)
  return threadId
}

/** A line on stderr: what is under way. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`)
}
