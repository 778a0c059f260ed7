// Ollama over HTTP and through the real SDK: windows, calls, thinking, and prompts cut in silence.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ModelFrame, ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import {
  type FixtureServer,
  pausesKept,
  type Reply,
  startFixtureServer,
} from '../contract/fixture-server.ts'
import { REQUEST } from '../contract.ts'
import { type OllamaOptions, ollamaProvider } from './provider.ts'

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

function provider(options: Partial<OllamaOptions> = {}) {
  const { clock } = pausesKept()
  return ollamaProvider({ baseUrl: server.url, clock, random: () => 0, ...options })
}

async function all(
  request: Partial<ModelRequest> = {},
  options: Partial<OllamaOptions> = {},
): Promise<ModelFrame[]> {
  const kept: ModelFrame[] = []
  for await (const frame of provider(options).stream({ ...REQUEST, ...request })) kept.push(frame)
  return kept
}

function lines(...values: readonly Json[]): Reply {
  return {
    headers: { 'content-type': 'application/x-ndjson' },
    body: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
  }
}

const message = (fields: { readonly [name: string]: Json }): Json => ({
  message: { role: 'assistant', content: '', ...fields },
  done: false,
})
const ended = (reason = 'stop', figures: { readonly [name: string]: Json } = {}): Json => ({
  message: { role: 'assistant', content: '' },
  done: true,
  done_reason: reason,
  ...figures,
})
const shown = (fields: { readonly [name: string]: Json } = {}): Reply => ({
  body: JSON.stringify({
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
    capabilities: ['completion', 'tools'],
    ...fields,
  }),
})
const HI = lines(message({ content: 'Hi' }), ended())
const isWhole = ({ type }: ModelFrame) => !type.endsWith('-delta')
const text = (value: string): ModelFrame => ({ type: 'part', part: { type: 'text', text: value } })
const thought = (thinking: string): ModelFrame => ({
  type: 'part',
  part: { type: 'thinking', thinking, model: 'ollama/m-1' },
})

describe('frames', () => {
  const set = { windowTokens: 8_192 }

  it('are thinking, text and parallel calls, with or without ids', async () => {
    server.replyWith(
      lines(
        message({ thinking: 'h' }),
        message({ thinking: 'm' }),
        message({ content: 'Both.' }),
        message({
          tool_calls: [
            { function: { name: 'read', arguments: { path: 'a' } } },
            { id: 'call_x', function: { name: 'a_b', arguments: {} } },
          ],
        }),
        ended('stop', { prompt_eval_count: 20, eval_count: 5 }),
      ),
    )
    const tools = [{ name: 'a.b', description: 'd', inputSchema: { type: 'object' } }]
    expect((await all({ tools }, set)).filter(isWhole)).toEqual([
      { type: 'repairs', problems: [expect.stringContaining('a_b')] },
      thought('hm'),
      text('Both.'),
      { type: 'call', id: 'call_1', name: 'read', arguments: { path: 'a' } },
      { type: 'call', id: 'call_x', name: 'a.b', arguments: {} },
      {
        type: 'end',
        stopReason: 'tool_use',
        rawStopReason: 'stop',
        usage: { promptTokens: 20, completionTokens: 5, totalTokens: 25 },
        rawUsage: { prompt_eval_count: 20, eval_count: 5 },
      },
    ])
  })

  it.each([
    ['length', 'length'],
    ['unload', 'error'],
  ])('end by %s with %s', async (raw, stopReason) => {
    server.replyWith(lines(message({ content: '<think>a</think>b' }), ended(raw)))
    expect((await all({}, set)).filter(isWhole)).toEqual([
      thought('a'),
      text('b'),
      { type: 'end', stopReason, rawStopReason: raw },
    ])
  })

  it.each<[string, Reply]>([
    [
      'before the answer',
      { status: 400, body: '{"error":"the input length exceeds the context length"}' },
    ],
    [
      'within it',
      lines(message({ content: 'H' }), { error: 'the input length exceeds the context length' }),
    ],
  ])('are not to be had where the prompt does not fit: said %s', async (_when, reply) => {
    server.replyWith(reply)
    await expect(all({}, set)).rejects.toMatchObject({ code: 'overflow', retryable: false })
  })

  it('leave the console alone, whatever the server answers', async () => {
    const spies = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
    server.replyWith({ status: 500, headers: { 'content-type': 'text/plain' }, body: 'oh no' })
    await expect(all({}, set)).rejects.toMatchObject({ message: expect.stringContaining('oh no') })
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled()
      spy.mockRestore()
    }
  })
})

