// The stream of a thread: events with ids, frames without, in order; resumed, shared, and bounded.
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { Signal } from '../../src/core/model.ts'
import type { StreamItem } from '../../src/protocol/client.ts'
import { compactionResultSchema } from '../../src/protocol/compaction-schemas.ts'
import { frameSchema, streamDataSchema } from '../../src/protocol/frame-schemas.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { readSse, type ServerSentEvent } from '../../src/protocol/sse.ts'
import type { WireFrame } from '../../src/protocol/wire.ts'
import { longPast, textOf } from '../agent/past.ts'
import { local, user } from '../say.ts'
import { pretendWork, until } from '../wait.ts'
import { served } from './served.ts'
import {
  type AppSetup,
  BASE_URL,
  converse,
  followUntil,
  isFrame,
  setUpApp,
  transportTo,
} from './setup.ts'

/** The types do not compile with one too few or too many. */
const FRAME_TYPES: Readonly<Record<AgentFrame['type'], true>> = {
  'turn-start': true,
  'turn-end': true,
  'text-delta': true,
  'thinking-delta': true,
  'answer-restart': true,
  'model-retry': true,
  'answer-end': true,
  'tool-start': true,
  'tool-progress': true,
  'tool-end': true,
  'approval-request': true,
  'message-queued': true,
  'message-delivered': true,
  'messages-returned': true,
  reading: true,
  notice: true,
  agent_thinking_start: true,
  agent_thinking_complete: true,
  error: true,
  COMPACTION_START: true,
  COMPACTION_PROGRESS: true,
  COMPACTION_COMPLETE: true,
}
const ROUND = ['COMPACTION_START', 'COMPACTION_COMPLETE']

/** What is read of the stream until `isLast`, as it is on the wire. */
async function readUntil(
  response: Response,
  isLast: (event: ServerSentEvent) => boolean,
): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = []
  if (!response.body) return events
  for await (const event of readSse(response.body)) {
    events.push(event)
    if (isLast(event)) break
  }
  return events
}

function seqs(items: readonly StreamItem[]): number[] {
  return items.flatMap((item) => (item.kind === 'event' ? [item.event.seq] : []))
}

async function say(setup: AppSetup, threadId: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await setup.home.threads.append(threadId, [user('hello')])
}

