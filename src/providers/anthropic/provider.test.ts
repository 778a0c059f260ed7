// What is particular to Anthropic: blocks, signatures, figures, marks, headers; over HTTP, through the SDK.
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectAnswer, type ModelFrame, type ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message } from '../../core/view/message.ts'
import {
  eventStream,
  type FixtureServer,
  pausesKept,
  startFixtureServer,
} from '../contract/fixture-server.ts'
import { allFrames, REQUEST } from '../contract.ts'
import { type AnthropicOptions, anthropicProvider } from './provider.ts'

type Fields = { readonly [name: string]: Json }

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

function provider(options: Partial<AnthropicOptions> = {}) {
  const { clock } = pausesKept()
  return anthropicProvider({ apiKey: 'sk-test-key', baseUrl: server.url, clock, ...options })
}

async function buildFrames(events: readonly Fields[], request = REQUEST): Promise<ModelFrame[]> {
  server.replyWith(eventStream(events))
  return allFrames(provider().stream(request))
}

/** A block in the pieces in which it comes. */
function block(index: number, start: Fields, ...deltas: readonly Fields[]): Fields[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function ended(reason: string, usage: Fields = {}): Fields[] {
  return [
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

const START: Fields = { type: 'message_start', message: { id: 'msg_1', role: 'assistant' } }
const json = (partial_json: string): Fields => ({ type: 'input_json_delta', partial_json })

describe('the stream', () => {
  it('gives thinking, redacted thinking, text and calls whole and in order', async () => {
    const frames = await buildFrames([
      START,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Let me ' },
        { type: 'thinking_delta', thinking: 'see.' },
        { type: 'signature_delta', signature: 'EqoBCkgIARABGAIiQL==' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3p' }),
      ...block(
        2,
        { type: 'text', text: '', citations: null },
        { type: 'text_delta', text: 'Now.' },
      ),
      ...block(
        3,
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
        json('{"path": "a'),
        json('.ts", "n": 3}'),
      ),
      ...block(4, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
      ...ended('tool_use'),
    ])
    const model = 'anthropic/m-1'
    expect(frames.filter(({ type }) => type === 'part' || type === 'call')).toEqual([
      {
        type: 'part',
        part: {
          type: 'thinking',
          thinking: 'Let me see.',
          signature: 'EqoBCkgIARABGAIiQL==',
          model,
        },
      },
      { type: 'part', part: { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3p', model } },
      { type: 'part', part: { type: 'text', text: 'Now.' } },
      { type: 'call', id: 'toolu_1', name: 'read', arguments: { path: 'a.ts', n: 3 } },
      { type: 'call', id: 'toolu_2', name: 'list', arguments: {} },
    ])
    expect(frames.filter(({ type }) => type === 'thinking-delta')).toHaveLength(2)
  })

  it('keeps thinking whose text is empty: the signature alone counts', async () => {
    const frames = await buildFrames([
      START,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'signature_delta', signature: 'sig' },
      ),
      ...ended('end_turn'),
    ])
    expect(frames[0]).toEqual({
      type: 'part',
      part: { type: 'thinking', thinking: '', signature: 'sig', model: 'anthropic/m-1' },
    })
  })

  it('gives server tools, compactions and kinds to come as they are, with what came in pieces', async () => {
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [{ encrypted_content: 'x' }],
    }
    const frames = await buildFrames([
      START,
      ...block(
        0,
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
        json('{"query": "q"}'),
      ),
      ...block(1, found),
      ...block(
        2,
        { type: 'compaction', content: null },
        { type: 'compaction_delta', content: 'So far', encrypted_content: null },
      ),
      ...block(3, { type: 'later_kind', list: [1] }, { type: 'later_delta', list: [2], mark: 'm' }),
      ...ended('end_turn'),
    ])
    const values = frames.flatMap((frame) =>
      frame.type === 'part' && frame.part.type === 'native' ? [frame.part.value] : [],
    )
    expect(values).toEqual([
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
      found,
      { type: 'compaction', content: 'So far' },
      { type: 'later_kind', list: [1, 2], mark: 'm' },
    ])
  })

  it('keeps citations beside their text', async () => {
    const citation = { type: 'char_location', cited_text: 'c', document_index: 0 }
    const frames = await buildFrames([
      START,
      ...block(
        0,
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'T' },
        { type: 'citations_delta', citation },
      ),
      ...ended('end_turn'),
    ])
    expect(frames).toContainEqual({
      type: 'part',
      part: {
        type: 'text',
        text: 'T',
        extra: { provider: 'anthropic', fields: { citations: [citation] } },
      },
    })
  })

  it('marks a call that was cut off as broken', async () => {
    const frames = await buildFrames([
      START,
      ...block(
        0,
        { type: 'tool_use', id: 't1', name: 'write', input: {} },
        json('{"path": "a", "text": "unfin'),
      ),
      ...ended('max_tokens'),
    ])
    expect(frames.map(({ type }) => type)).toEqual(['broken-call', 'end'])
  })

  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['compaction', 'end'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'length'],
    ['refusal', 'refusal'],
    ['a_reason_to_come', 'error'],
  ])('reads the stop reason %s as %s, and keeps the word', async (raw, stopReason) => {
    const frames = await buildFrames([START, ...ended(raw)])
    expect(frames.at(-1)).toMatchObject({ stopReason, rawStopReason: raw })
  })

  it('counts cache reads and writes into the prompt, and leaves out what was not reported', async () => {
    const start = {
      ...START,
      message: {
        usage: {
          input_tokens: 10,
          output_tokens: 1,
          cache_read_input_tokens: 900,
          cache_creation_input_tokens: 90,
        },
      },
    }
    const [cached] = (
      await buildFrames([start, ...ended('end_turn', { output_tokens: 40, input_tokens: null })])
    ).slice(-1)
    expect(cached).toMatchObject({
      usage: {
        promptTokens: 1_000,
        completionTokens: 40,
        totalTokens: 1_040,
        cacheReadTokens: 900,
        cacheWriteTokens: 90,
      },
    })
    const plain = { ...START, message: { usage: { input_tokens: 10, output_tokens: 1 } } }
    const [uncached] = (
      await buildFrames([plain, ...ended('end_turn', { output_tokens: 4 })])
    ).slice(-1)
    expect(uncached).toMatchObject({
      usage: { promptTokens: 10, completionTokens: 4, totalTokens: 14 },
    })
    expect(uncached?.type === 'end' && uncached.usage).not.toHaveProperty('cacheReadTokens')
  })

  it('takes an error in the middle for what it is, and does not ask again', async () => {
    const { body, headers } = eventStream([
      START,
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'H' }),
    ])
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    server.replyWith({ headers: headers ?? {}, body: body + eventStream([error]).body })
    await expect(allFrames(provider().stream(REQUEST))).rejects.toMatchObject({
      code: 'overloaded',
    })
    expect(server.asked).toHaveLength(1)
  })

  it('asks again when the error comes before anything was said', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    server.replyWith(eventStream([START, error]), eventStream([START, ...ended('end_turn')]))
    await allFrames(provider().stream(REQUEST))
    expect(server.asked).toHaveLength(2)
  })

  it('takes pings for signs of life, also when they take longer than silence may', async () => {
    const pings = Array.from({ length: 8 }, () => ({ type: 'ping' }))
    const events = [START, ...pings, ...block(0, { type: 'text', text: 'H' }), ...ended('end_turn')]
    server.replyWith({ ...eventStream(events), pauseMs: 100 })
    const frames = await allFrames(provider({ timeouts: { idleMs: 600 } }).stream(REQUEST))
    expect(frames.map(({ type }) => type)).toEqual(['part', 'end'])
    expect(server.asked).toHaveLength(1)
  })
})

