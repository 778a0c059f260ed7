// A compactor on a store: after a restart it goes on as if there had been none
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { afterEach, describe, expect, it } from 'vitest'
import { generateMessages, MESSAGE_FORMATS } from '../../test/generate/message-arrays.ts'
import { seeds } from '../../test/scale.ts'
import { readRow } from '../core/log/codec.ts'
import type { NewEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import { createThreads } from '../doors/threads.ts'
import type { FormatId } from '../messages/dialect.ts'
import { provideClasses } from '../messages/langchain.ts'
import { openSqliteStore } from '../stores/index.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { archiveOf } from '../threads/archive.ts'
import { createCompactor } from './compactor.ts'
import type { CompactorOptions } from './compactor-interface.ts'

const toClose: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close()
})

type Message = { role: string; content: string }

/** A store that two processes see after each other. */
async function openSqlite(): Promise<() => Promise<Store>> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-compactor-'))
  toClose.push(() => rmSync(folder, { recursive: true, force: true }))
  let last: Store | undefined
  return async () => {
    await last?.close()
    const store = await openSqliteStore(join(folder, 'threads.db'))
    last = store
    toClose.push(() => store.close())
    return store
  }
}

function openMemory(): () => Promise<Store> {
  const store = memoryStore()
  return async () => store
}

function talk(count: number, from = 0): Message[] {
  return Array.from({ length: count }, (_, at) => ({
    role: (from + at) % 2 === 0 ? 'user' : 'assistant',
    content: `${from + at}: ${'some words '.repeat(60)}`,
  }))
}

const options: CompactorOptions = { windowTokens: 3_000, format: 'anthropic' }

describe.each([
  ['memory', openMemory],
  ['SQLite', openSqlite],
] as const)('on a store (%s)', (_, open) => {
  it('replays its edits after a restart, and recalls, undoes and pins as before', async () => {
    const next = await open()
    const messages = talk(40)
    const first = createCompactor<Message>({ ...options, store: await next(), threadId: 'loop' })
    const before = await first.fit(messages)
    const pinId = first.pin('Never touch package-lock.json.')
    await first.ready()
    expect(before.changed).toBe(true)

    const store = await next()
    const second = createCompactor<Message>({ ...options, store, threadId: 'loop' })
    await second.ready()
    expect(second.recall('3 words')).toBe(first.recall('3 words'))
    const after = await second.fit(structuredClone(messages))
    expect(after.report).toBeUndefined()
    expect(JSON.stringify(after.messages)).toBe(JSON.stringify(before.messages))
    expect(after.losses).toEqual(before.losses)
    expect(second.undo()).toEqual(messages)
    expect(second.redo()).toEqual(before.messages)
    second.unpin(pinId)
    const grown = await second.fit([...messages, ...talk(20, 40)])
    expect(grown.report).toBeDefined()
    expect(JSON.stringify(grown.messages)).not.toContain('package-lock')

    const threads = createThreads({ store })
    const archive = archiveOf({ threads, store }, 'loop')
    expect((await archive.search('7: some words', 3)).finds.length).toBeGreaterThan(0)
  })

  it('goes on with an undo, and with what was given behind the last answer', async () => {
    const next = await open()
    const first = createCompactor<Message>({ ...options, store: await next(), threadId: 'loop' })
    const { messages: out } = await first.fit(talk(40))
    first.undo()
    await first.ready()
    const second = createCompactor<Message>({ ...options, store: await next(), threadId: 'loop' })
    await second.ready()
    expect(second.redo()).toEqual(out)
    const grown = await second.fit([...structuredClone(out), ...talk(1, 40)])
    expect(grown.report).toBeUndefined()
    expect(grown.messages.slice(0, -1)).toEqual(out)
    expect(second.undo()).toEqual(talk(41))
  })
})

it('keeps pins of the options, and those of before', async () => {
  const store = memoryStore()
  const made = { ...options, store, threadId: 't' }
  const first = createCompactor<Message>({ ...made, pins: ['One stays.'] })
  first.pin('Two stays.')
  await first.fit(talk(2))
  const second = createCompactor<Message>({ ...made, pins: ['One stays.', 'Three stays.'] })
  const text = JSON.stringify((await second.fit(talk(40))).messages)
  for (const pin of ['One', 'Two', 'Three']) expect(text.split(`${pin} stays.`).length).toBe(2)
})

