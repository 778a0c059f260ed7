// Threads over every store: what is appended, shown, compacted, undone and forked, also after reopening.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import {
  answer,
  local,
  measuredAnswer,
  result,
  system,
  thoughtAnswer,
  user,
} from '../../test/say.ts'
import type { NewEntry } from '../core/edit/change.ts'
import type { Strategy, StrategyInput } from '../core/edit/strategy.ts'
import type { EventDraft } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { memoryStore, openSqliteStore } from '../stores/index.ts'
import { DEFAULT_STRATEGIES } from '../strategies/index.ts'
import { createThreads, type Threads, type ThreadsOptions } from './threads.ts'

const LONG = 'one\ntwo\nthree\nfour\nfive'

function summary(text: string): NewEntry {
  return { type: 'USER_MESSAGE', data: text, label: 'summary' }
}

/** Everything but the last entry becomes `S`. */
const allButLast: Strategy = {
  id: 'all-but-last',
  async propose({ context }) {
    const items = context.items.toArray().slice(0, -1)
    return {
      edits:
        items.length === 0 ? [] : [{ covers: items.map((item) => item.id), put: [summary('S')] }],
    }
  },
}

const cleanup: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanup.splice(0).toReversed()) await step()
})

interface Place {
  readonly name: string
  /** Opens the same store again, as another process would find it. */
  open(): Promise<() => Promise<Store>>
}

const PLACES: Place[] = [
  {
    name: 'memory',
    async open() {
      const store = memoryStore()
      return async () => store
    },
  },
  {
    name: 'SQLite',
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'precis-threads-'))
      cleanup.push(() => rm(folder, { recursive: true }))
      return async () => {
        const store = await openSqliteStore(join(folder, 'log.db'))
        cleanup.push(() => store.close())
        return store
      }
    },
  },
]