describe('the request', () => {
  const TOOL = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }
  const round = (thinking: Message['parts']): Message[] => [
    { role: 'user', parts: [{ type: 'text', text: 'Look' }] },
    {
      role: 'assistant',
      parts: [...thinking, { type: 'tool_call', id: 't1', name: 'read', arguments: { path: 'a' } }],
    },
    {
      role: 'user',
      parts: [
        {
          type: 'tool_result',
          id: 't1',
          content: [{ type: 'text', text: 'A' }],
          status: 'completed',
        },
      ],
    },
  ]
  const asking = async (
    request: Partial<ModelRequest>,
    options: Partial<AnthropicOptions> = {},
  ) => {
    server.replyWith(
      eventStream([START, ...block(0, { type: 'text', text: 'ok' }), ...ended('end_turn')]),
    )
    const frames = await allFrames(provider(options).stream({ ...REQUEST, ...request }))
    const asked = server.asked.at(-1)
    return { frames, headers: asked?.headers ?? {}, body: asked?.body as unknown as RequestBody }
  }
  interface RequestBody {
    readonly messages: readonly { readonly role: string; readonly content: readonly Fields[] }[]
    readonly [name: string]: unknown
  }

  it('sends what was asked, with the key in its header and nowhere else', async () => {
    const { body, headers } = await asking({ tools: [TOOL], toolChoice: 'none' })
    expect(body).toEqual({
      model: 'm-1',
      max_tokens: 1_000,
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    })
    expect(headers.authorization).toBe('Bearer sk-test-key')
    expect(JSON.stringify({ ...headers, authorization: '' })).not.toContain('sk-test-key')
    expect(headers).not.toHaveProperty('anthropic-beta')
  })

  it('sends thinking back unchanged, in its place before the call [VALID-A12]', async () => {
    const thinking: Message['parts'] = [
      { type: 'thinking', thinking: ' Hm.\n', signature: 'EqoB+/==', model: 'anthropic/m-1' },
      { type: 'redacted_thinking', data: 'Emw+/=', model: 'anthropic/m-1' },
      { type: 'thinking', thinking: '', signature: 'only', model: 'anthropic/m-1' },
    ]
    const { body } = await asking({ messages: round(thinking), tools: [TOOL] })
    expect(body.messages[1]?.content).toEqual([
      { type: 'thinking', thinking: ' Hm.\n', signature: 'EqoB+/==' },
      { type: 'redacted_thinking', data: 'Emw+/=' },
      { type: 'thinking', thinking: '', signature: 'only' },
      { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
    ])
  })

  it('sends back what came, byte for byte: an answer read and sent again is the same [VALID-A12]', async () => {
    const signature = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 37) % 256)).toString(
      'base64',
    )
    const tool = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }
    const frames = await buildFrames([
      START,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Ä „x“ 🙂\n' },
        { type: 'signature_delta', signature },
      ),
      ...block(1, tool, json('{"path": "a"}')),
      ...ended('tool_use'),
    ])
    const parts = frames.flatMap((frame): Message['parts'][number][] => {
      if (frame.type === 'call')
        return [{ type: 'tool_call', id: frame.id, name: frame.name, arguments: frame.arguments }]
      return frame.type === 'part' ? [frame.part] : []
    })
    const [user, , result] = round([])
    const results: Message = {
      role: 'user',
      parts: (result?.parts ?? []).map(
        (part) => ({ ...part, id: 'toolu_1' }) as Message['parts'][number],
      ),
    }
    const { body } = await asking({
      messages: [user as Message, { role: 'assistant', parts }, results],
      tools: [TOOL],
    })
    expect(body.messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Ä „x“ 🙂\n', signature },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
    ])
  })

  it('never sends thinking of another provider’s model, and says so', async () => {
    const foreign: Message['parts'] = [
      { type: 'thinking', thinking: 'Secret plan', signature: 's', model: 'openai/gpt-x' },
      { type: 'redacted_thinking', data: 'd', model: 'dev/dev' },
      { type: 'native', provider: 'openai', value: { type: 'reasoning', id: 'rs_1' } },
    ]
    const { body, frames } = await asking({ messages: round(foreign), tools: [TOOL] })
    expect(body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
    ])
    expect(frames[0]).toMatchObject({ type: 'repairs' })
    expect(JSON.stringify(frames[0])).toContain('openai/gpt-x')
  })

  it('under another name, takes only what belongs to that name for its own', async () => {
    const theirs: Message = {
      role: 'assistant',
      parts: [
        { type: 'thinking', thinking: 'Theirs', signature: 's1', model: 'anthropic/m-1' },
        { type: 'text', text: 'So?' },
      ],
    }
    const cited = { citations: [{ cited_text: 'c' }] }
    const [first, ...rest] = round([
      { type: 'thinking', thinking: 'Ours', signature: 's2', model: 'dev/m-1' },
      { type: 'text', text: 'T', extra: { provider: 'dev', fields: cited } },
    ]) as [Message, ...Message[]]
    const messages = [first, theirs, first, ...rest]
    const { body, frames } = await asking({ messages, tools: [TOOL] }, { id: 'dev' })
    expect(JSON.stringify(body.messages)).not.toContain('Theirs')
    expect(body.messages[3]?.content.slice(0, 2)).toEqual([
      { type: 'thinking', thinking: 'Ours', signature: 's2' },
      { type: 'text', text: 'T', ...cited },
    ])
    expect(frames[0]).toMatchObject({ type: 'repairs' })
  })

  it('asks newer models to think in words, older ones in tokens', async () => {
    const wish = { thinking: { effort: 'high', budgetTokens: 500 } } as const
    const newer = await asking({ ...wish, maxOutputTokens: 5_000 })
    expect(newer.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    })
    const older = await asking(
      { ...wish, maxOutputTokens: 5_000 },
      { thinkingStyleOf: () => 'budget' },
    )
    expect(older.body.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 })
    expect(older.body).not.toHaveProperty('output_config')
    const tight = await asking(
      { ...wish, maxOutputTokens: 1_024 },
      { thinkingStyleOf: () => 'budget' },
    )
    expect(tight.body).not.toHaveProperty('thinking')
    expect(tight.frames[0]).toMatchObject({ type: 'repairs' })
  })

  it('does not ask an older model to think in a round that began without it', async () => {
    const options: Partial<AnthropicOptions> = { thinkingStyleOf: () => 'budget' }
    const request = { tools: [TOOL], thinking: { budgetTokens: 2_000 }, maxOutputTokens: 5_000 }
    const foreign = await asking({ ...request, messages: round([]) }, options)
    expect(foreign.body).not.toHaveProperty('thinking')
    const own = round([{ type: 'thinking', thinking: 'x', signature: 's', model: 'anthropic/m' }])
    const kept = await asking({ ...request, messages: own }, options)
    expect(kept.body).toHaveProperty('thinking')
  })

  it('asks to drop thinking that is bound to a rewritten past, with the header it takes', async () => {
    const { body, headers } = await asking({ dropStaleThinking: true })
    expect(body.thinking).toEqual({
      type: 'adaptive',
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    })
    expect(headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01')
  })

  it('sends a compaction of the provider’s own first and with its header, and options of its own', async () => {
    const compaction: Message = {
      role: 'assistant',
      parts: [
        {
          type: 'native',
          provider: 'anthropic',
          value: { type: 'compaction', content: 'So far', signature: 's' },
        },
      ],
    }
    const native = {
      provider: 'anthropic',
      fields: { service_tier: 'standard_only' },
      betas: ['other-2026'],
    }
    const { body, headers } = await asking({ messages: [compaction, ...REQUEST.messages], native })
    expect(body.messages[0]?.content).toEqual([
      { type: 'compaction', content: 'So far', signature: 's' },
    ])
    expect(headers['anthropic-beta']).toBe('compact-2026-09-04,other-2026')
    expect(body.service_tier).toBe('standard_only')
    const foreign = await asking({ native: { ...native, provider: 'openai' } })
    expect(foreign.body).not.toHaveProperty('service_tier')
  })
})

