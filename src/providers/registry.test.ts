// Names of models become providers, windows and rules; what cannot be resolved says what to do.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../test/wait.ts'
import type { ModelRequest, Provider } from '../core/model.ts'
import type { MessagePart } from '../core/view/message.ts'
import { type DevModel, startDevModel } from '../dev-model/index.ts'
import { ANTHROPIC, devEntry } from './anthropic/entry.ts'
import {
  eventStream,
  type FixtureServer,
  pausesKept,
  startFixtureServer,
} from './contract/fixture-server.ts'
import { allFrames, REQUEST } from './contract.ts'
import { OLLAMA_ENTRY, OPENAI_CHAT_ENTRIES } from './entries.ts'
import { modelPort } from './model-port.ts'
import { createRegistry, type ModelSettings, type ProviderEntry } from './registry.ts'

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

function registry(
  settings: ModelSettings,
  environment: Readonly<Record<string, string>> = {},
  more: readonly ProviderEntry[] = [],
) {
  const dev = devEntry(async () => ({ url: server.url }))
  const { clock } = pausesKept()
  return createRegistry({ entries: [ANTHROPIC, dev, ...more], settings, environment, clock })
}

const ANSWER = eventStream([
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 3, output_tokens: 2 },
  },
  { type: 'message_stop' },
])

