// Requests that a provider refuses: 400 in its own error body, its own words, and the id of our rule.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/text/json.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'

let dev: DevModel
beforeAll(async () => {
  dev = await startDevModel()
})
afterAll(() => dev.close())

async function refusal(
  path: string,
  body: object,
): Promise<{ status: number; error: Json; message: string }> {
  const headers = { 'x-api-key': 'k', authorization: 'Bearer k', 'anthropic-version': '2023-06-01' }
  const answer = await fetch(`${dev.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const { error } = (await answer.json()) as { error: { message: string } }
  return { status: answer.status, error, message: error.message }
}

const user = (content: unknown) => ({ role: 'user', content })
const agent = (content: unknown) => ({ role: 'assistant', content })
const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more })
const use = (id: string, more: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'f',
  input: {},
  ...more,
})
const gives = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
const SHORT = { cache_control: { type: 'ephemeral' } }
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } }

describe('Anthropic', () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  it.each<[string, RegExp, object]>([
    ['VALID-A1', /^messages: at least one message/, { messages: [] }],
    ['VALID-A2', /first message must use the "user" role/, { messages: [agent('a'), user('b')] }],
    ['VALID-A3', /roles must alternate/, { messages: [user('a'), user('b')] }],
    [
      'VALID-A4',
      /`tool_use` ids were found without `tool_result` blocks immediately after/,
      { tools, messages: [user('a'), agent([use('t1')]), user('b')] },
    ],
    [
      'VALID-A5',
      /unexpected `tool_use_id` found in `tool_result`/,
      { tools, messages: [user('a'), agent([use('t1')]), user([gives('t1'), gives('t2')])] },
    ],
    [
      'VALID-A6',
      /immediately after/,
      { tools, messages: [user('a'), agent([use('t1')]), user([text('b'), gives('t1')])] },
    ],
    [
      'VALID-A7',
      /messages\.1\.content\.0\.id: String should match pattern/,
      { tools, messages: [user('a'), agent([use('t 1')]), user([gives('t 1')])] },
    ],
    [
      'VALID-A8',
      /must define tools/,
      { messages: [user('a'), agent([use('t1')]), user([gives('t1')])] },
    ],
    ['VALID-A9', /non-whitespace text/, { messages: [user([text(' ')])] }],
    [
      'VALID-A10',
      /does not support assistant message prefill/,
      { messages: [user('a'), agent('b')] },
    ],
    [
      'VALID-A12',
      /Expected `thinking` or `redacted_thinking`, but found/,
      {
        tools,
        max_tokens: 2_000,
        thinking: { type: 'enabled', budget_tokens: 1_024 },
        messages: [user('a'), agent([use('t1')]), user([gives('t1')])],
      },
    ],
    [
      'VALID-A17',
      /A maximum of 4 blocks with cache_control/,
      { messages: [user([1, 2, 3, 4, 5].map((each) => text(String(each), SHORT)))] },
    ],
    [
      'VALID-A17',
      /ttl='1h' block must not come after a ttl='5m'/,
      { messages: [user([text('a', SHORT), text('b', HOUR)])] },
    ],
    ['VALID-A21', /no low surrogate in string/, { messages: [user('half \ud83d')] }],
  ])('%s: %s', async (id, words, body) => {
    const { status, error, message } = await refusal('/v1/messages', {
      model: 'dev',
      max_tokens: 100,
      ...body,
    })
    expect(status).toBe(400)
    expect(error).toMatchObject({ type: 'invalid_request_error' })
    expect(message).toMatch(words)
    expect(message).toContain(`(${id}: `)
  })
})

describe('Chat Completions', () => {
  const call = (id: string, more: object = {}) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}', ...more },
  })
  const calls = (...list: readonly object[]) => ({ ...agent(null), tool_calls: list })
  const tool = (id: string, content: unknown = 'x') => ({ role: 'tool', tool_call_id: id, content })
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  it.each<[string, RegExp, object]>([
    [
      'VALID-C1',
      /must be followed by tool messages/,
      { messages: [user('a'), calls(call('c1')), user('b')] },
    ],
    [
      'VALID-C2',
      /must be a response to a preceeding message/,
      { messages: [user('a'), tool('c1')] },
    ],
    [
      'VALID-C3',
      /string too long/,
      { messages: [user('a'), calls(call('c'.repeat(41))), tool('c'.repeat(41))] },
    ],
    [
      'VALID-C3',
      /empty array/,
      { messages: [user('a'), { ...agent('b'), tool_calls: [] }, user('c')] },
    ],
    ['VALID-C4', /expected a string, got null/, { messages: [user(null)] }],
    [
      'VALID-C5',
      /expected a string, but got an object/,
      { messages: [user('a'), calls(call('c1', { arguments: {} })), tool('c1')] },
    ],
    [
      'VALID-C6',
      /does not match pattern/,
      { tools: [{ type: 'function', function: { name: 'a b' } }], messages: [user('a')] },
    ],
    [
      'VALID-C7',
      /takes text only/,
      {
        messages: [
          user('a'),
          calls(call('c1')),
          tool('c1', [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]),
        ],
      },
    ],
    [
      'VALID-C11',
      /must contain the word 'json'/,
      { response_format: { type: 'json_object' }, messages: [user('a')] },
    ],
  ])('%s: %s', async (id, words, body) => {
    const { status, error, message } = await refusal('/v1/chat/completions', {
      model: 'dev',
      tools,
      ...body,
    })
    expect(status).toBe(400)
    expect(error).toMatchObject({ type: 'invalid_request_error', param: expect.any(String) })
    expect(message).toMatch(words)
    expect(message).toContain(`(${id}: `)
  })
})

describe('Responses', () => {
  const calls = (id: string, more: object = {}) => ({
    type: 'function_call',
    call_id: id,
    name: 'f',
    arguments: '{}',
    ...more,
  })
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'x' })
  const thinks = (id: string, more: object = {}) => ({
    type: 'reasoning',
    id,
    summary: [],
    ...more,
  })
  it.each<[string, RegExp, object]>([
    ['VALID-R1', /No tool call found/, { input: [user('a'), output('c1')] }],
    ['VALID-R2', /No tool output found/, { input: [user('a'), calls('c1'), user('b')] }],
    [
      'VALID-R3',
      /without its required following item/,
      { input: [user('a'), thinks('rs_1'), user('b')] },
    ],
    [
      'VALID-R4',
      /Duplicate item found/,
      { input: [user('a'), thinks('rs_1'), thinks('rs_1'), agent('b'), user('c')] },
    ],
    [
      'VALID-R5',
      /could not be verified/,
      { input: [user('a'), thinks('rs_1', { encrypted_content: 'x' }), agent('b'), user('c')] },
    ],
    [
      'VALID-R6',
      /Invalid value/,
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }] },
    ],
    ['VALID-R7', /VALID-R7/, { input: [{ type: 'compaction_trigger' }, user('a')] }],
    [
      'VALID-R10',
      /expected a string/,
      { input: [user('a'), calls('c1', { arguments: {} }), output('c1')] },
    ],
  ])('%s: %s', async (id, words, body) => {
    const { status, error, message } = await refusal('/v1/responses', { model: 'dev', ...body })
    expect(status).toBe(400)
    expect(error).toMatchObject({ type: 'invalid_request_error', param: expect.any(String) })
    expect(message).toMatch(words)
    expect(message).toContain(`(${id}: `)
  })
})