describe('the stream', () => {
  it('gives events their numbers as ids and frames none, and resumes behind Last-Event-ID', async () => {
    const setup = await setUpApp()
    const { ask, client } = setup
    const { threadId, version } = await client.createThread()
    const path = `/threads/${threadId}/stream`
    const stream = await ask(path, { headers: { 'last-event-id': String(version) } })
    expect(stream.headers.get('content-type')).toMatch('text/event-stream')
    const reading = readUntil(stream, ({ event }) => event === 'turn-end')
    await client.send(threadId, 'Hello')
    const events = await reading
    const stored = events.filter(({ event }) => event === 'event')
    expect(stored.map(({ id }) => Number(id))).toEqual([version + 1, version + 2])
    expect(events.filter(({ id, event }) => id !== undefined && event !== 'event')).toEqual([])
    const rows = stored.map(({ data }) => JSON.parse(data))
    expect(rows.map(({ type }) => type)).toEqual(['USER_MESSAGE', 'AGENT_MESSAGE'])

    const headers = { 'last-event-id': String(version + 1) }
    const again = await readUntil(await ask(path, { headers }), () => true)
    expect(again.map(({ id }) => id)).toEqual([String(version + 2)])
    const byQuery = await readUntil(await ask(`${path}?after=0`), ({ id }) => Number(id) > version)
    expect(byQuery.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: version + 1 }, (_, at) => at + 1),
    )
  })

  it('refuses what is no number, and one that the thread has not reached', async () => {
    const { ask, client } = await setUpApp()
    const { threadId } = await client.createThread()
    const status = async (id: string) =>
      (await ask(`/threads/${threadId}/stream`, { headers: { 'last-event-id': id } })).status
    expect(await status('seven')).toBe(422)
    expect(await status('999')).toBe(409)
    expect((await ask('/threads/thr_none/stream')).status).toBe(404)
  })

  it('beats while nothing happens', async () => {
    const { ask, client } = await setUpApp({ limits: { heartbeatMs: 5 } })
    const { threadId, version } = await client.createThread()
    const { body } = await ask(`/threads/${threadId}/stream?after=${version}`)
    let text = ''
    for await (const piece of body ?? []) {
      text += new TextDecoder().decode(piece)
      if (text.split(': beat\n\n').length > 3) break
    }
    expect(text).toMatch(/^: connected\n\n(: beat\n\n)+$/)
  })

  it('tells all followers the same, those that came late included', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const thread = await client.createThread()
    const last = thread.version + 60
    const untilLast = (item: StreamItem) => item.kind === 'event' && item.event.seq === last
    const followers = [followUntil(client, thread, untilLast)]
    for (let wave = 0; wave < 3; wave += 1) {
      const said = say(setup, thread.threadId, 20)
      followers.push(
        followUntil(client, thread, untilLast),
        followUntil(client, { ...thread, version: 0 }, untilLast),
      )
      await said
    }
    const all = Array.from({ length: last }, (_, at) => at + 1)
    for (const items of await Promise.all(followers))
      expect(seqs(items)).toEqual(all.slice((seqs(items)[0] ?? 0) - 1))
  })

  it('lets go of a reader that is too slow, which can come back and has lost nothing', async () => {
    const setup = await setUpApp({ limits: { followerItems: 10 } })
    const { client, ask } = setup
    const { threadId, version } = await client.createThread()
    const path = `/threads/${threadId}/stream`
    const slow = await ask(`${path}?after=${version}`)
    await say(setup, threadId, 40)
    const first = await readUntil(slow, () => false) // it ends by itself
    expect(first.length).toBeLessThan(40)
    const lastId = first.at(-1)?.id ?? String(version)
    const rest = await readUntil(
      await ask(path, { headers: { 'last-event-id': lastId } }),
      ({ id }) => Number(id) === version + 40,
    )
    const ids = [...first, ...rest].map(({ id }) => Number(id))
    expect(ids).toEqual(Array.from({ length: 40 }, (_, at) => version + 1 + at))
  })

  it('lets go of a slow reader over HTTP, too, before it fills the memory', async () => {
    const setup = await setUpApp({ limits: { followerChars: 1_000_000 } })
    const { threadId, version } = await setup.client.createThread()
    const address = await served(setup.app)
    const { promise: slow, resolve } = Promise.withResolvers<IncomingMessage>()
    get(`${address}/api/threads/${threadId}/stream?after=${version}`, (response) => {
      response.pause()
      resolve(response)
    })
    const response = await slow
    // Far more than what sockets hold for a reader that does not read.
    const count = 60
    const long = local('x'.repeat(400_000))
    for (let at = 0; at < count; at += 1) await setup.home.threads.append(threadId, [long])
    let text = ''
    for await (const piece of response) text += piece
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids.length).toBeLessThan(count)
    const client = createClient(transportTo((request) => fetch(request), address))
    const isLast = (item: StreamItem) => item.kind === 'event' && item.event.seq === version + count
    const last = ids.at(-1) ?? version
    const rest = await followUntil(client, { threadId, version: last }, isLast)
    expect([...ids, ...seqs(rest)]).toEqual(
      Array.from({ length: count }, (_, at) => version + 1 + at),
    )
  })

  it('ends where the thread is deleted, and the client says so', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const thread = await client.createThread()
    let seen = 0
    const following = followUntil(client, thread, () => {
      seen += 1
      return false
    })
    await say(setup, thread.threadId, 1)
    await until('the first item of the stream', () => seen > 0)
    await client.deleteThread(thread.threadId)
    await expect(following).rejects.toMatchObject({ code: 'unknown-thread' })
  })

  it('tells when it is connected: a turn that is faster than the connection is not missed', async () => {
    const { app } = await setUpApp()
    const held = Promise.withResolvers<void>()
    const order: string[] = []
    // The stream comes as late as among hundreds of others.
    const client = createClient(
      transportTo(async (request) => {
        const isStream = request.url.endsWith('/stream')
        if (isStream) await held.promise
        else order.push(`${request.method} ${new URL(request.url).pathname.split('/').at(-1)}`)
        return app.fetch(request)
      }, BASE_URL),
    )
    const { threadId } = await client.createThread()
    const talk = converse(client, threadId, 'Hello')
    for (let others = 0; others < 20; others += 1) await client.thread(threadId)
    expect(order).not.toContain('POST messages')
    held.resolve()
    await talk
    expect(order.at(-1)).toBe('POST messages')
  })

  it('leaves nothing behind of a follower that has gone, in process and over HTTP', async () => {
    const { app, client, home } = await setUpApp()
    const thread = await client.createThread()
    const signals: Signal[] = []
    const { follow } = home.store
    Object.assign(home.store, {
      follow: (threadId: string, afterSeq: number, signal: Signal) => {
        signals.push(signal)
        return follow.call(home.store, threadId, afterSeq, signal)
      },
    })
    const far = createClient(transportTo((request) => fetch(request), await served(app)))
    for (const each of [client, far]) {
      const stop = new AbortController()
      const items = each.follow(thread.threadId, 0, stop.signal)[Symbol.asyncIterator]()
      await items.next()
      stop.abort()
      await items.return?.()
    }
    expect(signals).toHaveLength(2)
    await until('the end of both followers', () => signals.every(({ aborted }) => aborted))
  })

  it('leaves nothing behind of one who asks only for its head', async () => {
    const { app, client } = await setUpApp({ limits: { streams: 2 } })
    const { threadId } = await client.createThread()
    const path = `${await served(app)}/api/threads/${threadId}/stream`
    const headers = { 'idempotency-key': 'no write, so no key' }
    for (const init of [{}, {}, {}, { headers }])
      expect((await fetch(path, { method: 'HEAD', ...init })).status).toBe(200)
    const stream = await fetch(path)
    expect(stream.status).toBe(200)
    await stream.body?.cancel()
  })

  it('ends when the app is closed', async () => {
    const { client, ask, app } = await setUpApp()
    const { threadId } = await client.createThread()
    const reading = readUntil(await ask(`/threads/${threadId}/stream`), () => false)
    app.close()
    await expect(reading).resolves.toBeDefined()
  })

  it('goes on by itself after a lost connection, without a gap and nothing twice', async () => {
    const setup = await setUpApp()
    const { app } = setup
    let cuts = 0
    // Every connection breaks after three pieces.
    const cutting = async (request: Request) => {
      const response = await app.fetch(request)
      if (!request.url.endsWith('/stream') || !response.body) return response
      let pieces = 0
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          pieces += 1
          if (pieces <= 3) return controller.enqueue(piece)
          cuts += 1
          return controller.error(new Error('the connection is gone'))
        },
      })
      return new Response(response.body.pipeThrough(cut), response)
    }
    const transport = { ...transportTo(cutting, BASE_URL), sleep: shortly }
    const client = createClient(transport)
    const thread = await client.createThread()
    const last = thread.version + 30
    let seen = thread.version
    const following = followUntil(client, thread, (item) => {
      if (item.kind === 'event') seen = item.event.seq
      return seen === last
    })
    for (let at = 1; at <= 30; at += 1) {
      await say(setup, thread.threadId, 1)
      if (at % 5 === 0) await until(`event ${at}`, () => seen >= thread.version + at)
    }
    const items = await following
    expect(seqs(items)).toEqual(Array.from({ length: 30 }, (_, at) => thread.version + 1 + at))
    expect(cuts).toBeGreaterThan(0)
    expect(items.filter(({ kind }) => kind === 'reconnected').length).toBeGreaterThan(0)
  })
})