describe('resolve', () => {
  it('gives provider, model, rules and window of a listed model', async () => {
    const resolved = await registry({}).resolve('anthropic/claude-opus-5-5')
    expect(resolved).toMatchObject({
      ref: 'anthropic/claude-opus-5-5',
      model: 'claude-opus-5-5',
      window: { tokens: 1_000_000, from: 'catalogue' },
      profile: {
        wire: 'anthropic',
        preservedThinking: true,
        prefill: false,
        windowTokens: 1_000_000,
      },
    })
    expect(resolved.provider.id).toBe('anthropic')
  })

  it('reads older models by older rules, and unknown ones strictly', async () => {
    const older = await registry({}).resolve('anthropic/claude-haiku-4-5')
    expect(older.profile).toMatchObject({ preservedThinking: false, prefill: true })
    const unknown = await registry({}).resolve('anthropic/claude-next')
    expect(unknown.window).toEqual({ tokens: 128_000, from: 'default' })
    expect(unknown.profile).toMatchObject({ preservedThinking: true, prefill: false })
    expect(unknown.profile).not.toHaveProperty('windowTokens')
  })

  it('knows roles: the default, and the fast one, or the default for it', async () => {
    const both = registry({ models: { default: 'anthropic/a', fast: 'anthropic/b' } })
    expect((await both.resolve()).model).toBe('a')
    expect((await both.resolve('default')).model).toBe('a')
    expect((await both.resolve('fast')).model).toBe('b')
    expect((await registry({ models: { default: 'dev' } }).resolve('fast')).ref).toBe('dev/dev')
  })

  it('says what to set where no model is set', async () => {
    await expect(registry({}).resolve()).rejects.toMatchObject({
      code: 'no-model',
      where: 'models.default',
      hint: expect.stringContaining('models.default'),
    })
  })

  it.each([
    ['claude-opus-5-5', 'Did you mean anthropic/claude-opus-5-5?'],
    ['anthropc/claude', 'Did you mean anthropic/claude?'],
    ['nobody/at-all', 'Providers: anthropic, dev.'],
    ['meta-llama/llama-4', 'as in openrouter/meta-llama/llama-4'],
    [
      'http://127.0.0.1:1234/v1/',
      '{"providers":{"lmstudio":{"baseUrl":"http://127.0.0.1:1234/v1"}}}, and name the model lmstudio/MODEL',
    ],
    ['http://localhost:11434', '{"ollama":{"baseUrl":"http://localhost:11434"}}'],
    ['localhost:11434', '{"ollama":{"baseUrl":"http://localhost:11434"}}'],
    ['https://me:secret@gate.example/v1', '{"compatible":{"baseUrl":"https://gate.example/v1"}}'],
    ['127.0.0.1:8080/v1', 'name the model compatible/MODEL'],
    ['http://', 'name the model compatible/MODEL'],
    ['gate:8080/v1', '"baseUrl":"http://gate:8080/v1"'],
    ['[::1]:1234', '"baseUrl":"http://[::1]:1234"'],
    ['qwen3:14b', 'A model is provider/model'],
    ['llama3.3:70b', 'Did you mean ollama/llama3.3:70b?'],
    ['anthropic/', 'A model is provider/model, or dev.'],
    ['', 'A model is provider/model, or dev.'],
  ])('says what was meant by %j', async (name, hint) => {
    await expect(registry({}).resolve(name)).rejects.toMatchObject({
      code: 'model-not-found',
      hint: expect.stringContaining(hint),
    })
  })

  it('takes key and address from environment and settings, the settings first', async () => {
    const environment = {
      ANTHROPIC_API_KEY: ' sk-env-key\n',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    }
    const settings = { providers: { anthropic: { baseUrl: `${server.url}/` } } }
    const { provider, model } = await registry(settings, environment).resolve('anthropic/m')
    server.replyWith(ANSWER)
    await allFrames(provider.stream({ ...REQUEST, model }))
    expect(server.asked.at(-1)).toMatchObject({
      path: '/v1/messages',
      headers: { authorization: 'Bearer sk-env-key' },
    })
  })

  it('refuses an address that is none', async () => {
    const settings = { providers: { anthropic: { baseUrl: 'file:///etc' } } }
    await expect(registry(settings).resolve('anthropic/m')).rejects.toMatchObject({
      code: 'invalid-settings',
      where: 'providers.anthropic.baseUrl',
    })
  })

  it('needs no key until something is asked, and then says which', async () => {
    const { provider } = await registry({}).resolve('anthropic/m')
    await expect(allFrames(provider.stream(REQUEST))).rejects.toMatchObject({
      code: 'auth-failed',
      hint: 'Set ANTHROPIC_API_KEY to a valid key.',
    })
  })

  it('makes a provider once, and tries again where that failed', async () => {
    let count = 0
    const made: Provider = {
      id: 'x',
      stream: () =>
        (async function* () {
          yield* []
        })(),
    }
    const entry: ProviderEntry = {
      ...ANTHROPIC,
      id: 'x',
      create: async () => {
        count += 1
        if (count === 1) throw new Error('not yet')
        return made
      },
    }
    const models = registry({}, {}, [entry])
    await expect(models.resolve('x/a')).rejects.toThrow('not yet')
    const [first, second] = await Promise.all([models.resolve('x/a'), models.resolve('x/b')])
    expect(first.provider.id).toBe('x')
    expect(second.provider).toBe(first.provider)
    expect(count).toBe(2)
  })
})

