// The Responses API over HTTP and through the real SDK: what is streamed, carried along, and conceded.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectAnswer, type ModelFrame, type ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message } from '../../core/view/message.ts'
import {
  eventStream,
  type FixtureServer,
  pausesKept,
  type Reply,
  startFixtureServer,
} from '../contract/fixture-server.ts'
import { REQUEST } from '../contract.ts'
import { openaiResponsesProvider } from './responses.ts'

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

function provider() {
  const { clock } = pausesKept()
  return openaiResponsesProvider({ baseUrl: server.url, apiKey: 'k', clock, random: () => 0 })
}

async function buildFrames(...events: Event[]): Promise<ModelFrame[]> {
  server.replyWith(eventStream(events))
  return all(REQUEST)
}

async function all(request: ModelRequest, asked = provider()): Promise<ModelFrame[]> {
  const kept: ModelFrame[] = []
  for await (const frame of asked.stream(request)) kept.push(frame)
  return kept
}

type Event = { readonly [name: string]: Json }

const done = (item: Json): Event => ({ type: 'response.output_item.done', item })
const completed = (fields: Event = {}): Event => ({
  type: 'response.completed',
  response: { status: 'completed', ...fields },
})
const incomplete = (reason: string): Event => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: { reason } },
})
const REASONING = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'First this.' }],
  encrypted_content: 'gAAAAA',
}
const called = (id: string, text: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'read',
  arguments: text,
  status: 'completed',
})
const said = (text: string, fields: Event = {}) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...fields,
})
const text = (value: string): ModelFrame => ({ type: 'part', part: { type: 'text', text: value } })
const end = (stopReason: string, rawStopReason: string) =>
  ({ type: 'end', stopReason, rawStopReason }) as ModelFrame

describe('frames', () => {
  it.each<[string, Event[], ModelFrame[]]>([
    [
      'reasoning as it is, parallel calls whole, in their order',
      [
        { type: 'response.reasoning_summary_part.added', summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', delta: 'First' },
        { type: 'response.reasoning_summary_part.added', summary_index: 1 },
        { type: 'response.reasoning_summary_text.delta', delta: 'then' },
        done(REASONING),
        { type: 'response.function_call_arguments.delta', delta: '{"path"' },
        done(called('c1', '{"path":"a"}')),
        done(called('c2', '{"path":"b')),
        completed(),
      ],
      [
        { type: 'thinking-delta', text: 'First' },
        { type: 'thinking-delta', text: '\n\n' },
        { type: 'thinking-delta', text: 'then' },
        { type: 'part', part: { type: 'native', provider: 'openai', value: REASONING } },
        { type: 'call', id: 'c1', name: 'read', arguments: { path: 'a' } },
        { type: 'broken-call', id: 'c2', name: 'read', text: '{"path":"b' },
        end('tool_use', 'completed'),
      ],
    ],
    [
      'reasoning without its content as words',
      [done({ ...REASONING, encrypted_content: null }), done(said('Hi')), completed()],
      [
        {
          type: 'part',
          part: { type: 'thinking', thinking: 'First this.', model: 'openai/m-1' },
        },
        text('Hi'),
        end('end', 'completed'),
      ],
    ],
    [
      'the phase with its text',
      [done(said('Hi', { phase: 'commentary' })), completed()],
      [
        {
          type: 'part',
          part: {
            type: 'text',
            text: 'Hi',
            extra: { provider: 'openai', fields: { phase: 'commentary' } },
          },
        },
        end('end', 'completed'),
      ],
    ],
    [
      'items of other kinds as they are',
      [done({ type: 'web_search_call', id: 'ws_1' }), completed()],
      [
        {
          type: 'part',
          part: {
            type: 'native',
            provider: 'openai',
            value: { type: 'web_search_call', id: 'ws_1' },
          },
        },
        end('end', 'completed'),
      ],
    ],
    [
      'a refusal',
      [done(said('', { content: [{ type: 'refusal', refusal: 'No.' }] })), completed()],
      [text('No.'), end('refusal', 'completed')],
    ],
    [
      'an answer that reached its limit',
      [done(said('Hi')), incomplete('max_output_tokens')],
      [text('Hi'), end('length', 'max_output_tokens')],
    ],
    ['what a filter ended', [incomplete('content_filter')], [end('refusal', 'content_filter')]],
  ])('%s', async (_title, events, expected) => {
    expect(await buildFrames(...events)).toEqual(expected)
  })

  it('reads cached tokens as a part of the prompt', async () => {
    const usage = {
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 800, cache_write_tokens: 100 },
      output_tokens: 20,
      total_tokens: 1_020,
    }
    const frames = await buildFrames(done(said('Hi')), completed({ usage }))
    expect(frames.at(-1)).toMatchObject({
      usage: {
        promptTokens: 1_000,
        completionTokens: 20,
        totalTokens: 1_020,
        cacheReadTokens: 800,
        cacheWriteTokens: 100,
      },
      rawUsage: usage,
    })
  })

  it.each([
    ['context_length_exceeded', 'Your input exceeds the context window.', 'overflow'],
    ['rate_limit_exceeded', 'Slow down.', 'rate-limited'],
    ['server_error', 'Sorry.', 'model-failed'],
  ])('takes %s for what it is', async (code, message, expected) => {
    const failed = { type: 'response.failed', response: { error: { code, message } } }
    await expect(buildFrames(failed)).rejects.toMatchObject({ code: expected })
    const error = { type: 'error', code, message }
    await expect(buildFrames(error)).rejects.toMatchObject({ code: expected })
  })
})

