// Chat Completions over HTTP and through the real SDK: what servers stream, and what they are sent.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ModelFrame, ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import {
  type FixtureServer,
  pausesKept,
  type Reply,
  startFixtureServer,
} from '../contract/fixture-server.ts'
import { REQUEST } from '../contract.ts'
import { type OpenAiChatOptions, openaiChatProvider } from './chat.ts'

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

function provider(options: Partial<OpenAiChatOptions> = {}) {
  const { clock } = pausesKept()
  return openaiChatProvider({
    id: 'lmstudio',
    baseUrl: `${server.url}/v1`,
    clock,
    random: () => 0,
    ...options,
  })
}

async function buildFrames(
  deltas: readonly Json[],
  finish: string | null,
  request: Partial<ModelRequest> = {},
  options: Partial<OpenAiChatOptions> = {},
): Promise<ModelFrame[]> {
  server.replyWith(
    stream(...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })), {
      choices: [{ index: 0, delta: {}, finish_reason: finish }],
    }),
  )
  return all(provider(options).stream({ ...REQUEST, ...request }))
}

async function all(frames: AsyncIterable<ModelFrame>): Promise<ModelFrame[]> {
  const kept: ModelFrame[] = []
  for await (const frame of frames) kept.push(frame)
  return kept
}

function stream(...events: readonly Json[]): Reply {
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]']
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: lines.map((line) => `data: ${line}\n\n`).join(''),
  }
}

const isWhole = ({ type }: ModelFrame) => !type.endsWith('-delta')
const piece = (index: number, text: string, id?: string, name?: string): Json => ({
  tool_calls: [
    {
      index,
      ...(id && { id, type: 'function' }),
      function: { ...(name && { name }), arguments: text },
    },
  ],
})
const call = (id: string, name: string, given: Json): ModelFrame => ({
  type: 'call',
  id,
  name,
  arguments: given,
})
const text = (value: string): ModelFrame => ({ type: 'part', part: { type: 'text', text: value } })
const thought = (thinking: string): ModelFrame => ({
  type: 'part',
  part: { type: 'thinking', thinking, model: 'lmstudio/m-1' },
})
const end = (stopReason: string, rawStopReason: string) =>
  ({ type: 'end', stopReason, rawStopReason }) as ModelFrame

describe('frames', () => {
  it.each<[string, Json[], string, ModelFrame[]]>([
    [
      'parallel calls whose arguments come in pieces, mixed',
      [
        { role: 'assistant', content: 'Both.' },
        piece(0, '', 'c1', 'read'),
        piece(1, '{"a"', 'c2', 'bash'),
        piece(0, '{"path":'),
        piece(1, ':1}'),
        piece(0, '"x"}'),
      ],
      'tool_calls',
      [
        text('Both.'),
        call('c1', 'read', { path: 'x' }),
        call('c2', 'bash', { a: 1 }),
        end('tool_use', 'tool_calls'),
      ],
    ],
    [
      'calls that are all numbered 0, and a stop that was none',
      [piece(0, '{}', 'c1', 'read'), piece(0, '{"b":2}', 'c2', 'read')],
      'stop',
      [call('c1', 'read', {}), call('c2', 'read', { b: 2 }), end('tool_use', 'stop')],
    ],
    [
      'calls without ids or numbers',
      [
        { tool_calls: [{ function: { name: 'read', arguments: '' } }] },
        { tool_calls: [{ function: { name: 'bash', arguments: '{"c":' } }] },
        { tool_calls: [{ function: { arguments: '3}' } }] },
      ],
      'tool_calls',
      [call('call_1', 'read', {}), call('call_2', 'bash', { c: 3 }), end('tool_use', 'tool_calls')],
    ],
    [
      'arguments that were cut off, as broken',
      [piece(0, '{"path": "/a', 'c1', 'read')],
      'length',
      [
        { type: 'broken-call', id: 'c1', name: 'read', text: '{"path": "/a' },
        end('length', 'length'),
      ],
    ],
    [
      'reasoning under the name of DeepSeek',
      [{ reasoning_content: 'h' }, { reasoning_content: 'm' }, { content: 'Hi' }],
      'stop',
      [thought('hm'), text('Hi'), end('end', 'stop')],
    ],
    [
      'reasoning under another name, before and behind a text',
      [{ reasoning: 'a' }, { content: 'b' }, { reasoning: 'c' }, piece(0, '{}', 'c1', 'read')],
      'tool_calls',
      [
        thought('a'),
        text('b'),
        thought('c'),
        call('c1', 'read', {}),
        end('tool_use', 'tool_calls'),
      ],
    ],
    [
      'reasoning between tags in the text',
      [{ content: '\n<thi' }, { content: 'nk>\nhm</thi' }, { content: 'nk>\n\nHi <think>' }],
      'stop',
      [thought('hm'), text('Hi <think>'), end('end', 'stop')],
    ],
    [
      'content in parts',
      [
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
        { content: [{ type: 'text', text: 'Hi' }] },
      ],
      'stop',
      [thought('hm'), text('Hi'), end('end', 'stop')],
    ],
    ['a refusal', [{ refusal: 'No.' }], 'stop', [text('No.'), end('refusal', 'stop')]],
    [
      'what a filter ended',
      [{ content: 'H' }],
      'content_filter',
      [text('H'), end('refusal', 'content_filter')],
    ],
    [
      'an end that nobody knows',
      [{ content: 'H' }],
      'strange',
      [text('H'), end('error', 'strange')],
    ],
    [
      'calls that were announced and never made',
      [{ content: 'H' }],
      'tool_calls',
      [text('H'), end('end', 'tool_calls')],
    ],
  ])('%s', async (_title, deltas, finish, expected) => {
    expect((await buildFrames(deltas, finish)).filter(isWhole)).toEqual(expected)
  })

  it('shows text and thinking while they come', async () => {
    const frames = await buildFrames(
      [{ reasoning: 'h' }, { content: 'a' }, { content: 'b' }],
      'stop',
    )
    expect(frames.filter((frame) => !isWhole(frame))).toEqual([
      { type: 'thinking-delta', text: 'h' },
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: 'b' },
    ])
  })

  it('leaves tags in the text of servers that know better', async () => {
    const frames = await buildFrames(
      [{ content: '<think>a</think>b' }],
      'stop',
      {},
      {
        profileOf: () => ({ strict: false }),
      },
    )
    expect(frames).toContainEqual(text('<think>a</think>b'))
  })

  it('reads cached tokens as a part of the prompt', async () => {
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 10,
      total_tokens: 1_010,
      prompt_tokens_details: { cached_tokens: 900 },
    }
    server.replyWith(
      stream(
        { choices: [{ delta: { content: 'H' }, finish_reason: 'stop' }] },
        { choices: [], usage },
      ),
    )
    expect((await all(provider().stream(REQUEST))).at(-1)).toEqual({
      type: 'end',
      stopReason: 'end',
      rawStopReason: 'stop',
      usage: {
        promptTokens: 1_000,
        completionTokens: 10,
        totalTokens: 1_010,
        cacheReadTokens: 900,
      },
      rawUsage: usage,
    })
  })

  it('takes an error in the middle of the stream for one', async () => {
    const error = { message: 'Context size has been exceeded.', code: 400 }
    server.replyWith(stream({ choices: [{ delta: { content: 'H' } }] }, { error }))
    await expect(all(provider().stream(REQUEST))).rejects.toMatchObject({ code: 'overflow' })
  })
})