describe('the window', () => {
  const listing = (tokens: number) => ({
    body: JSON.stringify({ id: 'm', max_input_tokens: tokens }),
  })

  it('is what is listed, or set, and then nobody is asked', async () => {
    const catalogue = { 'anthropic/mine': { windowTokens: 50_000 } }
    const models = registry(
      { catalogue },
      { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
    )
    const windowOf = async (name: string) => (await models.resolve(name)).window
    expect(await windowOf('anthropic/mine')).toEqual({ tokens: 50_000, from: 'settings' })
    expect(await windowOf('anthropic/claude-haiku-4-5')).toEqual({
      tokens: 200_000,
      from: 'catalogue',
    })
    expect(server.asked).toHaveLength(0)
  })

  it('is asked of the server where nobody listed it, and kept', async () => {
    const models = registry({})
    server.replyWith(listing(64_000))
    const resolved = await models.resolve('dev/m')
    expect(resolved.window).toEqual({ tokens: 64_000, from: 'server' })
    expect(resolved.info).toMatchObject({ windowTokens: 64_000, windowFrom: 'server' })
    expect(resolved.profile).toMatchObject({ windowTokens: 64_000, preservedThinking: true })
    await models.resolve('dev/m')
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1/models/m'])
  })

  it('is asked for again after some minutes, and soon where it was not known', async () => {
    let nowMs = 0
    const clock = { now: () => new Date(nowMs), sleep: async () => undefined }
    const models = createRegistry({
      entries: [devEntry(async () => ({ url: server.url }))],
      settings: {},
      environment: {},
      clock,
    })
    const windowAfter = async (ms: number) => {
      nowMs += ms
      return (await models.resolve('dev/m')).window
    }
    server.replyWith({ status: 404, body: '{}' }, listing(64_000), listing(32_000))
    expect(await windowAfter(0)).toEqual({ tokens: 128_000, from: 'default' })
    expect((await windowAfter(29_000)).from).toBe('default')
    expect((await windowAfter(2_000)).tokens).toBe(64_000)
    expect((await windowAfter(299_000)).tokens).toBe(64_000)
    expect((await windowAfter(2_000)).tokens).toBe(32_000)
    expect(server.asked).toHaveLength(3)
  })

  it('is a default, and says so, where the server does not know or cannot be asked', async () => {
    const models = registry({})
    server.replyWith({ status: 404, body: '{}' })
    const resolved = await models.resolve('dev/m')
    expect(resolved.window).toEqual({ tokens: 128_000, from: 'default' })
    expect(resolved.profile).not.toHaveProperty('windowTokens')
    await server.close()
    expect((await models.resolve('dev/n')).window.from).toBe('default')
    server = await startFixtureServer()
    const keyless = registry({}, { ANTHROPIC_BASE_URL: server.url })
    expect((await keyless.resolve('anthropic/next')).window.from).toBe('default')
    expect(server.asked).toHaveLength(0)
  })

  it('is not waited for, longer than the signal lets it', async () => {
    const models = registry({})
    server.replyWith({ body: '', ending: 'silence' })
    const stop = new AbortController()
    const resolving = models.resolve('dev/m', stop.signal)
    await until('a question to the server', () => server.asked.length > 0)
    stop.abort()
    await expect(resolving).rejects.toMatchObject({ code: 'aborted' })
    await server.asked[0]?.left
  })
})

describe('a window that a refusal shows', () => {
  const NOT_NAMED = 'Input is too long for requested model.'
  const refusal = (message: string) => ({
    status: 400,
    body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
  })
  const long = {
    ...REQUEST,
    model: 'claude-haiku-4-5',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'One word. '.repeat(2_000) }] }],
  } as const

  const image = { type: 'image', media: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } } as const
  const behind = (part: MessagePart): ModelRequest => ({
    ...long,
    messages: [...long.messages, { role: 'user', parts: [part] }],
  })
  const result = { type: 'tool_result', id: 'c1', status: 'completed', content: [image] } as const

  async function refused(message: string, request: ModelRequest = long) {
    let nowMs = 0
    const clock = { now: () => new Date(nowMs), sleep: async () => undefined }
    const environment = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url }
    const models = createRegistry({ entries: [ANTHROPIC], settings: {}, environment, clock })
    const resolved = () => models.resolve('anthropic/claude-haiku-4-5')
    const { provider } = await resolved()
    server.replyWith(refusal(message))
    await expect(allFrames(provider.stream(request))).rejects.toMatchObject({ code: 'overflow' })
    const windowAfter = async (ms: number) => {
      nowMs += ms
      return (await resolved()).window
    }
    return { provider, windowAfter }
  }

  it.each([
    ['named', 'prompt is too long: 150000 tokens > 100000 maximum', 100_000],
    ['not named', NOT_NAMED, 6_200],
  ])('counts for a day, %s', async (_, message, most) => {
    const { windowAfter } = await refused(message)
    const { tokens, from } = await windowAfter(23 * 3_600_000)
    expect(from).toBe('server')
    expect(tokens).toBeGreaterThan(most * 0.9)
    expect(tokens).toBeLessThanOrEqual(most)
    expect(await windowAfter(2 * 3_600_000)).toEqual({ tokens: 200_000, from: 'catalogue' })
  })

  it.each([
    ['no smaller than listed', 'prompt is too long: 250000 tokens > 200000 maximum', long],
    ['too small to be one', NOT_NAMED, { ...long, messages: REQUEST.messages }],
    ['the text beside an image', NOT_NAMED, behind(image)],
    ['the text beside a result with an image', NOT_NAMED, behind(result)],
  ])('counts for nothing where it is %s', async (_, message, request) => {
    const { windowAfter } = await refused(message, request)
    expect(await windowAfter(0)).toEqual({ tokens: 200_000, from: 'catalogue' })
  })

  it('counts no longer once a longer prompt is answered', async () => {
    const { provider, windowAfter } = await refused('prompt is too long: 9 tokens > 1000 maximum')
    expect((await windowAfter(0)).tokens).toBe(1_000)
    server.replyWith(
      eventStream([
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { input_tokens: 1_001, output_tokens: 2 },
        },
        { type: 'message_stop' },
      ]),
    )
    await allFrames(provider.stream(long))
    expect((await windowAfter(0)).tokens).toBe(200_000)
  })
})

