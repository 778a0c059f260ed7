// The archive of a thread: everything under a ref, page by page, and words found in all of the past.
import { describe, expect, it } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import { answer, reminder, result, thoughtAnswer, user } from '../../test/say.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { EventDraft } from '../core/log/event.ts'
import type { Archive } from '../core/search/archive.ts'
import type { Json } from '../core/text/json.ts'
import { memoryStore } from '../stores/index.ts'
import { archiveOf } from './archive.ts'
import type { SearchLimits } from './search-thread.ts'
import { createThreads } from './threads.ts'

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

/** A call of a tool with its result, as one round. */
function round(id: string, name: string, given: Json, ...results: EventDraft[]): EventDraft[] {
  return [
    { type: 'AGENT_MESSAGE', data: { content: '', calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name, arguments: given, answer: 0 } },
    ...results,
  ]
}

async function thread(
  drafts: readonly EventDraft[],
  { compact = false, limits }: { compact?: boolean; limits?: Partial<SearchLimits> } = {},
) {
  const store = memoryStore()
  const threads = createThreads({
    store,
    clock: testClock(),
    ids: testIds(),
    strategies: [summarizeAllButLast],
  })
  const id = await threads.create()
  await threads.append(id, drafts)
  const outcome = compact ? await threads.compact(id, 'all-but-last') : undefined
  const seq = (outcome?.committed && outcome.event?.seq) || 0
  const rowsRead: number[] = []
  const watched = {
    info: store.info.bind(store),
    readMany: store.readMany.bind(store),
    read: async (...given: Parameters<typeof store.read>) => {
      const rows = await store.read(...given)
      rowsRead.push(rows.length)
      return rows
    },
  }
  const archive = archiveOf({ threads, store: watched, ...(limits && { limits }) }, id)
  return { archive, summary: `c${seq}.0`, rowsRead }
}

async function readAll(archive: Archive, ref: string, limit: number): Promise<string[]> {
  const pages: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await archive.read(ref, offset, limit)
    pages.push(page.text)
    offset = page.next
  }
  return pages
}