describe('requests', () => {
  it('carry no key where there is none, and nothing of the environment', async () => {
    await buildFrames([{ content: 'H' }], 'stop')
    const [asked] = server.asked
    expect(asked?.path).toBe('/v1/chat/completions')
    expect(asked?.headers).not.toHaveProperty('authorization')
    expect(asked?.headers).not.toHaveProperty('openai-organization')
    expect(asked?.body).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      max_tokens: 1_000,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('say first how the messages had to be changed, and find tools by their own names', async () => {
    const frames = await buildFrames([piece(0, '{}', 'c1', 'mcp_read')], 'tool_calls', {
      tools: [{ name: 'mcp.read', description: 'd', inputSchema: { type: 'object' } }],
    })
    expect(frames).toEqual([
      {
        type: 'repairs',
        problems: ['tools[0].name: the tool name "mcp.read" became mcp_read'],
      },
      call('c1', 'mcp.read', {}),
      end('tool_use', 'tool_calls'),
    ])
  })
})

describe('windowOf', () => {
  const missing: Reply = { status: 404, body: '{"error":"not here"}' }
  const json = (value: Json): Reply => ({ body: JSON.stringify(value) })
  const listed = (fields: { readonly [name: string]: Json }) =>
    json({
      data: [
        { id: 'other', max_model_len: 1 },
        { id: 'm-1', ...fields },
      ],
    })

  it.each<[string, Reply[], number | undefined, string[]]>([
    ['vLLM', [listed({ max_model_len: 32_768 })], 32_768, ['/v1/models']],
    ['OpenRouter', [listed({ context_length: 200_000 })], 200_000, ['/v1/models']],
    [
      'LM Studio, loaded',
      [
        listed({}),
        listed({ state: 'loaded', max_context_length: 9e4, loaded_context_length: 8_192 }),
      ],
      8_192,
      ['/v1/models', '/api/v0/models'],
    ],
    [
      'LM Studio, not loaded',
      [listed({}), listed({ state: 'not-loaded', max_context_length: 131_072 }), missing],
      undefined,
      ['/v1/models', '/api/v0/models', '/api/v1/models', '/props'],
    ],
    [
      'LM Studio without its older API',
      [
        listed({}),
        json({ error: 'Unexpected endpoint' }),
        json({
          models: [
            { key: 'other', loaded_instances: [{ id: 'm-1', config: { context_length: 12_288 } }] },
            { key: 'm-1', loaded_instances: [{ id: 'x', config: { context_length: 4_096 } }] },
          ],
        }),
      ],
      12_288,
      ['/v1/models', '/api/v0/models', '/api/v1/models'],
    ],
    [
      'llama.cpp',
      [missing, missing, missing, json({ default_generation_settings: { n_ctx: 4_096 } })],
      4_096,
      ['/v1/models', '/api/v0/models', '/api/v1/models', '/props'],
    ],
  ])('%s', async (_name, replies, expected, paths) => {
    server.replyWith(...replies)
    expect(await provider().windowOf?.('m-1')).toBe(expected)
    expect(server.asked.map(({ path }) => path)).toEqual(paths)
  })

  it('says so where there is no server, and is not there for OpenAI itself', async () => {
    await server.close()
    await expect(provider().windowOf?.('m-1')).rejects.toMatchObject({ code: 'unreachable' })
    server = await startFixtureServer()
    expect(provider({ baseUrl: 'https://api.openai.com/v1' })).not.toHaveProperty('windowOf')
  })
})
