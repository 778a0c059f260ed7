// What the real APIs refuse beyond the numbered rules: fields and kinds they do not know, bytes that
// are none, names twice, settings that a model does not take. Status, body and words are theirs.
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/text/json.ts'
import { type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { rejection, setUp } from './setup.ts'

type Body = { readonly [key: string]: unknown }
type Case = readonly [message: string, body: Body]

const HEADERS = { 'x-api-key': 'k', authorization: 'Bearer k', 'anthropic-version': '2023-06-01' }

/** Posts to a stand-in that lives for this one request. */
async function post(path: string, body: Body, options: DevModelOptions = {}, headers = HEADERS) {
  const dev = await startDevModel(options)
  try {
    const answer = await fetch(`${dev.url}${path}`, {
      method: 'POST',
      headers: { ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as { [key: string]: Json } }
  } finally {
    await dev.close()
  }
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const user = (...content: readonly unknown[]) => ({ role: 'user', content })
const png = (data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
})
const tool = (more: Body = {}) => ({ name: 'f', input_schema: { type: 'object' }, ...more })

describe('Anthropic', () => {
  const ask = (body: Body, model = 'dev') =>
    post('/v1/messages', { model, max_tokens: 2_000, messages: [user(text('hi'))], ...body })
  const text = (said: string, more: Body = {}) => ({ type: 'text', text: said, ...more })

  it.each<Case>([
    [
      "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'advisor_tool_result', ",
      { messages: [user({ type: 'image_url', image_url: {} })] },
    ],
    ['messages.0.content.0.type: Field required', { messages: [user({ text: 'hi' })] }],
    [
      'messages.0.reasoning_details: Extra inputs are not permitted',
      { messages: [{ ...user(text('hi')), reasoning_details: [] }] },
    ],
    [
      'messages.0.content.0.text.index: Extra inputs are not permitted',
      { messages: [user(text('hi', { index: 0 }))] },
    ],
    [
      'system.0.text.cache_control.ephemeral.scope: Extra inputs are not permitted',
      { system: [text('x', { cache_control: { type: 'ephemeral', scope: 'global' } })] },
    ],
    [
      'tools.0.custom.parameters: Extra inputs are not permitted',
      { tools: [tool({ parameters: {} })] },
    ],
    ['metadata.session: Extra inputs are not permitted', { metadata: { session: 'x' } }],
    [
      'tool_choice.tool.reason: Extra inputs are not permitted',
      { tools: [tool()], tool_choice: { type: 'tool', name: 'f', reason: 'x' } },
    ],
    [
      'context_management.edits.0.compact_20260112.after: Extra inputs are not permitted',
      { context_management: { edits: [{ type: 'compact_20260112', after: 1 }] } },
    ],
    [
      'thinking.adaptive.budget_tokens: Extra inputs are not permitted',
      { thinking: { type: 'adaptive', budget_tokens: 1_024 } },
    ],
    ['tools: Tool names must be unique.', { tools: [tool(), tool()] }],
    [
      'messages.0.content.0.image.source.base64: invalid base64 data',
      { messages: [user(png('[image missing]'))] },
    ],
    [
      'messages.0.content.0.image.source.base64: image cannot be empty',
      { messages: [user(png(''))] },
    ],
    [
      'messages.2.content.0.tool_result.content.0.image.source.base64: invalid base64 data',
      {
        tools: [tool()],
        messages: [
          user(text('hi')),
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
          user({
            type: 'tool_result',
            tool_use_id: 'a',
            content: [png('data:image/png;base64,AA')],
          }),
        ],
      },
    ],
    ['temperature: Input should be less than or equal to 1', { temperature: 1.5 }],
    ['temperature: Input should be a valid number', { temperature: 'hot' }],
    ['`temperature` is deprecated for this model.', { temperature: 0 }],
    ['`top_p` is deprecated for this model.', { top_p: 0.5 }],
    ['`top_k` is deprecated for this model.', { top_k: 5 }],
  ])('%s', async (message, body) => {
    const answer = await ask(body)
    expect(answer).toMatchObject({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error' } },
    })
    expect((answer.body.error as { message: string }).message.startsWith(message)).toBe(true)
  })

  it('takes what the API takes', async () => {
    const marked = text('x', { cache_control: { type: 'ephemeral', ttl: '1h' }, citations: null })
    const body = {
      system: [marked],
      tools: [tool({ description: 'd', strict: true }), { type: 'bash_20250124', name: 'bash' }],
      messages: [user(png(PIXEL), { type: 'document', source: { type: 'file', file_id: 'f' } })],
      temperature: 1,
      metadata: { user_id: 'u' },
    }
    expect(await ask(body)).toMatchObject({ status: 200 })
  })

  const enabled = { thinking: { type: 'enabled', budget_tokens: 1_024 } }
  const adaptive = { thinking: { type: 'adaptive' } }
  const prefilled = { messages: [user(text('hi')), { role: 'assistant', content: 'Well' }] }
  it.each<readonly [model: string, what: string, body: Body, refusal: RegExp | undefined]>([
    ['claude-3-5-haiku-20241022', 'temperature', { temperature: 0, top_p: 0.5 }, undefined],
    ['claude-sonnet-4-5-20250929', 'temperature', { temperature: 0 }, undefined],
    [
      'claude-sonnet-4-5',
      'temperature and top_p',
      { temperature: 0, top_p: 0.5 },
      /cannot both be specified/,
    ],
    ['claude-opus-4-7', 'temperature', { temperature: 0 }, /deprecated for this model/],
    ['claude-opus-4-5', 'a prefill', prefilled, undefined],
    ['claude-opus-4-6', 'a prefill', prefilled, /does not support assistant message prefill/],
    ['claude-haiku-4-5', 'a budget', enabled, undefined],
    ['claude-haiku-4-5', 'adaptive thinking', adaptive, /adaptive thinking is not supported/],
    ['claude-opus-4-6', 'a budget', enabled, undefined],
    ['claude-opus-5', 'a budget', enabled, /thinking\.type\.enabled\W+is not supported/],
    ['claude-opus-5', 'adaptive thinking', adaptive, undefined],
    [
      'claude-opus-4-6',
      'a temperature beside thinking',
      { ...adaptive, temperature: 0 },
      /`temperature` may only be set to 1 when thinking/,
    ],
    [
      'claude-opus-4-6',
      'top_p and top_k beside thinking',
      { ...adaptive, top_p: 0.5 },
      /`top_p` must be greater than or equal to 0.95/,
    ],
  ])('%s and %s', async (model, _, body, refusal) => {
    const answer = await ask(body, model)
    expect(answer.status).toBe(refusal === undefined ? 200 : 400)
    if (refusal !== undefined) expect(JSON.stringify(answer.body)).toMatch(refusal)
  })

  it.each([
    ['claude-opus-5', undefined],
    ['claude-opus-5-5', /VALID-A22/],
    ['claude-fable-5', undefined],
    ['claude-fable-5-1', /VALID-A22/],
    ['dev', /VALID-A22/],
  ])('%s binds thinking to its prefix: %s [VALID-A22]', async (model, refusal) => {
    const { anthropic } = await setUp()
    const params = {
      model,
      max_tokens: 2_000,
      thinking: { type: 'adaptive' as const },
      tools: [
        { name: 'read_file', input_schema: { type: 'object' as const, properties: { path: {} } } },
      ],
    }
    const question = { role: 'user' as const, content: 'read a.txt' }
    const { content } = await anthropic.messages.create({ ...params, messages: [question] })
    const results = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'x' }]
        : [],
    )
    const again = anthropic.messages.create({
      ...params,
      system: 'Another prompt.',
      messages: [
        question,
        { role: 'assistant', content: content as never },
        { role: 'user', content: results },
      ],
    })
    if (refusal === undefined) expect(await again).toMatchObject({ type: 'message' })
    else expect(String(await rejection(again))).toMatch(refusal)
  })

  it.each([
    ['claude-opus-5-5', undefined, 600],
    ['claude-sonnet-4-5', undefined, 100],
    ['dev', undefined, 100],
    ['dev', 1_000_000, 600],
  ])(
    'takes as many images as fit the window of %s (%s) [VALID-A18]',
    async (model, windowTokens, most) => {
      const options = windowTokens === undefined ? {} : { windowTokens }
      const images = (count: number) => {
        const content = Array.from({ length: count }, () => png(PIXEL))
        return { model, max_tokens: 10, messages: [user(...content)] }
      }
      const refused = await post('/v1/messages', images(most + 1), options)
      expect(JSON.stringify(refused.body)).toContain(`beyond the ${most} allowed`)
      const taken = await post('/v1/messages', images(most), options)
      // So many may be too long for the stand-in, which is another refusal.
      expect(JSON.stringify(taken.body)).not.toContain('VALID-A18')
    },
  )
})

