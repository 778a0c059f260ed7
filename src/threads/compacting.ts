// The compactions of threads: proposed, applied, undone, brought back.
import type { EntryId } from '../core/change.ts'
import { PrecisError } from '../core/errors.ts'
import type { Strategy } from '../core/strategy.ts'
import {
  applyCompaction,
  type CompactionOptions,
  type CompactionOutcome,
  type PreparedCompaction,
  prepareCompaction,
} from './compact-thread.ts'
import { unknownStrategy } from './guards.ts'
import type { OpenThreads } from './open-threads.ts'
import { pastThreadsOf } from './past-threads.ts'
import { expandThread, redoThread, undoThread } from './reverse-thread.ts'

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
      `There is no compaction to undo: this session began with a summary of ${former}, which is unchanged.`,
      { where: former, hint: `Continue there: /resume ${former}, or precis chat ${former}.` },
    )
  throw thrown
}

export function compacting(threads: OpenThreads, strategies: Iterable<Strategy>) {
  const known = new Map<string, Strategy>()
  for (const strategy of strategies) known.set(strategy.id, strategy)
  const find = (strategy: string | Strategy): Strategy => {
    const found = typeof strategy === 'string' ? known.get(strategy) : strategy
    if (found) return found
    throw unknownStrategy(String(strategy), [...known.keys()])
  }
  const prepare = async (
    threadId: string,
    strategy: string | Strategy,
    choices?: CompactionOptions,
  ): Promise<PreparedCompaction> => {
    const found = find(strategy)
    const thread = await threads.get(threadId)
    return prepareCompaction(thread, found, threads.ports.ids.next('run'), choices)
  }
  const apply = async (
    threadId: string,
    prepared: PreparedCompaction,
  ): Promise<CompactionOutcome> => applyCompaction(await threads.get(threadId), prepared)
  return {
    prepare,
    apply,
    register: (strategy: Strategy) => void known.set(strategy.id, strategy),
    strategyIds: () => [...known.keys()],
    compact: async (
      threadId: string,
      strategy: string | Strategy,
      choices?: CompactionOptions,
    ): Promise<CompactionOutcome> => apply(threadId, await prepare(threadId, strategy, choices)),
    undo: (threadId: string, target?: number) =>
      threads
        .on(threadId, (thread) => undoThread(thread, target))
        .catch((thrown: unknown) => pointBack(threads, threadId, thrown)),
    redo: (threadId: string, target?: number) =>
      threads.on(threadId, (thread) => redoThread(thread, target)),
    expand: (threadId: string, ref: EntryId) =>
      threads.on(threadId, (thread) => expandThread(thread, ref)),
  }
}
