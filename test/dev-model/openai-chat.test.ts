// The official OpenAI SDK, unmodified, on Chat Completions against the stand-in.
import OpenAI, {
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
} from 'openai'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { ENVELOPE_TOKENS } from '../../src/dev-model/count.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { until } from '../wait.ts'
import { ManualClock } from './manual-clock.ts'
import { collect, KEY, MODEL, PATH_SCHEMA, rejection, setUp, words } from './setup.ts'

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming

const TOOLS: OpenAI.ChatCompletionFunctionTool[] = [
  { type: 'function', function: { name: 'read_file', parameters: PATH_SCHEMA } },
]
const ask = (content: string, more: Partial<Params> = {}): Params => ({
  model: MODEL,
  messages: [{ role: 'user', content }],
  ...more,
})

describe('answers', () => {
  it('come whole: text, calls in parallel, finish reason, usage', async () => {
    const { openai } = await setUp()
    const text = await openai.chat.completions.create(ask('hello'))
    const promptTokens = estimateTokens('hello') + ENVELOPE_TOKENS
    expect(text).toMatchObject({
      choices: [
        { message: { content: 'You said “hello”. I have noted it.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: promptTokens, prompt_tokens_details: { cached_tokens: 0 } },
    })
    const work = await openai.chat.completions.create(
      ask('read a.txt\nread b.txt', { tools: TOOLS }),
    )
    expect(work.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          { type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
          { type: 'function', function: { name: 'read_file', arguments: '{"path":"b.txt"}' } },
        ],
      },
    })
  })

  it('stream to the very same message, and tell the usage where that is asked for', async () => {
    const script = () => ({
      text: 'I will look at two files, and then tell you what stands in them.',
      calls: [
        { name: 'read_file', arguments: { path: 'a/long/path/to/some/file.txt' } },
        { name: 'read_file', arguments: { path: 'b' } },
      ],
    })
    const { openai } = await setUp({ script, clock: new ManualClock() })
    const params = ask('go', { tools: TOOLS })
    const whole = await openai.chat.completions.create(params)
    const stream = openai.chat.completions.stream({
      ...params,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await collect(stream)
    const streamed = await stream.finalChatCompletion()
    expect(streamed.choices[0]?.message).toMatchObject({
      content: whole.choices[0]?.message.content,
      tool_calls: [{ function: { arguments: '{"path":"a/long/path/to/some/file.txt"}' } }, {}],
    })
    expect(streamed.usage).toEqual(whole.usage)
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    const silent = await collect(await openai.chat.completions.create({ ...params, stream: true }))
    expect(silent.some((chunk) => 'usage' in chunk)).toBe(false)
  })

  it('go through a whole tool round', async () => {
    const { openai } = await setUp()
    const params = ask('read a.txt', { tools: TOOLS })
    const message = (await openai.chat.completions.create(params)).choices[0]?.message
    if (message === undefined) throw new Error('no message')
    const results = (message.tool_calls ?? []).map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: 'one\ntwo',
    }))
    const done = await openai.chat.completions.create({
      ...params,
      messages: [...params.messages, message, ...results],
    })
    expect(done.choices[0]?.message.content).toContain('“one” and has 2 lines')
  })

  it('keep to the limit and to stop sequences', async () => {
    const { openai } = await setUp({ script: () => ({ text: words(500) }) })
    const cut = await openai.chat.completions.create(ask('go', { max_completion_tokens: 20 }))
    expect(cut).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: 20 },
    })
    const stopped = await openai.chat.completions.create(ask('go', { stop: 'word3' }))
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'word0 word1 word2 ' },
    })
  })

  it('count reasoning, and show it only where the backend does', async () => {
    const script = () => ({ thinking: 'Let me see.', text: 'Yes.' })
    const hidden = await setUp({ script })
    const silent = await hidden.openai.chat.completions.create(
      ask('go', { reasoning_effort: 'low' }),
    )
    expect(silent.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0)
    expect(JSON.stringify(silent)).not.toContain('Let me see.')
    const shown = await setUp({ script, profiles: { 'openai-chat': PROFILES.deepseek } })
    const open = await shown.openai.chat.completions.create(ask('go'))
    expect(open.choices[0]?.message).toMatchObject({ reasoning_content: 'Let me see.' })
  })
})

