// The thread that is compacted while its process is killed, and how to tell its contexts apart.
import { createHash } from 'node:crypto'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { Store } from '../../src/core/ports.ts'
import type { Context } from '../../src/core/view/context.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { seamsOf } from '../../src/core/view/seam.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'
import type { Random } from '../generate/random.ts'

export const THREAD = 'thr_killed'

/** Everything but the last few entries becomes one summary. */
const tailOnly: Strategy = {
  id: 'tail-only',
  async propose({ context, eventAt }) {
    const items = context.items.toArray()
    const seams = seamsOf(items, context.open)
    let end = Math.max(0, items.length - 6)
    while (end > 0 && !seams[end]) end -= 1
    const put = [{ type: 'USER_MESSAGE', data: 'what was before', label: 'summary' }] as const
    return { edits: end === 0 ? [] : [{ covers: runsOf(items.slice(0, end), eventAt), put }] }
  },
}

export function threadsOn(store: Store, random: Random): Threads {
  return createThreads({
    store,
    clock: { now: () => new Date(), sleep: async () => undefined },
    ids: {
      next: (prefix) => `${prefix}_${random.int(0, 2 ** 31 - 1)}_${random.int(0, 2 ** 31 - 1)}`,
    },
    strategies: [...DEFAULT_STRATEGIES, tailOnly],
  })
}

/** A context in few characters: equal hashes, equal contexts. */
export function hashOf(context: Context): string {
  const { items, open, ...rest } = context
  const plain = { ...rest, items: items.toArray(), open: [...open] }
  return createHash('sha256').update(JSON.stringify(plain)).digest('hex').slice(0, 16)
}