/** Waits as asked where that is long, and hardly where it is a pause before another attempt. */
async function shortly(ms: number, signal?: AbortSignal): Promise<void> {
  await pretendWork(ms > 30_000 ? ms : 1, signal)
}

describe('compactions in the stream', () => {
  it('are told when they begin and end, in the shape of the design [LOG-77]', async () => {
    const { ask, client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(20_000))
    const { version } = await client.thread(threadId)
    const reading = readUntil(
      await ask(`/threads/${threadId}/stream?after=${version}`),
      ({ event }) => event === 'COMPACTION_COMPLETE',
    )
    await client.compact(threadId, { strategy: 'trim-tool-results' })
    const frames = framesIn(await reading)
    const [start, complete] = frames.filter(({ type }) => ROUND.includes(type))
    expect(start).toMatchObject({ threadId, data: { strategy: 'trim-tool-results' } })
    expect(start?.timestamp).toMatch(/^\d{4}-.*Z$/)
    expect(complete).toMatchObject({ threadId, data: { success: true } })
    const { tokensSaved, before, after } = compactionResultSchema.parse(complete?.data)
    expect(tokensSaved).toBeGreaterThan(10_000)
    expect(tokensSaved).toBe((before?.tokens ?? 0) - (after?.tokens ?? 0))
  })

  it('and turns are as the description of the API says, every one of them', async () => {
    const { ask, client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(20_000))
    const response = await ask(`/threads/${threadId}/stream`)
    const reading = readUntil(response, ({ event }) => event === 'turn-end')
    await client.compact(threadId, { strategy: 'trim-tool-results' })
    await client.send(threadId, 'Hello')
    const told = (await reading).filter(({ data }) => data !== '')
    for (const { event, data } of told) {
      const { success, error } = (event === 'event' ? streamDataSchema : frameSchema).safeParse(
        JSON.parse(data),
      )
      expect(success, `${event}: ${error?.message}`).toBe(true)
    }
    expect(new Set(told.map(({ event }) => event)).size).toBeGreaterThan(5)
  })

  it('and every other frame have a schema of their own in the description of the API', async () => {
    const { ask } = await setUpApp()
    const { components } = (await (await ask('/openapi.json')).json()) as {
      components: { schemas: Record<string, { anyOf?: { $ref: string }[] }> }
    }
    const refs = components.schemas.Frame?.anyOf?.map(({ $ref }) => $ref) ?? []
    const names = Object.keys(FRAME_TYPES).map((type) => `Frame.${type}`)
    expect(refs.toSorted()).toEqual(names.map((name) => `#/components/schemas/${name}`).toSorted())
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(names))
    const [row, frame] = components.schemas.StreamData?.anyOf ?? []
    expect([row?.$ref, frame?.$ref]).toEqual(
      ['EventRow', 'Frame'].map((id) => `#/components/schemas/${id}`),
    )
  })

  it('have one start and one end each, by hand and automatic; ordinary thinking has none [LOG-78]', async () => {
    const setup = await setUpApp({ windowTokens: 20_000, values: { preset: 'log' } })
    const { client, home } = setup
    const thread = await client.createThread()
    const { threadId } = thread
    const following = followUntil(client, thread, isFrame('turn-end'))
    await client.send(threadId, 'Hello')
    expect(compactionsIn(await following)).toEqual([])
    const byHand = followUntil(
      client,
      await client.thread(threadId),
      isFrame('COMPACTION_COMPLETE'),
    )
    await client.send(threadId, '/compact')
    expect(compactionsIn(await byHand)).toEqual(ROUND)
    const other = await client.createThread()
    await home.threads.append(other.threadId, longPast(17_000))
    const automatic = followUntil(client, other, isFrame('turn-end'))
    await client.send(other.threadId, 'And now?')
    const items = await automatic
    expect(compactionsIn(items)).toEqual(ROUND)
    expect(items.find(isFrame('COMPACTION_COMPLETE'))).toMatchObject({
      frame: { trigger: 'auto', success: true },
    })
  })

  it('have their end also where they fail, with the error and nothing saved [LOG-78]', async () => {
    const { ask, client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(5_000))
    home.threads.register({ id: 'broken', propose: () => Promise.reject(new Error('no way')) })
    await client.change(threadId, { preset: 'fresh' }) // which falls back on nothing
    const { version } = await client.thread(threadId)
    const reading = readUntil(
      await ask(`/threads/${threadId}/stream?after=${version}`),
      ({ event }) => event === 'COMPACTION_COMPLETE',
    )
    const outcome = await client.compact(threadId, { strategy: 'broken' })
    expect(outcome).toMatchObject({ ok: false, compaction: { success: false } })
    const ends = framesIn(await reading).filter(({ type }) => ROUND.includes(type))
    expect(ends.map(({ type }) => type)).toEqual(ROUND)
    expect(ends[1]?.data).toMatchObject({
      success: false,
      tokensSaved: 0,
      error: { message: 'no way' },
    })
  })

  it('name the strategy that really ran, after a fallback that one [LOG-79]', async () => {
    const { client, home } = await setUpApp({ values: { preset: 'log' } })
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(20_000))
    home.threads.register({ id: 'ai-summarize', propose: () => Promise.reject(new Error('no')) })
    const thread = await client.thread(threadId)
    const following = followUntil(client, thread, isFrame('COMPACTION_COMPLETE'))
    await client.send(threadId, '/compact')
    const items = await following
    const complete = items.find(isFrame('COMPACTION_COMPLETE'))
    expect(complete).toMatchObject({ frame: { strategy: 'trim-tool-results', success: true } })
    const stored = items.find((item) => item.kind === 'event' && item.event.type === 'COMPACTION')
    expect(stored).toMatchObject({ event: { data: { strategyId: 'trim-tool-results' } } })
  })

  it('come behind the event they speak of', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(20_000))
    const thread = await client.thread(threadId)
    const following = followUntil(client, thread, isFrame('COMPACTION_COMPLETE'))
    await client.compact(threadId, { strategy: 'trim-tool-results' })
    const items = await following
    const at = items.findIndex((item) => item.kind === 'event' && item.event.type === 'COMPACTION')
    expect(at).toBeGreaterThan(0)
    expect(at).toBeLessThan(items.length - 1)
  })
})

function framesIn(events: readonly ServerSentEvent[]): WireFrame[] {
  return events.filter(({ event }) => event !== 'event').map(({ data }) => JSON.parse(data))
}

function compactionsIn(items: readonly StreamItem[]): string[] {
  return items.flatMap((item) =>
    item.kind === 'frame' && ROUND.includes(item.frame.type) ? [item.frame.type] : [],
  )
}

describe('long answers', () => {
  it('arrive whole and in order', async () => {
    const { client, dev } = await setUpApp()
    const { threadId } = await client.createThread()
    const text = textOf(700).trim()
    dev.script([{ text }])
    const thread = await client.thread(threadId)
    const following = followUntil(client, thread, isFrame('turn-end'))
    await converse(client, threadId, 'Talk')
    const said = (await following)
      .map((item) =>
        item.kind === 'frame' && item.frame.type === 'text-delta' ? item.frame.text : '',
      )
      .join('')
    expect(said).toBe(text)
  })
})