describe('the automatic cache', () => {
  it('tells cached tokens in steps, and forgets in time', async () => {
    const clock = new ManualClock()
    const { openai } = await setUp({ clock })
    const system = { role: 'system' as const, content: words(1_000) }
    const cached = async (content: string) => {
      const messages = [system, { role: 'user' as const, content }]
      const { usage } = await openai.chat.completions.create({ model: MODEL, messages })
      return usage?.prompt_tokens_details?.cached_tokens
    }
    const systemTokens = estimateTokens(system.content) + ENVELOPE_TOKENS
    const steps = Math.floor(systemTokens / 128) * 128
    expect(steps).toBeGreaterThanOrEqual(1_024)
    expect(await cached('one')).toBe(0)
    expect(await cached('other')).toBe(steps)
    clock.advance(5 * 60_000)
    expect(await cached('third')).toBe(0)
  })
})

describe('refusals', () => {
  it('are the SDK’s own errors, with the rule that was broken', async () => {
    const { openai } = await setUp()
    const orphan: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'hi' },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ]
    const error = await rejection(
      openai.chat.completions.create({ model: MODEL, messages: orphan, tools: TOOLS }),
    )
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'messages[1].tool_call_id',
      message: expect.stringMatching(/must be a response to a preceeding message.*VALID-C2/),
    })
  })

  it('tell of an input, and of an answer, that the window cannot hold', async () => {
    const { openai } = await setUp({ windowTokens: 1_000 })
    const long = await rejection(openai.chat.completions.create(ask(words(2_000))))
    const tokens = estimateTokens(words(2_000)) + ENVELOPE_TOKENS
    expect(long).toMatchObject({
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringContaining(`your messages resulted in ${tokens} tokens`),
    })
    const both = await rejection(
      openai.chat.completions.create(ask('hello', { max_tokens: 1_000 })),
    )
    expect(String(both)).toContain(
      'you requested 1005 tokens (5 in the messages, 1000 in the completion)',
    )
  })

  it('tell of keys and models that are not known, and keep no key', async () => {
    const { openai, dev } = await setUp({ apiKey: 'another', models: ['small'] })
    const wrong = await rejection(openai.chat.completions.create(ask('hi')))
    expect(wrong).toBeInstanceOf(AuthenticationError)
    expect(wrong).toMatchObject({ code: 'invalid_api_key' })
    const known = new OpenAI({ apiKey: 'another', baseURL: `${dev.url}/v1`, maxRetries: 0 })
    const missing = await rejection(known.chat.completions.create(ask('hi')))
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toMatchObject({ code: 'model_not_found' })
    await known.chat.completions.create(ask('hi', { model: 'small' }))
    expect(JSON.stringify(dev.requests)).not.toContain('another')
    expect(JSON.stringify(dev.requests)).not.toContain(KEY)
  })
})

describe('an abort', () => {
  it('is seen by the server', async () => {
    const clock = new ManualClock()
    const { openai, dev } = await setUp({ clock })
    dev.fail({ kind: 'stall' })
    const stop = new AbortController()
    const waiting = rejection(openai.chat.completions.create(ask('hi'), { signal: stop.signal }))
    await until('the model to stall', () => clock.sleepers > 0)
    stop.abort()
    expect(await waiting).toBeInstanceOf(APIUserAbortError)
    await dev.idle()
    expect(dev.requests[0]?.outcome).toBe('aborted')
  })
})

describe('models', () => {
  it('are listed', async () => {
    const { openai } = await setUp({ models: ['small', 'large'] })
    const list = await collect(openai.models.list())
    expect(list.map(({ id }) => id)).toEqual(['small', 'large'])
    expect(await openai.models.retrieve('large')).toMatchObject({ id: 'large', object: 'model' })
  })
})
