// Answers that tell of a context that did not fit, through every adapter and over real HTTP.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectAnswer, type ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import {
  eventStream,
  type FixtureServer,
  pausesKept,
  type Reply,
  startFixtureServer,
} from '../contract/fixture-server.ts'
import { REQUEST } from '../contract.ts'
import { PROVIDER_ENTRIES } from '../entries.ts'
import { createRegistry } from '../registry.ts'

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

async function answered(
  name: string,
  reply: Reply,
  request: Partial<ModelRequest> = {},
  windowTokens = 8_192,
) {
  const { clock } = pausesKept()
  const baseUrl = name.startsWith('anthropic') || name.startsWith('ollama') ? '' : '/v1'
  const id = name.slice(0, name.indexOf('/'))
  const { provider, ref, model } = await createRegistry({
    entries: PROVIDER_ENTRIES,
    settings: {
      providers: { [id]: { baseUrl: server.url + baseUrl } },
      catalogue: { [name]: { windowTokens } },
    },
    environment: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' },
    clock,
  }).resolve(name)
  server.replyWith(reply)
  return collectAnswer(ref, provider.stream({ ...REQUEST, ...request, model }))
}

const anthropic = (stopReason: string, inputTokens: number): Reply =>
  eventStream([
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason },
      usage: { input_tokens: inputTokens, output_tokens: 2 },
    },
    { type: 'message_stop' },
  ])
const sse = (...chunks: readonly Json[]): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
})
const chat = (reason: string, promptTokens: number, completionTokens = 2): Reply =>
  sse(
    { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: reason }] },
    {
      choices: [],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
    },
  )
const responses = (inputTokens: number): Reply =>
  eventStream([
    {
      type: 'response.completed',
      response: {
        status: 'completed',
        usage: { input_tokens: inputTokens, output_tokens: 2, total_tokens: inputTokens + 2 },
      },
    },
  ])
const ollama = (promptTokens: number): Reply => ({
  headers: { 'content-type': 'application/x-ndjson' },
  body: `${JSON.stringify({
    message: { role: 'assistant', content: 'Hi' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: promptTokens,
    eval_count: 1,
  })}\n`,
})

const MUCH = 'All work and no play makes a dull page. '.repeat(500) // about 5,000 tokens
const LONG: Partial<ModelRequest> = {
  messages: [
    { role: 'user', parts: [{ type: 'text', text: MUCH.slice(0, 12_000) }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c1', name: 'read', arguments: { path: 'a' } }],
    },
    {
      role: 'user',
      parts: [
        {
          type: 'tool_result',
          id: 'c1',
          content: [{ type: 'text', text: MUCH.slice(12_000) }],
          status: 'completed',
        },
      ],
    },
  ],
  tools: [{ name: 'read', description: 'reads', inputSchema: { type: 'object' } }],
}

describe('an answer says that the context did not fit', () => {
  it.each<[string, string, Reply, Partial<ModelRequest>, number, string]>([
    [
      'its stop reason',
      'anthropic/m',
      anthropic('model_context_window_exceeded', 9),
      {},
      8_192,
      'filled',
    ],
    [
      'its stop reason (Z.ai)',
      'compatible/m',
      chat('model_context_window_exceeded', 9),
      {},
      8_192,
      'filled',
    ],
    ['its usage', 'anthropic/m', anthropic('end_turn', 9_000), {}, 8_192, 'longer'],
    ['its usage', 'openai/m', responses(9_000), {}, 8_192, 'longer'],
    ['its usage', 'openai-chat/m', chat('stop', 9_000), {}, 8_192, 'longer'],
    ['its usage', 'lmstudio/m', chat('stop', 9_000), {}, 8_192, 'longer'],
    ['its usage', 'ollama/m', ollama(9_000), {}, 8_192, 'longer'],
    ['its emptiness', 'lmstudio/m', chat('length', 8_190, 0), {}, 8_192, 'no room'],
    ['how little was read', 'ollama/m', ollama(2_000), LONG, 4_096, 'less'],
    ['how little was read, of a smaller window', 'ollama/m', ollama(2_000), LONG, 32_768, 'less'],
    ['how little was read', 'compatible/m', chat('stop', 2_000), LONG, 4_096, 'less'],
  ])('by %s: %s', async (_sign, name, reply, request, windowTokens, words) => {
    const { overflow, answer } = await answered(name, reply, request, windowTokens)
    expect(overflow).toContain(words)
    expect(answer.content).toBe(name.startsWith('openai/') ? '' : 'Hi')
  })

  it.each<[string, string, Reply, Partial<ModelRequest>, number]>([
    ['an answer that fits', 'anthropic/m', anthropic('end_turn', 9), {}, 8_192],
    ['an answer that is cut by its own limit', 'lmstudio/m', chat('length', 500), {}, 8_192],
    ['a good tokenizer', 'ollama/m', ollama(4_500), LONG, 32_768],
    ['a poor tokenizer', 'ollama/m', ollama(9_000), LONG, 32_768],
    ['a server that refuses rather than cuts', 'openai-chat/m', chat('stop', 2_000), LONG, 4_096],
  ])('and not for %s', async (_what, name, reply, request, windowTokens) => {
    const { overflow } = await answered(name, reply, request, windowTokens)
    expect(overflow).toBeUndefined()
  })

  it('keeps the raw stop reason beside the unified one', async () => {
    const reply = anthropic('model_context_window_exceeded', 9)
    const { answer, rawStopReason } = await answered('anthropic/m', reply)
    expect(answer.stopReason).toBe('length')
    expect(rawStopReason).toBe('model_context_window_exceeded')
  })
})
