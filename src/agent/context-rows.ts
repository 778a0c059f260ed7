// A context with the rows of its entries, as the threads hand it to a strategy.
import type { Strategy, StrategyInput } from '../core/strategy.ts'
import type { Threads } from '../threads/threads.ts'

export async function contextWithRows(
  threads: Pick<Threads, 'prepare'>,
  threadId: string,
): Promise<Pick<StrategyInput, 'context' | 'eventAt'>> {
  const { promise, resolve } = Promise.withResolvers<StrategyInput>()
  const looking: Strategy = {
    id: 'look',
    async propose(input) {
      resolve(input)
      return { edits: [] }
    },
  }
  await threads.prepare(threadId, looking)
  return promise
}