describe('requests', () => {
  it('carry the reasoning of an answer into the next one, unchanged [VALID-R3] [VALID-R5]', async () => {
    server.replyWith(
      eventStream([done(REASONING), done(called('c1', '{"path":"a"}')), completed()]),
    )
    const { answer, calls } = await collectAnswer('openai/m-1', provider().stream(REQUEST))
    const parts = (answer.parts ?? []).map((part) => {
      const call = part.type === 'tool_call' && calls.find(({ id }) => id === part.callId)
      return call ? { type: 'tool_call' as const, ...call } : part
    }) as Message['parts']
    const result = {
      type: 'tool_result',
      id: 'c1',
      content: [{ type: 'text', text: 'one' }],
      status: 'completed',
    } as const
    server.replyWith(eventStream([done(said('Hi')), completed()]))
    await all({
      ...REQUEST,
      messages: [
        ...REQUEST.messages,
        { role: 'assistant', parts },
        { role: 'user', parts: [result] },
      ],
    })
    expect(server.asked[1]?.path).toBe('/responses')
    expect(server.asked[1]?.body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'user' },
        REASONING,
        { type: 'function_call', call_id: 'c1', arguments: '{"path":"a"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'one' },
      ],
    })
  })

  it('are counted by the server', async () => {
    server.replyWith({ body: '{"object":"response.input_tokens","input_tokens":77}' })
    expect(await provider().countTokens?.(REQUEST)).toBe(77)
    expect(server.asked[0]).toMatchObject({
      path: '/responses/input_tokens',
      body: { model: 'm-1', instructions: 'Be brief.', input: [{ role: 'user' }] },
    })
    expect(server.asked[0]?.body).not.toHaveProperty('max_output_tokens')
  })
})

describe('concessions', () => {
  const answer = eventStream([done(said('Hi')), completed()])
  const refusal = (message: string, code: string | null = null): Reply => ({
    status: 400,
    body: JSON.stringify({ error: { message, code, type: 'invalid_request_error' } }),
  })
  const withReasoning: ModelRequest = {
    ...REQUEST,
    thinking: { effort: 'low' },
    messages: [
      ...REQUEST.messages,
      {
        role: 'assistant',
        parts: [
          { type: 'native', provider: 'openai', value: REASONING },
          { type: 'text', text: 'So.' },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ],
  }
  const inputTypes = () =>
    server.asked.map(({ body }) =>
      (body as { input: { type: string }[] }).input.map(({ type }) => type),
    )

  it('asks a model that does not reason for no reasoning, and remembers it', async () => {
    server.replyWith(refusal('Encrypted content is not supported with this model.'), answer)
    const asked = provider()
    expect(await all(REQUEST, asked)).toContainEqual(text('Hi'))
    await all(REQUEST, asked)
    expect(server.asked.map(({ body }) => (body as Event).include !== undefined)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('asks an account that may not read summaries for none', async () => {
    server.replyWith(
      refusal('Your organization must be verified to generate reasoning summaries.'),
      answer,
    )
    await all(withReasoning)
    expect(server.asked.map(({ body }) => (body as Event).reasoning)).toEqual([
      { effort: 'low', summary: 'auto' },
      { effort: 'low' },
    ])
  })

  it('leaves out reasoning that another account sealed, says so, and remembers it [VALID-R5]', async () => {
    server.replyWith(
      refusal('The encrypted content could not be verified.', 'invalid_encrypted_content'),
      answer,
    )
    const asked = provider()
    expect((await all(withReasoning, asked))[0]).toEqual({
      type: 'repairs',
      problems: [expect.stringContaining('rs_1')],
    })
    await all(withReasoning, asked)
    expect(inputTypes()).toEqual([
      ['message', 'reasoning', 'message', 'message'],
      ['message', 'message', 'message'],
      ['message', 'message', 'message'],
    ])
  })

  it('does not go on where there is nothing left to concede', async () => {
    server.replyWith(refusal('Encrypted content is not supported with this model.'))
    await expect(all(REQUEST)).rejects.toMatchObject({ code: 'invalid-request' })
    expect(server.asked).toHaveLength(2)
  })
})
