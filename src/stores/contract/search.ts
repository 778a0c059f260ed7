// Searching: every past event is found by its words, best match first.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
import type { SearchFind, SearchQuery, Store } from '../../core/ports.ts'
import { expectError, messages, NOON, on, type StoreFactory } from './place.ts'

const HOUR_MS = 3_600_000

/** A conversation about two files; `t3` has since been removed from the context. */
const TALK: readonly (readonly [type: string, data: unknown])[] = [
  ['USER_MESSAGE', 'Please look at parseConfig, it forgets the default.'],
  ['AGENT_MESSAGE', { content: 'I read the file first.', calls: ['c1'] }],
  [
    'TOOL_CALL',
    { id: 'c1', name: 'read', arguments: { path: '/app/src/core/config.ts' }, answer: 2 },
  ],
  [
    'TOOL_RESULT',
    {
      id: 'c1',
      content: [{ type: 'text', text: 'export function parseConfig() { return loadDefaults() }' }],
      status: 'completed',
    },
  ],
  ['AGENT_MESSAGE', { content: 'It calls loadDefaults twice, see src/core/config.ts.', calls: [] }],
  ['USER_MESSAGE', '请部署到生产环境'],
  ['AGENT_MESSAGE', { content: 'デプロイしました。café', calls: [] }],
  ['TOOL_CALL', { id: 'c2', name: 'run', arguments: { command: 'npm test' }, answer: 7 }],
  [
    'TOOL_RESULT',
    {
      id: 'c2',
      content: [{ type: 'text', text: 'all tests passed, the config too' }],
      status: 'completed',
    },
  ],
  [
    'COMPACTION',
    {
      ...{ runId: 'r', strategyId: 's', trigger: 'command', basedOn: 9 },
      ...{ originalEventCount: 9, compactedEventCount: 1, inverse: [] },
      edits: [
        {
          covers: ['e1'],
          put: [{ type: 'USER_MESSAGE', label: 'summary', data: 'Defaults were mended.' }],
        },
      ],
    },
  ],
]

export function talk(threadId: string): NewEvent[] {
  return TALK.map(([type, data], index) => ({
    ...{ v: 2, id: `e${index + 1}`, threadId, type, data },
    timestamp: new Date(NOON + index * HOUR_MS),
  })) as NewEvent[]
}

/** A query and the numbers of the events it must find, in any order. */
const FOUND: readonly (readonly [Partial<SearchQuery> & { text: string }, readonly number[]])[] = [
  [{ text: 'config' }, [1, 3, 4, 5, 9]],
  [{ text: 'parseConfig' }, [1, 4]],
  [{ text: 'parse_config' }, [1, 4]],
  [{ text: 'PARSE' }, [1, 4]],
  [{ text: 'defaults' }, [1, 4, 5, 10]],
  [{ text: 'default' }, [1, 4, 5, 10]], // singular and plural match each other
  [{ text: 'Configs' }, [1, 3, 4, 5, 9]],
  [{ text: 'src/core/config.ts' }, [3, 5]],
  [{ text: 'config.ts' }, [3, 5]],
  [{ text: '部署' }, [6]],
  [{ text: '生产' }, [6]],
  [{ text: '境' }, [6]],
  [{ text: 'デプロイ' }, [7]],
  [{ text: 'Cafe' }, [7]],
  [{ text: 'npm' }, [8]],
  [{ text: 'config tests' }, [9]],
  [{ text: 'nowhere' }, []],
  [{ text: 'config', kinds: ['result'] }, [4, 9]],
  [{ text: 'config', kinds: ['user', 'call'] }, [1, 3]],
  [{ text: 'config', tool: 'read' }, [3, 4]],
  [{ text: 'config', file: 'config.ts' }, [3, 4]],
  [{ text: 'config', file: '/app/src/core/config.ts' }, [3, 4]],
  [{ text: 'config', file: 'onfig.ts' }, []],
  [{ text: 'config', since: new Date(NOON + 3 * HOUR_MS) }, [4, 5, 9]],
  [{ text: 'config', until: new Date(NOON + 3 * HOUR_MS) }, [1, 3, 4]],
  [{ text: 'config', threadId: 'nobody' }, []],
  [{ text: 'mended', kinds: ['summary'] }, [10]],
  [{ text: `it's "quoted" \\ * AND :` }, [1, 5]], // plain text
]

