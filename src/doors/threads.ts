// `createThreads` as the library gives it: everything has a default, and options are checked
import type { CompactionOptions, CompactionOutcome } from '../compaction/plan.ts'
import * as option from '../compactor/options.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { Built } from '../core/view/build.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { DEFAULT_STRATEGIES } from '../strategies/index.ts'
import { randomIds, systemClock } from '../system.ts'
import {
  createThreads as createThreadsOn,
  type Threads as StoredThreads,
  type ThreadsOptions,
} from '../threads/threads.ts'
import { type WireFormat, type WireMessages, writeFor } from './wire-messages.ts'

/** `budget`: where a compaction should end up, in estimated tokens. */
export type ThreadCompaction = Omit<CompactionOptions, 'targetTokens'> & {
  readonly budget?: number | undefined
  /** @deprecated Use `budget`. */
  readonly targetTokens?: number | undefined
}

export interface Threads extends Omit<StoredThreads, 'messages' | 'compact' | 'prepare'> {
  /** What a provider is sent: in no provider's shape, or ready for the one whose format is named. */
  messages(threadId: string): Promise<Built>
  messages(threadId: string, format: WireFormat): Promise<WireMessages>
  compact(
    threadId: string,
    strategy: string | Strategy,
    options?: ThreadCompaction,
  ): Promise<CompactionOutcome>
  prepare(
    threadId: string,
    strategy: string | Strategy,
    options?: ThreadCompaction,
  ): ReturnType<StoredThreads['prepare']>
}

const CHECKS: option.Checks<ThreadsOptions> = {
  store: option.optional(option.having('append', 'read')),
  clock: option.optional(option.having('now', 'sleep')),
  ids: option.optional(option.having('next')),
  strategies: option.optional(option.iterable),
  reducers: option.optional(option.list),
}

/**
 * Threads over a store. Without options: in memory, with the clock of the machine, random ids and all
 * strategies that come with précis.
 */
export function createThreads(options: Partial<ThreadsOptions> = {}): Threads {
  option.checkOptions('createThreads', options, CHECKS)
  const stored = createThreadsOn({
    store: memoryStore(),
    clock: systemClock,
    ids: randomIds,
    strategies: DEFAULT_STRATEGIES,
    ...options,
  })
  const messages = async (threadId: string, format?: WireFormat) => {
    const built = await stored.messages(threadId)
    return format === undefined ? built : writeFor(format, built)
  }
  return {
    ...stored,
    messages: messages as Threads['messages'],
    compact: (threadId, strategy, given) => stored.compact(threadId, strategy, planned(given)),
    prepare: (threadId, strategy, given) => stored.prepare(threadId, strategy, planned(given)),
  }
}

function planned({ budget, targetTokens, ...options }: ThreadCompaction = {}): CompactionOptions {
  const tokens = budget ?? targetTokens
  if (tokens !== undefined)
    option.checkOptions('compact', { budget: tokens }, { budget: option.positive })
  return tokens === undefined ? options : { ...options, targetTokens: tokens }
}
