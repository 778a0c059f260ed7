// Every method of the SDKs of Anthropic and OpenAI that sends messages: what goes over the wire fits, and the method is as it was
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as anthropic from '../../src/adapters/anthropic.ts'
import * as openai from '../../src/adapters/openai.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { fileText, WINDOW_TOKENS } from './tool-loop.ts'

let standIn: DevModel
beforeAll(async () => {
  standIn = await startDevModel({ models: ['claude-test', 'gpt-test'] })
})
beforeEach(() => standIn.script(() => ({ text: '{"ok":true}' })))
afterAll(() => standIn.close())

const history = Array.from({ length: 61 }, (_, n) =>
  n % 2 === 0
    ? { role: 'user' as const, content: fileText(n) }
    : { role: 'assistant' as const, content: `Read ${n}.` },
)
const further = [
  ...history,
  { role: 'assistant' as const, content: '{"ok":true}' },
  { role: 'user' as const, content: 'And?' },
]
const options = { windowTokens: WINDOW_TOKENS }
const patient = { timeout: 30_000 }

/** How many messages went over the wire since then, for each request. */
function sentSince(count: number): number[] {
  return standIn.requests.slice(count).map(({ body }) => {
    const { messages, input } = body as { messages?: unknown[]; input?: unknown[] }
    return (messages ?? input ?? []).length
  })
}

/** A first call of the tool, and the answer then. */
function callOnce(): void {
  const left = [{ calls: [{ name: 'look', arguments: {} }] }, { text: 'Seen.' }]
  standIn.script(() => left.shift() ?? { text: 'Seen.' })
}

async function all(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of stream) count += 1
  return count
}

describe('the methods of precis/anthropic', () => {
  const raw = () => new Anthropic({ apiKey: 'any', baseURL: standIn.url, maxRetries: 0 })
  const body = { model: 'claude-test', max_tokens: 100, messages: history }
  const tool = {
    type: 'custom' as const,
    name: 'look',
    description: 'Looks.',
    input_schema: { type: 'object' as const, properties: {} },
    run: () => 'seen',
    parse: (input: unknown) => input as object,
  }

  type Call = (client: Anthropic) => PromiseLike<unknown>
  const calls: Readonly<Record<string, Call>> = {
    'messages.create': ({ messages }) => messages.create(body),
    'messages.create, streamed': async ({ messages }) =>
      all(await messages.create({ ...body, stream: true })),
    'messages.stream': ({ messages }) => messages.stream(body).finalMessage(),
    'messages.stream, event by event': ({ messages }) => all(messages.stream(body)),
    'messages.parse': ({ messages }) => messages.parse(body),
    'beta.messages.create': ({ beta }) => beta.messages.create(body),
    'beta.messages.stream': ({ beta }) => beta.messages.stream(body).finalMessage(),
    'beta.messages.parse': ({ beta }) => beta.messages.parse(body),
    post: (client) => client.post('/v1/messages', { body }),
    'withOptions, messages.create': (client) => client.withOptions(patient).messages.create(body),
    'withOptions twice, messages.stream': (client) =>
      client.withOptions(patient).withOptions({}).messages.stream(body).finalMessage(),
  }
  it.each(Object.entries(calls))('%s sends what fits, and its count is used', async (_, call) => {
    const client = anthropic.withCompaction(raw(), options)
    const before = standIn.requests.length
    await call(client)
    const [first = 0, ...more] = sentSince(before)
    expect([first > 0, first < history.length, more]).toEqual([true, true, []])
    expect(client.compactor.reading().by).toBe('estimated')
    await client.messages.create({ ...body, messages: further })
    expect(client.compactor.reading().by).toBe('measured')
  })

  it('fits every request of a tool runner', async () => {
    callOnce()
    const client = anthropic.withCompaction(raw(), options)
    const before = standIn.requests.length
    const whole = { ...body, tools: [tool], thread: false as const }
    await client.beta.messages.toolRunner(whole).runUntilDone()
    const sent = sentSince(before)
    expect(sent.length).toBe(2)
    for (const count of sent) expect(count).toBeLessThan(history.length)
  })

  it('refuses a thread that the server keeps', async () => {
    const { messages } = anthropic.withCompaction(raw(), options).beta
    const before = standIn.requests.length
    const runner = messages.toolRunner({ ...body, tools: [tool] })
    const refusal = { code: 'invalid-input', hint: expect.stringContaining('thread: false') }
    await expect(runner.runUntilDone()).rejects.toMatchObject(refusal)
    expect(sentSince(before)).toEqual([])
  })

  it('returns what the SDK returns: a stream at once, a response, the client of the class', async () => {
    const client = anthropic.withCompaction(raw(), options)
    const text = Promise.withResolvers<string>()
    const stream = client.messages.stream(body)
    stream.on('text', (delta) => text.resolve(delta))
    expect(await text.promise).not.toBe('')
    expect((await stream.finalMessage()).role).toBe('assistant')
    const { data, response } = await client.messages.create(body).withResponse()
    expect([data.role, response.status]).toEqual(['assistant', 200])
    const plain = await client.messages.create(body).asResponse()
    expect(await plain.json()).toMatchObject({ role: 'assistant' })
    const other = client.withOptions(patient)
    expect(other).toBeInstanceOf(Anthropic)
    expect([other.timeout, other.compactor === client.compactor]).toEqual([30_000, true])
  })

  it('leaves the client of the caller, and other requests, as they are', async () => {
    const mine = raw()
    const client = anthropic.withCompaction(mine, options)
    const before = standIn.requests.length
    await mine.messages.create({ ...body, messages: history }).catch(() => undefined)
    expect(sentSince(before)).toEqual([history.length])
    await client.messages.countTokens({ model: 'claude-test', messages: history })
    expect(sentSince(before).at(-1)).toBe(history.length)
  })

  it('refuses a batch, which it cannot make fit', async () => {
    const client = anthropic.withCompaction(raw(), options)
    const before = standIn.requests.length
    const requests = [{ custom_id: 'a', params: body }]
    for (const { batches } of [client.messages, client.beta.messages])
      await expect(batches.create({ requests })).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining('messages.batches.create'),
      })
    expect(sentSince(before)).toEqual([])
  })

  it('fails as the SDK does where the signal fires while a summary is written', async () => {
    const stop = new AbortController()
    const model = () => {
      stop.abort()
      return new Promise<string>(() => undefined)
    }
    const client = anthropic.withCompaction(raw(), { ...options, model })
    const before = standIn.requests.length
    const call = client.messages.create(body, { signal: stop.signal })
    await expect(call).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    expect(sentSince(before)).toEqual([])
  })
})