describe('Chat Completions', () => {
  const ask = (body: Body, options: DevModelOptions = {}) =>
    post('/v1/chat/completions', { model: 'gpt-4.1', messages: [user(text)], ...body }, options)
  const text = { type: 'text', text: 'hi' }
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })

  it.each<readonly [string, string, string, Body]>([
    ["Unknown parameter: 'reasoning'.", 'reasoning', 'unknown_parameter', { reasoning: {} }],
    [
      "Unknown parameter: 'messages[0].id'.",
      'messages[0].id',
      'unknown_parameter',
      { messages: [{ ...user(text), id: 'x' }] },
    ],
    [
      "Unknown parameter: 'messages[0].content[0].cache_control'.",
      'messages[0].content[0].cache_control',
      'unknown_parameter',
      { messages: [user({ ...text, cache_control: {} })] },
    ],
    [
      "Unknown parameter: 'messages[1].tool_calls[0].index'.",
      'messages[1].tool_calls[0].index',
      'unknown_parameter',
      {
        messages: [
          user(text),
          {
            role: 'assistant',
            tool_calls: [
              { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
        ],
      },
    ],
    [
      "Unknown parameter: 'tools[0].function.input_schema'.",
      'tools[0].function.input_schema',
      'unknown_parameter',
      { tools: [{ type: 'function', function: { name: 'f', input_schema: {} } }] },
    ],
    [
      "Invalid value: 'tool_use'. Supported values are: 'text', 'image_url', 'input_audio', 'file', and 'refusal'.",
      'messages[0].content[0].type',
      'invalid_value',
      { messages: [user({ type: 'tool_use' })] },
    ],
    [
      "Invalid value: 'model'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool', and 'function'.",
      'messages[0].role',
      'invalid_value',
      { messages: [{ role: 'model', content: 'x' }] },
    ],
    [
      "Missing required parameter: 'messages[0].content[0].type'.",
      'messages[0].content[0].type',
      'missing_required_parameter',
      { messages: [user({ text: 'x' })] },
    ],
    [
      "Invalid 'messages[0].content[0].image_url.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got an unsupported value.",
      'messages[0].content[0].image_url.url',
      'invalid_value',
      { messages: [user(image('data:image/png;base64,not base64'))] },
    ],
    [
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
      'temperature',
      'decimal_above_max_value',
      { temperature: 3 },
    ],
    [
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      'temperature',
      'unsupported_value',
      { model: 'gpt-5-mini', temperature: 0 },
    ],
    [
      "Unsupported parameter: 'top_p' is not supported with this model.",
      'top_p',
      'unsupported_parameter',
      { model: 'o4-mini', top_p: 0.5 },
    ],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
      { model: 'gpt-5', max_tokens: 100 },
    ],
  ])('%s', async (message, param, code, body) => {
    expect(await ask(body)).toEqual({
      status: 400,
      body: { error: { message, type: 'invalid_request_error', param, code } },
    })
  })

  it('takes what the API takes: two tools of one name, images, sampling of a model that samples', async () => {
    const twice = { type: 'function', function: { name: 'f', parameters: {} } }
    const body = {
      tools: [twice, twice],
      temperature: 0,
      messages: [user(image(`data:image/png;base64,${PIXEL}`), image('https://example.com/a.png'))],
    }
    expect((await ask(body)).status).toBe(200)
  })

  it('differs from backend to backend', async () => {
    const strange = { messages: [{ ...user(text), reasoning: 'x' }] }
    const as = (name: 'mistral' | 'deepseek' | 'qwen') => ({
      profiles: { 'openai-chat': PROFILES[name] },
    })
    expect(await ask(strange, as('mistral'))).toEqual({
      status: 422,
      body: {
        object: 'error',
        message: {
          detail: [
            {
              type: 'extra_forbidden',
              loc: ['body', 'messages', 0, 'user', 'reasoning'],
              msg: 'Extra inputs are not permitted',
            },
          ],
        },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    })
    expect((await ask(strange, as('qwen'))).status).toBe(200)
    const twice = { type: 'function', function: { name: 'f', parameters: {} } }
    expect(await ask({ tools: [twice, twice] }, as('deepseek'))).toMatchObject({
      status: 400,
      body: { error: { message: 'Tool names must be unique.' } },
    })
  })
})

describe('Responses', () => {
  const ask = (body: Body) => post('/v1/responses', { model: 'gpt-4.1', input: 'hi', ...body })

  it.each<readonly [RegExp, string, string, Body]>([
    [/^Unknown parameter: 'messages'\.$/, 'messages', 'unknown_parameter', { messages: [] }],
    [
      /^Unknown parameter: 'input\[0\]\.tool_calls'\.$/,
      'input[0].tool_calls',
      'unknown_parameter',
      { input: [{ role: 'user', content: 'hi', tool_calls: [] }] },
    ],
    [
      /^Unknown parameter: 'tools\[0\]\.function'\.$/,
      'tools[0].function',
      'unknown_parameter',
      { tools: [{ type: 'function', name: 'f', function: {} }] },
    ],
    [
      /^Invalid value: 'tool_result'\. Supported values are: 'message', 'reasoning', /,
      'input[0]',
      'invalid_value',
      { input: [{ type: 'tool_result', content: 'x' }] },
    ],
    [
      /^Invalid value: 'text'\. Supported values are: 'input_text', 'input_image', /,
      'input[0].content[0]',
      'invalid_value',
      { input: [user({ type: 'text', text: 'hi' })] },
    ],
    [
      /^Invalid 'input\[0\]\.content\[0\]\.image_url'\. .*but got empty base64-encoded bytes\.$/,
      'input[0].content[0].image_url',
      'invalid_value',
      { input: [user({ type: 'input_image', image_url: '' })] },
    ],
    [
      /^Unsupported parameter: 'temperature' is not supported with this model\.$/,
      'temperature',
      'unsupported_parameter',
      { model: 'gpt-5.2-codex', temperature: 1 },
    ],
  ])('%s', async (message, param, code, body) => {
    const answer = await ask(body)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param, code } },
    })
    expect((answer.body.error as { message: string }).message).toMatch(message)
  })
})