describe.each(PLACES)('threads on $name', ({ open }) => {
  async function setUp() {
    const openStore = await open()
    const ids = testIds()
    const make = async (): Promise<Threads> =>
      createThreads({
        store: await openStore(),
        clock: testClock(),
        ids,
        strategies: [...DEFAULT_STRATEGIES, allButLast],
      })
    const threads = await make()
    return { threads, reopen: make, id: await threads.create() }
  }

  it('appends one COMPACTION and changes nothing else [LOG-13] [LOG-22]', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('go'), ...answer('reading', 'a')])
    await threads.append(id, [result('a', LONG)])
    const before = await threads.getAllEvents(id)
    const outcome = await threads.compact(id, 'trim-tool-results')
    expect(outcome.committed).toBe(true)
    const after = await threads.getAllEvents(id)
    expect(after.slice(0, -1)).toEqual(before)
    expect(after.at(-1)).toMatchObject({ type: 'COMPACTION', threadId: id })
    expect(new Set(after.map((event) => event.threadId))).toEqual(new Set([id]))
  })

  it('shows the working conversation and the whole history [LOG-14] [LOG-15] [LOG-16]', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [system('be brief'), user('one'), ...answer('1'), user('two')])
    await threads.compact(id, 'all-but-last')
    await threads.append(id, [user('three')])
    const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)
    expect(types(await threads.getEvents(id))).toEqual([
      'SYSTEM_PROMPT',
      'THREAD_STARTED',
      'USER_MESSAGE',
      'USER_MESSAGE',
      'COMPACTION',
      'USER_MESSAGE',
    ])
    const all = await threads.getAllEvents(id)
    expect(types(all)).toEqual([
      'THREAD_STARTED',
      'SYSTEM_PROMPT',
      'USER_MESSAGE',
      'AGENT_MESSAGE',
      'USER_MESSAGE',
      'COMPACTION',
      'USER_MESSAGE',
    ])
    const marker = all.find((event) => event.type === 'COMPACTION')
    expect(marker?.data).toMatchObject({
      strategyId: 'all-but-last',
      originalEventCount: 5,
      compactedEventCount: 4,
    })
    expect(marker?.type === 'COMPACTION' && types(marker.data.compactedEvents)).toEqual([
      'SYSTEM_PROMPT',
      'THREAD_STARTED',
      'USER_MESSAGE',
      'USER_MESSAGE',
    ])
  })

  it('is the same after it was closed and opened again, dates included [LOG-21]', async () => {
    const { threads, reopen, id } = await setUp()
    await threads.append(id, [user('go'), ...thoughtAnswer('hm', 'reading', 'a', 'b')])
    await threads.append(id, [result('b', LONG), result('a', 'x', 'failed'), local('noted')])
    await threads.compact(id, 'trim-tool-results')
    await threads.append(id, [...answer('done'), user('more')])
    await threads.compact(id, 'all-but-last')
    await threads.undo(id)
    const again = await reopen()
    expect(await again.getEvents(id)).toEqual(await threads.getEvents(id))
    expect(await again.getAllEvents(id)).toEqual(await threads.getAllEvents(id))
    expect(await again.messages(id)).toEqual(await threads.messages(id))
    expect((await again.context(id)).items.toArray()).toEqual(
      (await threads.context(id)).items.toArray(),
    )
    for (const event of await again.getEvents(id)) expect(event.timestamp).toBeInstanceOf(Date)
  })

  it('knows nothing of an unknown thread, and says so where that is an error [LOG-20] [LOG-38]', async () => {
    const { threads, id } = await setUp()
    expect(await threads.getEvents('nobody')).toEqual([])
    expect(await threads.getAllEvents('nobody')).toEqual([])
    await expect(threads.compact('nobody', 'trim-tool-results')).rejects.toThrow(
      'Thread nobody not found',
    )
    await expect(threads.compact(id, 'magic')).rejects.toThrow('Unknown compaction strategy: magic')
    expect(await threads.getAllEvents(id)).toHaveLength(1)
  })

  it('hands provider, tool executor, model and signal through to the strategy [LOG-36] [LOG-39]', async () => {
    const { threads, id } = await setUp()
    const seen: StrategyInput[] = []
    threads.register({
      id: 'watching',
      async propose(input) {
        seen.push(input)
        return { edits: [] }
      },
    })
    const provider = { ask: async () => ({ text: '', stopReason: 'end' as const }) }
    const toolExecutor = { tools: [] }
    const { signal } = new AbortController()
    await threads.compact(id, 'watching', { provider, toolExecutor, model: 'm1', signal })
    expect(seen[0]?.run).toEqual({
      threadId: id,
      provider,
      toolExecutor,
      model: 'm1',
      signal,
      scratch: expect.anything(),
    })
    expect(seen[0]?.run.provider).toBe(provider)
    expect(seen[0]?.run.signal).toBe(signal)
  })

  it('builds a request with the summary in it and no orphans [LOG-24]', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('go'), ...answer('reading', 'a')])
    await threads.append(id, [result('a', LONG), user('next')])
    await threads.compact(id, 'all-but-last')
    const { messages, problems } = await threads.messages(id)
    expect(problems).toEqual([])
    expect(messages).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'S' }] },
      { role: 'user', parts: [{ type: 'text', text: 'next' }] },
    ])
  })

  it('undoes, redoes and expands, also after reopening [ALWAYS-01] [ALWAYS-22]', async () => {
    const { threads, reopen, id } = await setUp()
    await threads.append(id, [user('one'), ...answer('1'), user('two')])
    const before = await threads.messages(id)
    await threads.compact(id, 'all-but-last')
    const compacted = await threads.messages(id)
    const again = await reopen()
    await again.undo(id)
    expect(await again.messages(id)).toEqual(before)
    expect(await threads.messages(id)).toEqual(before)
    await threads.redo(id)
    expect(await threads.messages(id)).toEqual(compacted)
    expect(await again.messages(id)).toEqual(compacted)
    const ref = (await again.context(id)).items.toArray()[0]?.id
    if (!ref) throw new Error('nothing to expand')
    expect((await again.originals(id, ref)).map((event) => event.seq)).toEqual([2, 3])
    await again.expand(id, ref)
    expect(await again.messages(id)).toEqual(before)
    await expect((await reopen()).undo(id, 99)).rejects.toMatchObject({ code: 'nothing-to-undo' })
  })

  it('closes open calls as aborted before anything else is said', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('go'), ...answer('reading', 'a', 'b')])
    await threads.append(id, [result('a', 'x')])
    await threads.append(id, [user('stop')])
    const { messages, problems } = await threads.messages(id)
    expect(problems).toEqual([])
    expect(
      messages.at(-1)?.parts.map((part) => (part.type === 'tool_result' ? part.status : part.type)),
    ).toEqual(['completed', 'aborted', 'text'])
  })

  it('refuses an answer without its calls, and a call without its answer', async () => {
    const { threads, id } = await setUp()
    const [bare, call] = answer('reading', 'a')
    if (!bare || !call) throw new Error('two drafts')
    await expect(threads.append(id, [bare])).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(threads.append(id, [call])).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await threads.getAllEvents(id)).toHaveLength(1)
  })

  it('refuses data that it could not read back, and appends nothing', async () => {
    const { threads, id } = await setUp()
    const usage = { promptTokens: 1 } as unknown as TokenUsage
    for (const wrong of [
      { type: 'AGENT_MESSAGE', data: { content: 'x', calls: [], tokenUsage: usage } },
      { type: 'USER_MESSAGE', data: 5 as unknown as string },
      { type: 'NO_SUCH_TYPE' as 'FOREIGN', data: {} },
    ] as EventDraft[])
      await expect(threads.append(id, [user('fine'), wrong])).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringMatching(/^A draft is not a valid event: (data|type)/),
      })
    expect(await threads.getAllEvents(id)).toHaveLength(1)
  })

  it('says what is wrong with what is no list of drafts, and appends nothing', async () => {
    const { threads, id } = await setUp()
    for (const wrong of [user('bare'), undefined, 'words', () => user('bare')]) {
      const drafts = wrong as unknown as EventDraft[]
      for (const given of [
        () => threads.append(id, drafts),
        () => threads.import(id, drafts),
        () => threads.create({}, drafts ?? null),
      ])
        await expect(given()).rejects.toMatchObject({
          code: 'invalid-input',
          message: 'Drafts must be an array.',
        })
    }
    const bare = { type: 'TOOL_CALL' } as EventDraft
    await expect(threads.append(id, [bare])).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await threads.getAllEvents(id)).toHaveLength(1)
  })

  it('takes no change that did not pass the gate', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('one'), user('two')])
    await threads.compact(id, 'all-but-last')
    const change = (await threads.getAllEvents(id)).at(-1)
    const drafts = [{ type: 'COMPACTION', data: change?.data }] as EventDraft[]
    for (const how of ['append', 'import'] as const)
      await expect(threads[how](id, drafts)).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await threads.getAllEvents(id)).toHaveLength(4)
  })

  it('notices that another writer has deleted the thread, or begun it anew', async () => {
    const { threads, reopen, id } = await setUp()
    await threads.append(id, [user('secret'), user('two'), user('three')])
    const other = await reopen()
    await other.delete(id)
    expect(await threads.getEvents(id)).toEqual([])
    await expect(threads.messages(id)).rejects.toMatchObject({ code: 'unknown-thread' })
    await other.create({ threadId: id })
    await other.append(id, [user('b1'), user('b2'), user('b3')])
    expect(await threads.getEvents(id)).toEqual(await other.getEvents(id))
    await threads.compact(id, 'all-but-last')
    expect((await (await reopen()).context(id)).ignored).toEqual([])
  })

  it('keeps one entry of pinned texts, and the user words beside it, through many compactions', async () => {
    const { threads, id } = await setUp()
    const provider = { ask: async () => ({ text: 'S', stopReason: 'end' as const }) }
    for (const text of ['First', 'Second', 'Third', 'Fourth'])
      await threads.append(id, [user(text), ...answer(`re ${text}`)])
    await threads.pin(id, { text: 'PINNED' })
    for (let cycle = 0; cycle < 4; cycle += 1)
      await threads.compact(id, 'ai-summarize', { provider })
    const said = (await threads.messages(id)).messages.flatMap(({ role, parts }) =>
      role === 'user' ? parts.map((part) => (part.type === 'text' ? part.text : part.type)) : [],
    )
    expect(said).toEqual([
      'Second',
      'Third',
      'Fourth',
      expect.stringMatching(/^\[Context note, not a request: .*\n- PINNED$/),
    ])
    await expect(threads.pin(id, {})).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('forks at the end of an answer, never between it and its calls', async () => {
    const { threads, id } = await setUp()
    const events = await threads.append(id, [user('go'), ...answer('reading', 'a', 'b')])
    const fork = await threads.fork(id, events[1]?.seq)
    await threads.append(fork, [user('stop')])
    const { messages, problems } = await threads.messages(fork)
    expect(problems).toEqual([])
    expect(messages[2]?.parts.map(({ type }) => type)).toEqual([
      'tool_result',
      'tool_result',
      'text',
    ])
  })

  it('opens although its snapshot cannot be read', async () => {
    const { threads, reopen, id } = await setUp()
    const tokenUsage = { promptTokens: 1e308, completionTokens: 1e308, totalTokens: 1e308 }
    await threads.append(id, [
      user('hi'),
      measuredAnswer('1', tokenUsage),
      measuredAnswer('2', tokenUsage),
    ])
    await threads.compact(id, 'all-but-last')
    expect((await (await reopen()).messages(id)).messages).toHaveLength(2)
  })

  it.each([1, 63, 64, 65, 130])('keeps %i calls of an answer together in a fork', async (count) => {
    const { threads, id } = await setUp()
    const calls = Array.from({ length: count }, (_, at) => `c${at}`)
    const events = await threads.append(id, [user('go'), ...answer('calling', ...calls)])
    for (const call of calls) await threads.append(id, [result(call, 'done')])
    for (const at of [1, Math.ceil(count / 2), count]) {
      const fork = await threads.fork(id, events[at]?.seq)
      const types = (await threads.getAllEvents(fork)).map(({ type }) => type)
      expect(types.filter((type) => type === 'TOOL_CALL')).toHaveLength(count)
      expect(types).not.toContain('TOOL_RESULT')
    }
  })

  it.each([999, 1_000, 1_001])('imports %i drafts before an answer with calls', async (before) => {
    const { threads, id } = await setUp()
    const drafts = Array.from({ length: before - 1 }, (_, at) => user(`message ${at}`))
    await threads.import(id, [...drafts, ...answer('calling', 'a', 'b', 'c'), user('next')])
    const events = await threads.getAllEvents(id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
    expect(events).toHaveLength(1 + before + 3 + 1)
    const calling = events.find(({ type }) => type === 'AGENT_MESSAGE')
    const calls = events.flatMap(({ type, data }) => (type === 'TOOL_CALL' ? [data.answer] : []))
    expect(calls).toEqual(Array.from({ length: 3 }, () => calling?.seq))
  })

  it.each([1_999, 2_000, 2_001])('reads a log of %i events whole', async (count) => {
    const { threads, id, reopen } = await setUp()
    await threads.import(
      id,
      Array.from({ length: count - 1 }, (_, at) => user(`message ${at}`)),
    )
    const again = await reopen()
    const all = await again.getAllEvents(id)
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
    expect(await again.getEvents(id)).toHaveLength(count)
  })

  it('forks with the past of its parent, and goes its own way', async () => {
    const { threads, reopen, id } = await setUp()
    await threads.append(id, [user('one'), ...answer('1'), user('two')])
    await threads.compact(id, 'all-but-last')
    const fork = await threads.fork(id)
    await threads.append(fork, [user('three')])
    await threads.append(id, [user('elsewhere')])
    const texts = async (of: string) =>
      JSON.stringify((await (await reopen()).messages(of)).messages)
    expect(await texts(fork)).toContain('three')
    expect(await texts(fork)).not.toContain('elsewhere')
    await threads.undo(fork)
    expect(await texts(fork)).toContain('"one"')
    expect(await texts(id)).toContain('"S"')
    await threads.delete(id)
    expect(await texts(fork)).toContain('"one"')
  })

  it('lets two writers append to one thread and loses nothing', async () => {
    const { threads, reopen, id } = await setUp()
    const other = await reopen()
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? threads : other).append(id, [user(`message ${at}`)]),
      ),
    )
    const said = (await other.getEvents(id)).flatMap((event) =>
      event.type === 'USER_MESSAGE' ? [event.data] : [],
    )
    expect(new Set(said).size).toBe(40)
    expect(await threads.getEvents(id)).toEqual(await other.getEvents(id))
  })

  it('pins what is visible, keeps it, and refuses what is not there [ALWAYS-21]', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('Never push.'), ...answer('ok'), user('go')])
    const pin = await threads.pin(id, { entries: ['e2'] })
    await threads.compact(id, 'all-but-last')
    expect(JSON.stringify(await threads.messages(id))).toContain('Never push.')
    await expect(threads.pin(id, { entries: ['e3'] })).rejects.toMatchObject({
      code: 'unknown-entry',
    })
    for (const nothing of [{}, { entries: [] }, { text: ' \n' }])
      await expect(threads.pin(id, nothing)).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await threads.pins(id)).toMatchObject([{ pinId: pin, entries: ['e2'] }])
    await threads.unpin(id, pin)
    expect(await threads.pins(id)).toEqual([])
  })

  it('reads the window from the last count, and never from one before a compaction', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('hi')])
    expect(await threads.reading(id)).toMatchObject({ by: 'estimated' })
    const tokenUsage = { promptTokens: 5_000, completionTokens: 10, totalTokens: 5_010 }
    await threads.append(id, [measuredAnswer('hello', tokenUsage)])
    expect(await threads.reading(id)).toEqual({ tokens: 5_010, by: 'measured' })
    await threads.append(id, [user('more')])
    expect((await threads.reading(id)).tokens).toBeGreaterThan(5_010)
    await threads.compact(id, 'all-but-last')
    expect(await threads.reading(id)).toMatchObject({ by: 'estimated' })
    expect((await threads.usage(id)).conversation.totalTokens).toBe(5_010)
  })

  it('follows what is appended', async () => {
    const { threads, id } = await setUp()
    const stop = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const event of threads.follow(id, 1, stop.signal)) {
        seen.push(event.type)
        if (seen.length === 2) stop.abort()
      }
    })()
    await threads.append(id, [user('one')])
    await threads.append(id, answer('1'))
    await following
    expect(seen).toEqual(['USER_MESSAGE', 'AGENT_MESSAGE'])
  })

  it('hands the size from which on a summary must be smaller to the gate [ALWAYS-02]', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('short'), user('next')])
    threads.register({
      id: 'wordy',
      propose: async () => ({ edits: [{ covers: ['e2'], put: [summary('long '.repeat(50))] }] }),
    })
    const refused = await threads.compact(id, 'wordy', { minTokens: 1 })
    expect(refused).toMatchObject({ committed: false, refusal: { reason: 'not-smaller' } })
    expect((await threads.compact(id, 'wordy')).committed).toBe(true)
  })

  it('aborted, a compaction changes nothing', async () => {
    const { threads, id } = await setUp()
    await threads.append(id, [user('one'), user('two')])
    const stop = new AbortController()
    stop.abort()
    await expect(
      threads.compact(id, 'all-but-last', { signal: stop.signal }),
    ).rejects.toMatchObject({ code: 'aborted' })
    expect(await threads.getAllEvents(id)).toHaveLength(3)
  })
})

it.each(['store', 'clock', 'ids'])('createThreads says that it needs `%s`', (missing) => {
  const { [missing]: _, ...given } = {
    store: memoryStore(),
    clock: testClock(),
    ids: testIds(),
  } as Record<string, unknown>
  expect(() => createThreads(given as unknown as ThreadsOptions)).toThrow(
    expect.objectContaining({ code: 'invalid-input', where: missing }),
  )
})
