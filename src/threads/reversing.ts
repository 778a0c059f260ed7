// Compactions of threads taken back and brought back. A fresh session leads back to the thread it came from, and forth.
import type { EntryId } from '../core/edit/change.ts'
import { PrecisError } from '../core/errors.ts'
import { freshThreadsOf, type OpenThreads, pastThreadsOf } from './open-threads.ts'
import { expandThread, redoThread, undoThread } from './reverse-thread.ts'

export function reversing(threads: OpenThreads) {
  return {
    undo: (threadId: string, target?: number) =>
      threads
        .on(threadId, (thread) => undoThread(thread, target))
        .catch((thrown: unknown) => pointBack(threads, threadId, thrown)),
    redo: (threadId: string, target?: number) =>
      threads
        .on(threadId, (thread) => redoThread(thread, target))
        .catch((thrown: unknown) => pointForth(threads, threadId, thrown)),
    expand: (threadId: string, ref: EntryId) =>
      threads.on(threadId, (thread) => expandThread(thread, ref)),
  }
}

/** A fresh session has nothing to undo: what it was made of stands untouched, in the former one. */
async function pointBack(
  { ports }: OpenThreads,
  threadId: string,
  thrown: unknown,
): Promise<never> {
  if (!PrecisError.is(thrown) || thrown.code !== 'nothing-to-undo') throw thrown
  for await (const { threadId: former } of pastThreadsOf(ports.store, threadId))
    throw new PrecisError(
      'nothing-to-undo',
      `There is no compaction to undo: this session began with a summary of ${former}, which stands as it was.`,
      { where: former, hint: `Go on there: /resume ${former}, or precis chat ${former}.` },
    )
  throw thrown
}

/** Nothing was written to the former session: what was undone there is to have gone back to it. */
async function pointForth(
  { ports }: OpenThreads,
  threadId: string,
  thrown: unknown,
): Promise<never> {
  if (!PrecisError.is(thrown) || thrown.code !== 'nothing-to-redo') throw thrown
  for await (const { threadId: next } of freshThreadsOf(ports.store, threadId))
    throw new PrecisError(
      'nothing-to-redo',
      `There is no compaction to redo: ${next} goes on from here with a summary.`,
      { where: next, hint: `Go on there: /resume ${next}, or precis chat ${next}.` },
    )
  throw thrown
}