export function searchContract(factory: StoreFactory): void {
  describe('search', () => {
    it(
      'finds everything that was ever said, also what was dropped from the context [NEED-07]',
      on(factory, async (store) => {
        await store.append('t', talk('t'), { expectedVersion: 0 })
        for (const [query, expected] of FOUND) {
          const finds = await search(store, query)
          const numbers = finds.map(({ seq }) => seq).toSorted((one, other) => one - other)
          expect(numbers, JSON.stringify(query)).toEqual(expected)
        }
      }),
    )
    showing(factory)
    following(factory)
    it(
      'refuses what makes no sense',
      on(factory, async (store) => {
        const wrong: object[] = [
          { text: '' },
          { text: ' … ' },
          { text: 7 },
          { text: 'x'.repeat(10_001) },
          { text: 'x', limit: 0 },
          { text: 'x', limit: 101 },
          { text: 'x', threadId: '' },
          { text: 'x', kinds: ['rumour'] },
          { text: 'x', since: new Date(Number.NaN) },
        ]
        for (const query of wrong) await expectError(search(store, query as never), 'usage')
        await store.close()
        await expectError(search(store, { text: 'x' }), 'store-closed')
        await expectError(indexOf(store).rebuild(), 'store-closed')
      }),
    )
  })
}

function showing(factory: StoreFactory): void {
  it(
    'tells where a find is, and shows it with the words marked',
    on(factory, async (store) => {
      await store.append('t', talk('t'), { expectedVersion: 0 })
      const [find] = await search(store, { text: 'loaddefaults twice' })
      expect(find).toMatchObject({ threadId: 't', seq: 5, kind: 'agent' })
      expect(find?.timestamp).toEqual(new Date(NOON + 4 * HOUR_MS))
      expect(markedIn(find)).toEqual(['loadDefaults', 'twice'])
      const [result] = await search(store, { text: 'export' })
      expect(result).toMatchObject({ tool: 'read', file: '/app/src/core/config.ts' })
      const [chinese] = await search(store, { text: '部署' })
      expect(markedIn(chinese)).toEqual(['部署'])
    }),
  )
  it(
    'gives what has most to do with it first, each event once, and no more than asked for',
    on(factory, async (store) => {
      const filler = 'so and so many other words that say nothing of it '.repeat(40)
      const texts = [`${filler} kettle ${filler}`, 'a kettle, the kettle, kettle', 'a kettle']
      const long = `kettle ${filler.repeat(40)} kettle`
      const events = [...texts, long].map((text, index) => ({
        ...(messages('t', `m${index}`)[0] as NewEvent),
        data: text,
      })) as NewEvent[]
      await store.append('t', events, { expectedVersion: 0 })
      const all = (await search(store, { text: 'kettle' })).map(({ seq }) => seq)
      expect(all).toHaveLength(4)
      expect(new Set(all).size).toBe(4)
      expect(all.slice(0, 2).toSorted()).toEqual([2, 3])
      expect(await search(store, { text: 'kettle', limit: 2 })).toHaveLength(2)
    }),
  )
  it(
    'says where nothing has all the words, and gives what has some',
    on(factory, async (store) => {
      await store.append('t', talk('t'), { expectedVersion: 0 })
      const index = indexOf(store)
      expect(await index.search({ text: 'npm test' })).toMatchObject({ hasAllWords: true })
      const some = await index.search({ text: 'npm unheard' })
      expect(some).toMatchObject({ hasAllWords: false, finds: [{ seq: 8 }] })
    }),
  )
}

