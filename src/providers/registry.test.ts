// Names of models become providers, windows and rules; what cannot be resolved says what to do.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Provider } from '../core/model.ts'
import { ANTHROPIC, devEntry } from './anthropic/entry.ts'
import { modelPort } from './ask.ts'
import {
  eventStream,
  type FixtureServer,
  pausesKept,
  startFixtureServer,
} from './contract/fixture-server.ts'
import { allFrames, REQUEST } from './contract.ts'
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
      windowTokens: 1_000_000,
      known: true,
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
    expect(unknown).toMatchObject({ known: false, windowTokens: 128_000 })
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
    expect(server.asked[0]).toMatchObject({
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
    expect(first.provider).toBe(made)
    expect(second.provider).toBe(made)
    expect(count).toBe(2)
  })
})

describe('withAskedWindow', () => {
  it('asks the server for the window of a model that is not listed', async () => {
    const models = registry({})
    server.replyWith({ body: JSON.stringify({ id: 'm', max_input_tokens: 64_000 }) })
    const asked = await models.withAskedWindow(await models.resolve('dev/m'))
    expect(asked).toMatchObject({ windowTokens: 64_000, known: true })
    expect(asked.profile.windowTokens).toBe(64_000)
  })

  it('keeps the default where the server does not know or cannot be asked', async () => {
    const models = registry({})
    const resolved = await models.resolve('dev/m')
    server.replyWith({ status: 404, body: '{}' })
    expect(await models.withAskedWindow(resolved)).toBe(resolved)
    const signal = AbortSignal.abort()
    await expect(models.withAskedWindow(resolved, signal)).rejects.toMatchObject({
      code: 'aborted',
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
      usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
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
    const text = JSON.stringify(server.asked[0]?.body)
    expect(text).toContain('[called read {')
    expect(text).toContain('[result, failed]')
    expect(text).toContain('[image u]')
    expect(text).not.toContain('private')
    expect(text).not.toContain('tool_')
  })
})