describe('the methods of precis/openai', () => {
  const raw = () => new OpenAI({ apiKey: 'any', baseURL: `${standIn.url}/v1`, maxRetries: 0 })
  const chat = { model: 'gpt-test', messages: history }
  const asked = { model: 'gpt-test', input: history }
  const counted = { stream_options: { include_usage: true } }
  const tool = {
    type: 'function' as const,
    function: {
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object', properties: {} },
      parse: JSON.parse,
      function: () => 'seen',
    },
  }

  type Call = (client: OpenAI) => PromiseLike<unknown>
  const ofChat: Readonly<Record<string, Call>> = {
    create: (client) => client.chat.completions.create(chat),
    'create, streamed': async (client) =>
      all(await client.chat.completions.create({ ...chat, ...counted, stream: true })),
    stream: (client) => client.chat.completions.stream({ ...chat, ...counted }).finalContent(),
    parse: (client) => client.chat.completions.parse(chat),
    'withOptions, create': (client) => client.withOptions(patient).chat.completions.create(chat),
  }
  it.each(Object.entries(ofChat))(
    'chat.completions: %s sends what fits, and its count is used',
    async (_, call) => {
      const client = openai.withCompaction(raw(), options)
      const before = standIn.requests.length
      await call(client)
      const [first = 0, ...more] = sentSince(before)
      expect([first > 0, first < history.length, more]).toEqual([true, true, []])
      expect(client.compactor.reading().by).toBe('estimated')
      await client.chat.completions.create({ ...chat, messages: further })
      expect(client.compactor.reading().by).toBe('measured')
    },
  )

  const ofResponses: Readonly<Record<string, Call>> = {
    create: ({ responses }) => responses.create(asked),
    'create, streamed': async ({ responses }) =>
      all(await responses.create({ ...asked, stream: true })),
    stream: ({ responses }) => responses.stream(asked).finalResponse(),
    parse: ({ responses }) => responses.parse(asked),
    'withOptions, stream': (client) =>
      client.withOptions(patient).responses.stream(asked).finalResponse(),
  }
  it.each(Object.entries(ofResponses))(
    'responses: %s sends what fits, and its count is used',
    async (_, call) => {
      const client = openai.withCompaction(raw(), options)
      const before = standIn.requests.length
      await call(client)
      const [first = 0, ...more] = sentSince(before)
      expect([first > 0, first < history.length, more]).toEqual([true, true, []])
      expect(client.responsesCompactor.reading().by).toBe('estimated')
      await client.responses.create({ ...asked, input: further })
      expect(client.responsesCompactor.reading().by).toBe('measured')
    },
  )

  it.each([false, true])('fits every request of runTools (stream: %s)', async (stream) => {
    callOnce()
    const client = openai.withCompaction(raw(), options)
    const before = standIn.requests.length
    const { completions } = client.chat
    const runner = stream
      ? completions.runTools({ ...chat, tools: [tool], stream })
      : completions.runTools({ ...chat, tools: [tool] })
    expect(await runner.finalContent()).toBe('Seen.')
    const sent = sentSince(before)
    expect(sent.length).toBe(2)
    for (const count of sent) expect(count).toBeLessThan(history.length)
  })

  it('returns what the SDK returns: a response, the client of the class', async () => {
    const mine = raw()
    const client = openai.withCompaction(mine, options)
    const { data, response } = await client.chat.completions.create(chat).withResponse()
    expect([data.choices.length, response.status]).toEqual([1, 200])
    const plain = await client.responses.create(asked).asResponse()
    expect(await plain.json()).toMatchObject({ object: 'response' })
    const other = client.withOptions(patient)
    expect(other).toBeInstanceOf(OpenAI)
    expect([other.timeout, other.compactor === client.compactor]).toEqual([30_000, true])
    const before = standIn.requests.length
    await mine.chat.completions.create(chat).catch(() => undefined)
    expect(sentSince(before)).toEqual([history.length])
  })
})