describe('the window', () => {
  it.each<[string, Reply, number | undefined, number | undefined]>([
    ['a careful default', shown(), undefined, 32_768],
    [
      'as the Modelfile says',
      shown({ parameters: 'stop "a"\nnum_ctx   8192\n' }),
      undefined,
      8_192,
    ],
    ['as wished', shown(), 16_384, 16_384],
    ['never more than the model can', shown(), 1_000_000, 40_960],
    ['unknown', { body: '{}' }, undefined, undefined],
  ])('%s', async (_title, reply, windowTokens, expected) => {
    server.replyWith(reply)
    const asked = provider(windowTokens === undefined ? {} : { windowTokens })
    expect(await asked.windowOf?.('m-1')).toBe(expected)
    expect(server.asked).toMatchObject([{ path: '/api/show', body: { model: 'm-1' } }])
  })

  it('is asked for once, and set in every request', async () => {
    server.replyWith(shown(), HI)
    const asked = provider()
    for (let count = 0; count < 2; count += 1)
      for await (const _ of asked.stream(REQUEST)) {
        // only what was sent counts here
      }
    expect(server.asked.map(({ path }) => path)).toEqual(['/api/show', '/api/chat', '/api/chat'])
    expect(server.asked[2]?.body).toMatchObject({
      options: { num_ctx: 32_768, num_predict: 1_000 },
      truncate: false,
    })
  })

  it('is the one that is listed for the model, where one is', async () => {
    server.replyWith(HI)
    const windowTokens = (model: string) => (model === 'm-1' ? 12_345 : undefined)
    await all({}, { windowTokens })
    expect(server.asked).toMatchObject([
      { path: '/api/chat', body: { options: { num_ctx: 12_345 } } },
    ])
  })

  it('is set where nobody knows it: the server would take a small one and cut the rest', async () => {
    server.replyWith({ body: '{}' }, HI)
    await all()
    expect(server.asked[1]?.body).toMatchObject({ options: { num_ctx: 32_768 } })
  })

  it('is asked for again after some minutes, and is forgotten for models long out of use', async () => {
    let nowMs = 0
    const clock = { now: () => new Date(nowMs), sleep: async () => undefined }
    const asked = provider({ clock })
    server.replyWith(shown({ parameters: 'num_ctx 8192' }), shown({ parameters: 'num_ctx 16384' }))
    expect(await asked.windowOf?.('m-1')).toBe(8_192)
    expect(await asked.windowOf?.('m-1')).toBe(8_192)
    nowMs = 6 * 60_000
    expect(await asked.windowOf?.('m-1')).toBe(16_384)
    for (let count = 0; count < 100; count += 1) await asked.windowOf?.(`other-${count}`)
    expect(server.asked).toHaveLength(102)
    await asked.windowOf?.('m-1')
    expect(server.asked).toHaveLength(103)
  })

  it('says which model is missing', async () => {
    server.replyWith({ status: 404, body: '{"error":"model \'m-1\' not found"}' })
    await expect(all()).rejects.toMatchObject({
      code: 'model-not-found',
      hint: expect.stringContaining('ollama pull'),
    })
  })
})

describe('what a model can do', () => {
  const image = { type: 'image', media: { mimeType: 'image/png', data: 'AAAA' } } as const
  const demanding: Partial<ModelRequest> = {
    thinking: { effort: 'high' },
    messages: [{ role: 'user', parts: [image] }],
  }

  it.each<[string, Reply, Json]>([
    ['nothing of this', shown(), { content: '[image image/png not shown]' }],
    ['see', shown({ capabilities: ['vision'] }), { content: '', images: ['AAAA'] }],
    ['unknown', shown({ capabilities: null }), { think: true, content: '', images: ['AAAA'] }],
    [
      'think',
      shown({ capabilities: ['thinking'] }),
      { think: true, content: '[image image/png not shown]' },
    ],
    [
      'think at three strengths',
      shown({ capabilities: ['thinking', 'vision'], details: { family: 'gptoss' } }),
      { think: 'high', content: '', images: ['AAAA'] },
    ],
  ])('%s', async (_title, reply, expected) => {
    server.replyWith(reply, HI)
    await all(demanding)
    const sent = server.asked.at(-1)?.body ?? {}
    const { think, messages = [] } = sent as {
      think?: Json
      messages?: { content: string; images?: string[] }[]
    }
    const { content, images } = messages.at(-1) ?? {}
    expect({ ...(think && { think }), content, ...(images && { images }) }).toEqual(expected)
  })
})