const IMAGE: EventDraft = {
  type: 'TOOL_RESULT',
  data: {
    id: 'b',
    status: 'failed',
    content: [
      { type: 'text', text: 'all of it' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ],
    shown: [{ type: 'text', text: 'a part' }],
  },
}

describe('reading the archive', () => {
  it('gives what a ref stands for, with calls and whole results, without thinking', async () => {
    const { archive, summary } = await thread(
      [
        user('please deploy'),
        ...thoughtAnswer('hm', 'I look.', 'a'),
        result('a', 'line 1\nline 2'),
        reminder('be kind'),
        ...round('b', 'run', { command: 'ls' }, IMAGE),
        user('thanks'),
      ],
      { compact: true },
    )
    const { text, next } = await archive.read(summary, 0, 10_000)
    expect(next).toBeUndefined()
    expect(text).toBe(
      [
        '[e2 user, 2026-01-01 00:00]\nplease deploy',
        '[e3 agent, 2026-01-01 00:00]\nI look.\n[call of read: {"path":"a.ts"}]',
        '[e5 result of call a, 2026-01-01 00:00, completed]\nline 1\nline 2',
        '[e6 system reminder, 2026-01-01 00:00]\nbe kind',
        '[e7 agent, 2026-01-01 00:00]\n[call of run: {"command":"ls"}]',
        '[e9 result of call b, 2026-01-01 00:00, failed]\nall of it\n[image image/png, 3 bytes]',
      ].join('\n\n'),
    )
    expect((await archive.read('e9', 0, 10_000)).text).toContain('all of it')
  })

  it('comes in pages that make up the whole, however small, and tear no character', async () => {
    const said = Array.from({ length: 100 }, (_, n) => user(`😀é漢字 number ${n}`))
    const { archive, summary } = await thread([...said, user('end')], { compact: true })
    const whole = (await archive.read(summary, 0, 1_000_000)).text
    expect(whole).toContain('number 99')
    for (const limit of [7, 100, 5_000]) {
      const pages = await readAll(archive, summary, limit)
      expect(pages.join('')).toBe(whole)
      expect(pages.every((page) => page.isWellFormed() && page.length <= limit)).toBe(true)
    }
    const pair = whole.indexOf('😀')
    expect((await archive.read(summary, pair, 1)).text).toBe('😀')
    expect((await archive.read(summary, pair + 1, 2)).text).toBe('😀')
  })

  it.each([
    ['e99', 0, 'unknown-entry', 'There is nothing under the ref e99.'],
    ['c1.0', 0, 'unknown-entry', 'There is nothing under the ref c1.0.'],
    ['nonsense', 0, 'unknown-entry', 'nonsense is not a ref.'],
    ['e2', 33, 'invalid-input', 'e2 has 33 characters.'],
  ])('refuses %s from %i', async (ref, offset, code, message) => {
    const { archive } = await thread([user('hello')])
    await expect(archive.read(ref, offset, 10)).rejects.toMatchObject({ code, message })
  })
})

describe('searching the archive', () => {
  const past: EventDraft[] = [
    user('The port of the staging server is 8443, remember that.'),
    ...answer('I will remember the staging port.'),
    ...round(
      'a',
      'run',
      { command: 'deploy --canary' },
      result('a', 'deployment failed: quota exceeded'),
    ),
    user('Was ist mit 部署失败的原因？'),
    ...answer('The function readRow in codec.ts was at fault.'),
    ...round('b', 'recall', { query: 'staging quota' }, result('b', 'staging quota staging quota')),
    user('What was the staging port again?'),
  ]

  it('reads a call by its own number, too', async () => {
    const { archive } = await thread(round('a', 'run', { command: 'ls docks' }, result('a', 'x')))
    expect((await archive.read('e3', 0, 1_000)).text).toContain('ls docks')
  })

  it.each([
    ['staging port', ['e3', 'e2', 'e12']],
    ['quota', ['e6']],
    ['canary', ['e4']],
    ['canaries', ['e4']],
    ['quotas', ['e6']],
    ['deploy', ['e4', 'e6']],
    ['row', ['e8']],
    ['ow', []],
    ['失败原因', ['e7']],
    ['?!', []],
  ])('finds %j, what is out of view first', async (query, refs) => {
    const { archive } = await thread(past, { compact: true })
    const { finds, matching } = await archive.search(query, 10)
    expect(finds.map(({ ref }) => ref)).toEqual(refs)
    expect(matching).toBe(refs.length)
  })

  it('names the file that a result is the content of', async () => {
    const content = 'retry limit of the gateway\n'.repeat(30)
    const { archive } = await thread(
      [
        user('read it'),
        ...round('a', 'read', { path: 'src/net/gate.ts' }, result('a', content)),
        user('thanks'),
      ],
      { compact: true },
    )
    const { finds } = await archive.search('retry limit gateway', 5)
    expect(finds).toMatchObject([{ speaker: 'result of read', names: ['src/net/gate.ts'] }])
  })

  it('says who said it and when, with the words around it, and what is still in view', async () => {
    const { archive } = await thread(past, { compact: true })
    const { finds } = await archive.search('quota exceeded', 10)
    expect(finds).toEqual([
      {
        ref: 'e6',
        speaker: 'result of run',
        timestamp: new Date(Date.UTC(2026, 0, 1)),
        snippet: 'deployment failed: quota exceeded',
        names: [],
        isVisible: false,
      },
    ])
    const visible = await archive.search('staging port', 10)
    expect(visible.finds.map(({ isVisible }) => isVisible)).toEqual([false, false, true])
    const few = await archive.search('staging port', 1)
    expect(few).toMatchObject({ finds: [{ ref: 'e3' }], matching: 3 })
  })

  it('ranks rare words and short texts higher, and cuts snippets around the rarest word', async () => {
    const long = `${'the build went on and on\n'.repeat(200)}zebra ${'and on '.repeat(200)}`
    const { archive } = await thread([
      user('the build is fine'),
      user(long),
      user('zebra in the build'),
      user('the build is done'),
    ])
    const { finds } = await archive.search('the build zebra', 10)
    expect(finds.map(({ ref }) => ref).slice(0, 2)).toEqual(['e4', 'e3'])
    const snippet = finds[1]?.snippet ?? ''
    expect(snippet).toMatch(/^….*zebra.*…$/)
    expect(snippet).not.toContain('\n')
    expect(snippet.length).toBeLessThan(250)
  })

  it('counts a result that was shown in part as out of view', async () => {
    const { archive } = await thread([...round('b', 'run', {}, IMAGE), user('all of what?')])
    const { finds } = await archive.search('all', 10)
    expect(finds.map(({ ref, isVisible }) => [ref, isVisible])).toEqual([
      ['e4', false],
      ['e5', true],
    ])
  })

  it('looks no further back than its limits, and says from where', async () => {
    const said = Array.from({ length: 1_000 }, (_, n) => user(`number ${n}`))
    const { archive, rowsRead } = await thread(said, { limits: { events: 250 } })
    const { finds, searchedFrom } = await archive.search('number', 3)
    expect(finds.map(({ ref }) => ref)).toEqual(['e1001', 'e1000', 'e999'])
    expect(searchedFrom).toBe(752)
    expect(rowsRead.reduce((sum, rows) => sum + rows, 0)).toBe(250)
    const byChars = await thread(said, { limits: { chars: 1_000 } })
    expect((await byChars.archive.search('number', 3)).searchedFrom).toBe(902)
  })

  it('reads each row once, to the beginning of the thread', async () => {
    const said = Array.from({ length: 450 }, (_, n) => user(`number ${n}`))
    const { archive, rowsRead } = await thread(said)
    expect(await archive.search('449', 3)).toMatchObject({ matching: 1, searchedFrom: 1 })
    expect(rowsRead).toEqual([100, 100, 100, 100, 51, 1]) // the first again: where it came from
  })
})

describe('the archive of a fresh session', () => {
  async function sessions(...pasts: readonly (readonly EventDraft[])[]) {
    const store = memoryStore()
    const threads = createThreads({ store, clock: testClock(), ids: testIds() })
    const ids: string[] = []
    for (const drafts of pasts) {
      const last = ids.at(-1)
      const from = last === undefined ? undefined : await threads.context(last)
      ids.push(
        await threads.create(
          from && last !== undefined
            ? { from: { threadId: last, seq: from.version }, reason: 'fresh-session' }
            : {},
          drafts,
        ),
      )
    }
    const of = (at: number, limits?: Partial<SearchLimits>) =>
      archiveOf({ threads, store, ...(limits && { limits }) }, ids.at(at) ?? '')
    return { threads, store, ids, of }
  }

  it('finds what was said in the threads before it, under names of their own', async () => {
    const { ids, of } = await sessions(
      [user('one apple')],
      [user('two apples')],
      [user('an apple')],
    )
    const found = await of(-1).search('apple', 9)
    expect(found.finds.map(({ ref, isVisible }) => [ref, isVisible])).toEqual([
      [`${ids[1]}:e2`, false],
      [`${ids[0]}:e2`, false],
      ['e2', true],
    ])
    expect(found.matching).toBe(3)
    expect((await of(-1).search('apples two', 1)).finds).toMatchObject([{ ref: `${ids[1]}:e2` }])
    expect((await of(-1).read(`${ids[1]}:e2`, 0, 99)).text).toContain('two apples')
    expect((await of(-1).read(`${ids[2]}:e2`, 0, 99)).text).toContain('an apple')
  })

  it('neither finds nor reads what came later there, nor any other thread', async () => {
    const { threads, ids, of } = await sessions([user('early')], [user('now')])
    await threads.append(ids[0] ?? '', [user('apple')])
    expect(await of(-1).search('apple', 9)).toMatchObject({ finds: [], matching: 0 })
    for (const ref of [`${ids[0]}:e3`, 'thr_9:e2']) {
      await expect(of(-1).read(ref, 0, 9)).rejects.toMatchObject({ code: 'unknown-entry' })
    }
    await expect(of(0).read(`${ids[1]}:e2`, 0, 9)).rejects.toMatchObject({ code: 'unknown-entry' })
  })

  it('says where it stopped, and does without a thread that was deleted', async () => {
    const { threads, ids, of } = await sessions([user('apple'), user('b'), user('c')], [user('d')])
    expect(await of(-1, { events: 3 }).search('apple', 9)).toMatchObject({
      matching: 0,
      searchedFrom: 4,
      searchedThread: ids[0],
    })
    await threads.delete(ids[0] ?? '')
    expect(await of(-1).search('apple', 9)).toMatchObject({ finds: [], searchedFrom: 1 })
  })
})
