// Reading what a ref stands for: each change once, and no more rows than the limit asks for.
import { describe, expect, it } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import { answer, result, user } from '../../test/say.ts'
import type { EntryId } from '../core/edit/change.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { Row, Store } from '../core/ports.ts'
import { memoryStore } from '../stores/index.ts'
import { DEFAULT_STRATEGIES } from '../strategies/index.ts'
import { createThreads, type Threads } from './threads.ts'

const LONG = 'one\ntwo\nthree\nfour\nfive'

const summarizeAllButLast: Strategy = {
  id: 'all-but-last',
  async propose({ context }) {
    const covers = context.items
      .toArray()
      .slice(0, -1)
      .map((item) => item.id)
    return { edits: [{ covers, put: [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }] }] }
  },
}

/** The store with the rows that were read from it, so that a test can count them. */
function watched(store: Store): { store: Store; rows: Row[] } {
  const rows: Row[] = []
  const noted = (read: readonly Row[]) => {
    rows.push(...read)
    return read
  }
  return {
    rows,
    store: {
      append: store.append.bind(store),
      fork: store.fork.bind(store),
      read: async (...given) => noted(await store.read(...given)),
      readMany: async (...given) => noted(await store.readMany(...given)),
      info: store.info.bind(store),
      snapshot: store.snapshot.bind(store),
      list: store.list.bind(store),
      follow: store.follow.bind(store),
      delete: store.delete.bind(store),
      takeLease: store.takeLease.bind(store),
      releaseLease: store.releaseLease.bind(store),
      close: store.close.bind(store),
    },
  }
}

function open(store: Store): Threads {
  const ids = testIds()
  const strategies = [...DEFAULT_STRATEGIES, summarizeAllButLast]
  return createThreads({ store, clock: testClock(), ids, strategies })
}

/** A thread whose one summary covers `rounds` rounds, trimmed first if asked; opened anew. */
async function summarised(rounds: number, trim: boolean) {
  const store = memoryStore()
  const threads = open(store)
  const id = await threads.create()
  const round = (n: number) => [...answer('go', `a${n}`), result(`a${n}`, LONG)]
  await threads.append(id, [
    ...Array.from({ length: rounds }, (_, n) => round(n)).flat(),
    ...answer('done'),
    user('end'),
  ])
  if (trim) await threads.compact(id, 'trim-tool-results')
  const outcome = await threads.compact(id, 'all-but-last')
  if (!outcome.committed) throw new Error(outcome.refusal.message)
  const { store: again, rows } = watched(store)
  const reopened = open(again)
  await reopened.context(id)
  rows.splice(0)
  return { threads: reopened, id, ref: `c${outcome.event?.seq}.0` as EntryId, rows }
}

describe('originals', () => {
  it('reads each change once, and each row about once', async () => {
    const { threads, id, ref, rows } = await summarised(200, true)
    const events = await threads.originals(id, ref)
    expect(events).toHaveLength(401)
    expect(events.map((event) => event.seq)).toEqual(
      events.map((event) => event.seq).toSorted((a, b) => a - b),
    )
    // The last row is also read to see whether the thread is still there.
    const changes = rows.filter((row) => row.type === 'COMPACTION' && `c${row.seq}.0` !== ref)
    expect(changes).toHaveLength(1)
    expect(rows.length).toBeLessThan(620) // three for each round, and a few around them
  })

  it.each([true, false])('reads no more than the limit needs, trimmed: %s', async (trim) => {
    const { threads, id, ref, rows } = await summarised(2_000, trim)
    const first = await threads.originals(id, ref, 10)
    expect(first).toHaveLength(10)
    expect(rows.length).toBeLessThan(600)
    const all = await threads.originals(id, ref)
    expect(all).toHaveLength(4_001)
    expect(all.slice(0, 10)).toEqual(first)
  })

  it('gives an original for itself, and refuses a ref under which there is nothing', async () => {
    const { threads, id, ref } = await summarised(3, true)
    expect(await threads.originals(id, 'e2')).toMatchObject([{ seq: 2, type: 'AGENT_MESSAGE' }])
    await expect(threads.originals(id, 'e999')).rejects.toMatchObject({ code: 'unknown-entry' })
    expect(await threads.originals(id, ref, 0)).toEqual([])
  })
})