describe('Ollama', () => {
  const ask = (body: Body) => post('/api/chat', { model: 'm', stream: false, ...body })
  const messages = (message: Body) => ({ messages: [{ role: 'user', ...message }] })

  it.each<readonly [string, Body]>([
    [
      'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string',
      messages({ content: [{ type: 'text', text: 'hi' }] }),
    ],
    [
      'json: cannot unmarshal string into Go struct field ChatRequest.messages of type []api.Message',
      { messages: 'hi' },
    ],
    [
      'json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments',
      messages({ tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }),
    ],
    [
      'illegal base64 data at input byte 4',
      messages({ content: 'hi', images: [`data:image/png;base64,${PIXEL}`] }),
    ],
    [
      'invalid think value: "deep" (must be "high", "medium", "low", "max", true, or false)',
      { think: 'deep' },
    ],
  ])('%s', async (error, body) => {
    expect(await ask(body)).toEqual({ status: 400, body: { error } })
  })

  it('skips fields that it does not know, as the original does', async () => {
    const body = { ...messages({ content: 'hi', images: [PIXEL], extra: 1 }), session: 'x' }
    expect((await ask(body)).status).toBe(200)
  })
})

describe('a local server', () => {
  const hello = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

  it.each<readonly [string, string, DevModelOptions, number]>([
    ['has a path of its own: elsewhere a key is asked for', '/v1/chat/completions', {}, 401],
    ['needs none where it is told so', '/v1/chat/completions', { keyless: true }, 200],
    ['needs none under its own path', '/local/v1/chat/completions', {}, 200],
    [
      'needs none under its own path, whatever the key',
      '/local/v1/chat/completions',
      { apiKey: 'k' },
      200,
    ],
  ])('%s', async (_, path, options, status) => {
    const answer = await post(path, hello, options, {} as typeof HEADERS)
    expect(answer.status).toBe(status)
  })

  it('skips fields that it does not know, and wants turns that alternate', async () => {
    const send = (body: Body) => post('/local/v1/chat/completions', { ...hello, ...body })
    expect((await send({ messages: [{ ...user(), content: 'hi', extra: 1 }] })).status).toBe(200)
    const twice = [user(), user()].map((message) => ({ ...message, content: 'hi' }))
    expect((await send({ messages: twice })).status).toBe(400)
  })

  it('tells what its model is loaded with, through the official SDK', async () => {
    const { dev } = await setUp({ windowTokens: 9_000, models: ['small'] })
    const openai = new OpenAI({
      apiKey: 'lm-studio',
      baseURL: `${dev.url}/local/v1`,
      maxRetries: 0,
    })
    const { data } = await openai.models.list()
    expect(data).toEqual([{ id: 'small', object: 'model', owned_by: expect.any(String) }])
    const loaded = await (await fetch(`${dev.url}/local/api/v0/models`)).json()
    expect(loaded).toMatchObject({ data: [{ id: 'small', loaded_context_length: 9_000 }] })
  })
})