it('keeps a fork beside the conversation, and tells two conversations apart', async () => {
  const store = memoryStore()
  const made = { ...options, store, threadId: 't' }
  const first = createCompactor<Message>(made)
  await first.fit(talk(10))
  await first.fit([...talk(5), { role: 'user', content: 'Something else.' }])
  const second = createCompactor<Message>(made)
  await second.ready()
  expect(second.recall('else')).toContain('Something else.')
  await second.fit([{ role: 'user', content: 'Another conversation: the password is x.' }])
  const third = createCompactor<Message>(made)
  await third.ready()
  expect(() => third.recall('password')).toThrow('The compactor has seen 2 conversations')
})

it('says that another process writes to the thread, and goes on when the store works again', async () => {
  const store = memoryStore()
  const made = { ...options, store, threadId: 't' }
  const [one, other] = [createCompactor<Message>(made), createCompactor<Message>(made)]
  await Promise.all([one.ready(), other.ready()])
  await one.fit(talk(2))
  await expect(other.fit(talk(4))).rejects.toMatchObject({ code: 'version-conflict' })

  let isBroken = true
  const flaky: Store = {
    ...memoryStore(),
    info: store.info.bind(store),
    read: store.read.bind(store),
    delete: store.delete.bind(store),
    async append(...given) {
      const appended = await store.append(...given)
      if (isBroken) throw new Error('The connection was lost.')
      return appended
    },
  }
  const third = createCompactor<Message>({ ...made, store: flaky, threadId: 'u' })
  await expect(third.fit(talk(4))).rejects.toThrow('The connection was lost.')
  isBroken = false
  await third.fit(talk(6))
  const fourth = createCompactor<Message>({ ...made, threadId: 'u' })
  await fourth.ready()
  expect(fourth.recall('5')).toContain('5:')
})

/** Answers of one conversation that is taken up again and again behind its first message. */
function forked(number: number): Message[] {
  return [
    ...talk(3),
    { role: 'user', content: `Alternative ${number}.` },
    { role: 'assistant', content: `Answer ${number}.` },
  ]
}

async function threadsIn(store: Store): Promise<string[]> {
  return (await store.list({ limit: 200 })).items.map(({ threadId }) => threadId).toSorted()
}

it('keeps the lines of a conversation that were used last, and no others', async () => {
  const store = memoryStore()
  const made = { ...options, windowTokens: 100_000, store, threadId: 't' }
  let compactor = createCompactor<Message>(made)
  for (let number = 0; number < 60; number += 1) {
    if (number % 25 === 24) compactor = createCompactor<Message>(made)
    await compactor.fit(forked(number))
    expect((await threadsIn(store)).length).toBeLessThanOrEqual(17)
  }
  expect(await threadsIn(store)).toContain('t')
  const restarted = createCompactor<Message>(made)
  await restarted.ready()
  expect(restarted.recall('Answer 59')).toContain('Answer 59')
  const forks: number[] = []
  restarted.on('forked', ({ message }) => forks.push(message))
  await restarted.fit(forked(50)) // still known
  expect(forks).toEqual([])
  await restarted.fit(forked(10)) // forgotten
  expect(forks).toEqual([3])
})

it('takes no conversation for another where lines were forgotten', async () => {
  const store = memoryStore()
  const made = { ...options, windowTokens: 100_000, store, threadId: 't' }
  const first = createCompactor<Message>(made)
  for (let number = 0; number < 40; number += 1)
    await first.fit([
      { role: 'user', content: `Secret ${number}` },
      { role: 'assistant', content: 'Yes.' },
    ])
  const second = createCompactor<Message>(made)
  await second.ready()
  expect(() => second.recall('Secret')).toThrow('The compactor has seen 16 conversations')
})