describe('the windows of local servers', () => {
  let dev: DevModel
  beforeEach(async () => {
    dev = await startDevModel({ windowTokens: 20_000, models: ['m'] })
  })
  afterEach(() => dev.close())

  it.each([
    ['lmstudio', '/v1', 20_000, 32_768],
    ['compatible', '/v1', 20_000, 32_768],
    ['openrouter', '/v1', 20_000, 128_000],
    ['ollama', '', 20_000, 32_768],
  ])('are asked of %s', async (id, path, told, assumed) => {
    const settings = { providers: { [id]: { baseUrl: dev.url + path } } }
    const keys = { OPENAI_COMPATIBLE_API_KEY: 'any', OPENROUTER_API_KEY: 'any' }
    const models = registry(settings, keys, [...OPENAI_CHAT_ENTRIES, OLLAMA_ENTRY])
    expect((await models.resolve(`${id}/m`)).window).toEqual({ tokens: told, from: 'server' })
    expect((await models.resolve(`${id}/unheard-of`)).window).toEqual({
      tokens: assumed,
      from: 'default',
    })
  })
})

describe('modelPort', () => {
  it('answers in text, with its usage, from the model of a role', async () => {
    server.replyWith(ANSWER)
    const port = modelPort(registry({ models: { default: 'dev' } }))
    const answer = await port.ask({
      system: 'Sum up.',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Long story' }] }],
      model: 'fast',
    })
    expect(answer).toEqual({
      text: 'Hi',
      stopReason: 'end',
      usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5, model: 'dev/dev' },
    })
  })

  it('puts calls and results into words, and thinking into none', async () => {
    server.replyWith(ANSWER)
    await modelPort(registry({ models: { default: 'dev' } })).ask({
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Read it' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', thinking: 'private', signature: 's', model: 'dev/dev' },
            { type: 'tool_call', id: 'c', name: 'read', arguments: { path: 'a' } },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              type: 'tool_result',
              id: 'c',
              status: 'failed',
              content: [
                { type: 'text', text: 'gone' },
                { type: 'image', uri: 'u' },
              ],
            },
            { type: 'text', text: 'Sum up' },
          ],
        },
      ],
    })
    const text = JSON.stringify(server.asked.at(-1)?.body)
    expect(text).toContain('[call of read: {')
    expect(text).toContain('[result of c, which failed]')
    expect(text).toContain('[image image/png, u]')
    expect(text).not.toContain('private')
    expect(text).not.toContain('tool_')
  })
})
