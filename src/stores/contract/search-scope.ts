// Searching in hard cases: threads of many owners, odd content, concurrent appends.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
import type { SearchQuery, Store } from '../../core/ports.ts'
import { expectError, messages, NOON, on, type StoreFactory } from './place.ts'

export function searchScopeContract(factory: StoreFactory): void {
  describe('search in a crowd', () => {
    it(
      'has what belongs to the owners asked for, however much others said of it [NEED-07]',
      on(factory, async (store) => {
        await say(store, 'bobs', 'bob', Array(150).fill('kettle'))
        await say(store, 'hers', 'alice', ['a long sentence in which a kettle is named once'])
        await say(store, 'ours', undefined, ['nobody is named for this kettle'])
        await store.append('bare', messages('bare', 'kettle'), { expectedVersion: 0 })
        await store.fork('hers', 2, 'fork', messages('fork', 'kettle'))
        expect(await places(store, { owners: ['alice'] })).toEqual(['fork3', 'hers2'])
        expect(await places(store, { owners: [''] })).toEqual(['bare1', 'ours2'])
        expect(await places(store, { owners: ['', 'alice'] })).toHaveLength(4)
        expect(await places(store, { owners: ['carol'] })).toEqual([])
        expect(await places(store, { owners: [] })).toEqual([])
        expect(await places(store, { limit: 100 })).toHaveLength(100)
        await store.delete('hers')
        expect(await places(store, { owners: ['alice'] })).toEqual(['fork2', 'fork3'])
      }),
    )
    it(
      'gives the best of each thread where that is asked for, so that none hides the others',
      on(factory, async (store) => {
        await say(store, 'many', 'bob', Array(150).fill('kettle'))
        await say(store, 'few', 'bob', ['so much that is not about it, and one kettle', 'kettle'])
        await say(store, 'none', 'bob', ['nothing of it'])
        const asked = { isThreadOnce: true, limit: 2 }
        expect(await places(store, asked)).toEqual([
          expect.stringMatching(/^few/),
          expect.stringMatching(/^many/),
        ])
        const [best] = await places(store, { ...asked, threadId: 'few' })
        expect(best).toBe('few3')
      }),
    )
    hostile(factory)
    it(
      'comes to an end while somebody appends all the time',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'kettle'), { expectedVersion: 0 })
        let isOver = false
        const appending = (async () => {
          for (let version = 1; !isOver; version += 1)
            await store.append('t', messages('t', `m${version}`), { expectedVersion: version })
        })()
        expect(await places(store, {})).toEqual(['t1'])
        isOver = true
        await appending
      }),
    )
  })
}

function hostile(factory: StoreFactory): void {
  it(
    'takes content with signs that no database takes, and queries with them',
    on(factory, async (store) => {
      const odd = 'kettle\0 \ud800 \udc00\u2028\ufffe "\' \\ 🫖'
      const call = {
        id: 'c',
        name: `re\0ad\ud800`,
        arguments: { path: `ab\ud800.ts` },
        answer: 1,
      }
      const content = [{ type: 'text', text: odd }]
      await store.append(
        't',
        events('t', [
          ['USER_MESSAGE', odd],
          ['TOOL_CALL', call],
          ['TOOL_RESULT', { id: 'c', content, status: 'completed' }],
        ]),
        { expectedVersion: 0 },
      )
      expect(await places(store, {})).toEqual(['t1', 't3'])
      expect(await places(store, { file: 'ab\ufffd.ts' })).toEqual(['t3'])
      for (const text of [odd, 'kettle NEAR(* OR "', "kettle'); --", 'kettle & ! | <-> :*'])
        expect((await found(store, { text })).map(({ seq }) => seq)).toContain(1)
    }),
  )
  it(
    'refuses filters that make no sense',
    on(factory, async (store) => {
      const wrong: object[] = [
        ...[{ file: 'a\0b' }, { file: '' }, { file: 7 }, { tool: '\ud800' }, { tool: '' }],
        ...[{ kinds: 'user' }, { since: 'yesterday' }, { owners: 'bob' }, { owners: [7] }],
        ...[{ owners: ['a\0'] }, { owners: Array(1001).fill('bob') }, { file: 'x'.repeat(5000) }],
      ]
      for (const filter of wrong) await expectError(found(store, { text: 'x', ...filter }), 'usage')
    }),
  )
}

async function say(
  store: Store,
  threadId: string,
  owner: string | undefined,
  texts: readonly string[],
): Promise<void> {
  const started = ['THREAD_STARTED', owner === undefined ? {} : { owner }] as const
  const said = texts.map((text) => ['USER_MESSAGE', text] as const)
  await store.append(threadId, events(threadId, [started, ...said]), { expectedVersion: 0 })
}

function events(
  threadId: string,
  said: readonly (readonly [type: string, data: unknown])[],
): NewEvent[] {
  return said.map(([type, data], index) => ({
    ...{ v: 2, id: `e${index + 1}`, threadId, type, data, timestamp: new Date(NOON) },
  })) as NewEvent[]
}

async function found(store: Store, query: SearchQuery) {
  if (!store.index) throw new Error('this store cannot be searched')
  return (await store.index.search(query)).finds
}

/** Thread and number of each find for «kettle», sorted. */
async function places(store: Store, query: Partial<SearchQuery>): Promise<string[]> {
  const finds = await found(store, { text: 'kettle', ...query })
  return finds.map(({ threadId, seq }) => `${threadId}${seq}`).toSorted()
}