it('begins again where its thread was deleted, and leaves threads of others alone', async () => {
  const store = memoryStore()
  const made = { ...options, windowTokens: 100_000, store, threadId: 't' }
  const own = createThreads({ store })
  await own.create({ threadId: 't~2' }, [{ type: 'USER_MESSAGE', data: 'Mine.' }])
  const first = createCompactor<Message>(made)
  for (let number = 0; number < 20; number += 1) await first.fit(forked(number))
  await store.delete('t')
  const second = createCompactor<Message>(made)
  await second.ready()
  expect(() => second.recall('Answer')).toThrow('has seen no messages yet')
  for (let number = 0; number < 40; number += 1) await second.fit(forked(number))
  expect((await threadsIn(store)).length).toBeLessThanOrEqual(20)
  expect(JSON.stringify(await own.getEvents('t~2'))).toContain('Mine.')
  const third = createCompactor<Message>(made)
  await third.ready()
  expect(third.recall('Answer 39')).toContain('Answer 39')
})

it('takes no thread of another compactor for a branch, and none of its branches for a thread', async () => {
  const store = memoryStore()
  const made = { ...options, windowTokens: 100_000, store }
  const secret = [...talk(3), { role: 'user', content: 'The secret of others.' }]
  await createCompactor<Message>({ ...made, threadId: 't~1' }).fit(secret)
  const before = JSON.stringify(await store.read('t~1'))
  for (let round = 0; round < 3; round += 1) {
    const compactor = createCompactor<Message>({ ...made, threadId: 't' })
    await compactor.ready()
    if (round > 0) expect(compactor.recall('secret')).not.toContain('of others')
    for (let number = 0; number < 20; number += 1) await compactor.fit(forked(20 * round + number))
    expect(JSON.stringify(await store.read('t~1'))).toBe(before)
  }
  await store.delete('t')
  await createCompactor<Message>({ ...made, threadId: 't' }).ready()
  expect(await threadsIn(store)).toEqual(['t~1'])
  expect(JSON.stringify(await store.read('t~1'))).toBe(before)

  const first = createCompactor<Message>({ ...made, threadId: 't' })
  for (let number = 0; number < 2; number += 1) await first.fit(forked(number))
  const other = createCompactor<Message>({ ...made, threadId: 't~2' })
  await expect(other.ready()).rejects.toThrow('The thread t~2 is a branch of t.')
})

it('takes branches of before, whose records do not name the thread', async () => {
  const [old, store] = [memoryStore(), memoryStore()]
  const made = { ...options, windowTokens: 100_000 }
  const compactor = createCompactor<Message>({ ...made, store: old, threadId: 't' })
  for (let number = 0; number < 2; number += 1) await compactor.fit(forked(number))
  const secret: Message[] = [{ role: 'user', content: 'The secret of others.' }]
  await createCompactor<Message>({ ...made, store: old, threadId: 't~2' }).fit(secret)
  for (const threadId of await threadsIn(old)) {
    const events = (await old.read(threadId)).map((row) => {
      const { seq: _, ...event } = readRow(row)
      const data = Object.fromEntries(
        Object.entries(Object(event.data)).filter(([name]) => name !== 'threadId'),
      )
      return (event.type === 'FOREIGN' ? { ...event, data } : event) as NewEvent
    })
    await store.append(threadId, events, { expectedVersion: 0 })
  }
  const second = createCompactor<Message>({ ...made, store, threadId: 't' })
  await second.ready()
  expect(second.recall('Answer 1')).toContain('Answer 1')
  await store.delete('t')
  await createCompactor<Message>({ ...made, store, threadId: 't' }).ready()
  expect(await threadsIn(store)).toEqual(['t~2'])
})

it.each([[[]], [['t~1']]])(
  'forgets all branches where its thread was deleted, also where %j are missing',
  async (missing) => {
    const store = memoryStore()
    const made = { ...options, windowTokens: 100_000, store, threadId: 't' }
    const first = createCompactor<Message>(made)
    for (let number = 0; number < 3; number += 1)
      await first.fit([{ role: 'user', content: `Conversation ${number}.` }])
    expect(await threadsIn(store)).toEqual(['t', 't~1', 't~2'])
    for (const threadId of ['t', ...missing]) await store.delete(threadId)
    await createCompactor<Message>(made).fit([{ role: 'user', content: 'A new one.' }])
    expect(await threadsIn(store)).toEqual(['t'])
    const third = createCompactor<Message>(made)
    await third.ready()
    expect(third.recall('one')).toContain('A new one.')
  },
)