function following(factory: StoreFactory): void {
  it(
    'has what was appended just now, and nothing of a thread that is deleted',
    on(factory, async (store) => {
      await store.append('t', talk('t'), { expectedVersion: 0 })
      await store.append('u', talk('u'), { expectedVersion: 0 })
      expect(await places(store, 'npm')).toEqual(['t8', 'u8'])
      expect(await places(store, 'npm', 'u')).toEqual(['u8'])
      await store.append('u', messages('u', 'npm'), { expectedVersion: 10 })
      expect(await places(store, 'npm')).toEqual(['t8', 'u11', 'u8'])
      await store.delete('u')
      expect(await places(store, 'npm')).toEqual(['t8'])
      await store.append('u', messages('u', 'npm'), { expectedVersion: 0 })
      expect(await places(store, 'npm')).toEqual(['t8', 'u1'])
    }),
  )
  it(
    'has what a fork shares once, and all of it for the fork; also when its parent is gone',
    on(factory, async (store) => {
      await store.append('p', talk('p'), { expectedVersion: 0 })
      await store.fork('p', 8, 'f', messages('f', 'npm'))
      await store.fork('p', 3, 'g', [])
      expect(await places(store, 'npm')).toEqual(['f9', 'p8'])
      expect(await places(store, 'npm', 'f')).toEqual(['f8', 'f9'])
      expect(await places(store, 'npm', 'g')).toEqual([])
      expect(await places(store, 'passed', 'f')).toEqual([]) // written after the fork
      await store.delete('p')
      expect(await places(store, 'npm')).toEqual(['f8', 'f9'])
      expect(await places(store, 'parse', 'g')).toEqual(['g1'])
    }),
  )
  it(
    'has every word of an event that is too long for one step, and what comes behind it',
    on(factory, async (store) => {
      const [, , call, result] = talk('t')
      const text = `kettle ${'so and so many words '.repeat(60_000)} spout`
      const long = {
        ...result,
        data: { ...Object(result?.data), content: [{ type: 'text', text }] },
      }
      const events = [call, long, ...messages('t', 'lid')] as NewEvent[]
      await store.append('t', events, { expectedVersion: 0 })
      for (const round of ['first', 'made anew']) {
        expect(await places(store, 'spout'), round).toEqual(['t2'])
        expect(await places(store, 'kettle'), round).toEqual(['t2'])
        expect(await places(store, 'lid'), round).toEqual(['t3'])
        expect((await search(store, { text: 'spout' }))[0]).toMatchObject({ tool: 'read' })
        await indexOf(store).rebuild()
      }
    }),
  )
  it(
    'knows the tool of a result that comes long after its call, and is the same when made anew',
    on(factory, async (store) => {
      const [, , call, result] = talk('t')
      await store.append('t', [call as NewEvent], { expectedVersion: 0 })
      expect(await search(store, { text: 'config' })).toHaveLength(1)
      await store.append('t', [result as NewEvent], { expectedVersion: 1 })
      const before = await search(store, { text: 'config' })
      expect(before.map(({ tool }) => tool)).toEqual(['read', 'read'])
      await indexOf(store).rebuild()
      expect(await search(store, { text: 'config' })).toEqual(before)
    }),
  )
}

function indexOf(store: Store) {
  if (!store.index) throw new Error('this store cannot be searched')
  return store.index
}

async function search(store: Store, query: SearchQuery): Promise<readonly SearchFind[]> {
  return (await indexOf(store).search(query)).finds
}

/** Thread and number of each find, sorted. */
async function places(store: Store, text: string, threadId?: string): Promise<string[]> {
  const finds = await search(store, { text, ...(threadId !== undefined && { threadId }) })
  return finds.map((find) => `${find.threadId}${find.seq}`).toSorted()
}

function markedIn(find: SearchFind | undefined): string[] {
  return (find?.snippet.marks ?? []).map(
    ([start, end]) => find?.snippet.text.slice(start, end) ?? '',
  )
}