describe('other calls', () => {
  it('counts the tokens of a request without an answer', async () => {
    server.replyWith({ body: JSON.stringify({ input_tokens: 42 }) })
    expect(await provider().countTokens?.(REQUEST)).toBe(42)
    expect(server.asked[0]).toMatchObject({ path: '/v1/messages/count_tokens' })
    expect(server.asked[0]?.body).not.toHaveProperty('max_tokens')
    expect(server.asked[0]?.body).not.toHaveProperty('stream')
  })

  it('tells the window of a model as far as the server knows it', async () => {
    server.replyWith(
      { body: JSON.stringify({ id: 'm', max_input_tokens: 1_000_000 }) },
      { body: '{"id": "m", "max_input_tokens": null}' },
    )
    expect(await provider().windowOf?.('m')).toBe(1_000_000)
    expect(await provider().windowOf?.('m')).toBeUndefined()
    expect(server.asked[0]?.path).toBe('/v1/models/m')
  })

  it('tells a server that speaks no TLS from one that is not there', async () => {
    const baseUrl = server.url.replace('http:', 'https:')
    await expect(allFrames(provider({ baseUrl }).stream(REQUEST))).rejects.toMatchObject({
      code: 'tls-failed',
    })
  })

  it('follows no redirect: the key is for one server only', async () => {
    const other = await startFixtureServer()
    try {
      server.replyWith({ status: 307, headers: { location: `${other.url}/v1/messages` }, body: '' })
      await expect(allFrames(provider().stream(REQUEST))).rejects.toMatchObject({
        code: 'unreachable',
      })
      expect(other.asked).toHaveLength(0)
    } finally {
      await other.close()
    }
  })

  it.each(['sk-broken\nsecret-half', 'sk-with-„quotes“-0123'])(
    'refuses a key that can be none, without showing it',
    async (apiKey) => {
      const error = await allFrames(provider({ apiKey }).stream(REQUEST)).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toMatchObject({
        code: 'auth-failed',
        hint: 'Set ANTHROPIC_API_KEY to a valid key.',
      })
      expect(inspect(error, { depth: 20 })).not.toMatch(/secret-half|quotes/)
      expect(server.asked).toHaveLength(0)
    },
  )

  it('takes no key and no address from the environment', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-the-environment')
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-environment')
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9')
    try {
      server.replyWith(eventStream([START, ...ended('end_turn')]))
      await collectAnswer('anthropic/m-1', provider().stream(REQUEST))
      expect(JSON.stringify(server.asked[0]?.headers)).not.toContain('of-the-environment')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