/** Fails behind so many appends, as a process that ends there. */
function dying(store: Store, after: number): Store {
  let appends = 0
  return {
    ...memoryStore(),
    info: store.info.bind(store),
    read: store.read.bind(store),
    delete: store.delete.bind(store),
    async append(...given) {
      appends += 1
      if (appends > after) throw new Error('The process ended.')
      return store.append(...given)
    },
  }
}

function short(count: number): Message[] {
  return talk(count).map(({ role }, at) => ({ role, content: `message ${at}` }))
}

it.each([
  [1_510, false],
  [10_500, true],
])(
  'has nothing twice where a process ended while it wrote %i messages',
  async (count, isCut) => {
    const made = { windowTokens: 400_000, format: 'anthropic', threadId: 't' } as const
    const store = memoryStore()
    await createCompactor<Message>({ ...made, store }).fit(short(10))
    const ended = createCompactor<Message>({ ...made, store: dying(store, 1) }).fit(short(count))
    const hasEnded = await ended.then(
      () => false,
      () => true,
    )
    for (const more of [0, 2, 4]) {
      const next = createCompactor<Message>({ ...made, store })
      const given = short(count + more)
      const { messages, changed } = await next.fit(given)
      expect({ count: messages.length, changed }).toEqual({ count: given.length, changed: false })
    }
    expect(hasEnded).toBe(isCut)
  },
  30_000,
)

it('keeps messages that have undefined properties', async () => {
  const store = memoryStore()
  const made = { ...options, store, threadId: 't' }
  const gap = { name: undefined, extra: { list: [{ id: undefined }] } }
  const messages = talk(40).map((message) => ({ ...message, ...gap }))
  const out = await createCompactor<Message>(made).fit(messages)
  expect(out.changed).toBe(true)
  const second = createCompactor<Message>(made)
  await second.ready()
  expect(JSON.stringify(second.undo())).toBe(JSON.stringify(messages))
  expect(JSON.stringify(second.redo())).toBe(JSON.stringify(out.messages))
})

it('names what is missing', () => {
  expect(() => createCompactor({ ...options, threadId: 't' })).toThrow('`store` and `threadId`')
  expect(() => createCompactor({ ...options, store: {} as Store, threadId: 't' })).toThrow(
    'createCompactor: `store` must have a method `append`.',
  )
})

// As precis/langchain does: what fit gave last may hold no message of the user.
provideClasses({ human: HumanMessage, ai: AIMessage })

const WAYS: readonly (readonly [name: string, isWhole: boolean])[] = [
  ['the whole history', true],
  ['what fit gave last', false],
]

describe.each(MESSAGE_FORMATS)('random loops with messages of %s', (format) => {
  // Instances of classes are not stored: behind a restart the whole history is needed.
  const ways = WAYS.filter(([, isWhole]) => isWhole || format !== 'langchain')

  it.each(ways)(
    'end in the same bytes whether they are restarted or not: %s',
    async (_, isWhole) => {
      for (const seed of seeds(5)) {
        const { messages } = generateMessages(format, seed, 9)
        const plain = await run(format, messages, isWhole, () => false)
        const restarted = await run(format, messages, isWhole, (at) => at % 3 === 1)
        expect(restarted, `seed ${seed}`).toEqual(plain)
      }
    },
  )
})

/** Every request of a loop, as JSON; before some of them the process is started again. */
async function run(
  format: FormatId,
  messages: readonly object[],
  isWhole: boolean,
  isRestart: (step: number) => boolean,
): Promise<string[]> {
  const store = memoryStore()
  const create = () =>
    createCompactor<object>({ windowTokens: 2_500, format, store, threadId: 'loop' })
  let compactor = create()
  let last: readonly object[] = []
  const requests: string[] = []
  for (let at = 0, step = 0; at < messages.length; at += 5, step += 1) {
    if (isRestart(step)) compactor = create()
    const given = isWhole ? messages.slice(0, at + 5) : [...last, ...messages.slice(at, at + 5)]
    try {
      last = (await compactor.fit(given)).messages
      requests.push(JSON.stringify(last))
    } catch (error) {
      requests.push(String(error))
      last = given
    }
  }
  return requests
}
