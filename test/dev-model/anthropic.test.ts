// The official Anthropic SDK, unmodified, against the stand-in.
import Anthropic, {
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
} from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { buildSegment, ENVELOPE_TOKENS } from '../../src/dev-model/count.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { until } from '../wait.ts'
import { ManualClock } from './manual-clock.ts'
import { collect, KEY, MODEL, PATH_SCHEMA, rejection, setUp, words } from './setup.ts'

type Params = Anthropic.MessageCreateParamsNonStreaming

const TOOLS: Anthropic.Tool[] = [{ name: 'read_file', input_schema: PATH_SCHEMA }]
const THINKING = { type: 'enabled', budget_tokens: 1_024 } as const
const ask = (content: Anthropic.MessageParam['content'], more: Partial<Params> = {}): Params => ({
  model: MODEL,
  max_tokens: 4_096,
  messages: [{ role: 'user', content }],
  ...more,
})

describe('answers', () => {
  it('come whole: text, calls in parallel, stop reason, usage', async () => {
    const { anthropic } = await setUp()
    const text = await anthropic.messages.create(ask('hello'))
    expect(text).toMatchObject({
      content: [{ type: 'text', text: 'You said “hello”. I have noted it.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: estimateTokens('hello') + ENVELOPE_TOKENS },
    })
    const work = await anthropic.messages.create(ask('read a.txt\nread b.txt', { tools: TOOLS }))
    expect(work.stop_reason).toBe('tool_use')
    expect(work.content.filter(({ type }) => type === 'tool_use')).toMatchObject([
      { name: 'read_file', input: { path: 'a.txt' } },
      { name: 'read_file', input: { path: 'b.txt' } },
    ])
  })

  it('stream to the very same message, in the events of the API', async () => {
    const answer = {
      thinking: 'Let me see. 👩‍👩‍👧 I had better look.',
      text: 'I will look at two files, and then tell you what stands in them.',
      calls: [
        { name: 'read_file', arguments: { path: 'a/long/path/to/some/file.txt' } },
        { name: 'read_file', arguments: {} },
      ],
    }
    const { anthropic } = await setUp({ script: () => answer, clock: new ManualClock() })
    const params = ask('go', { tools: TOOLS, thinking: THINKING })
    const whole = await anthropic.messages.create(params)
    const stream = anthropic.messages.stream(params)
    const events = await collect(stream)
    const { parsed_output, ...streamed } = await stream.finalMessage()
    // The ids follow from the body, which says `stream`; so does the place of each signature.
    const comparable = (message: object) =>
      JSON.parse(JSON.stringify(message).replaceAll(/(msg|toolu)_\w+/g, '$1_'))
    expect(comparable(streamed)).toEqual(comparable(whole))
    const names = events.map(({ type }) => type)
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      'message_start',
      ...Array.from({ length: 4 }, () => [
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
      ]).flat(),
      'message_delta',
      'message_stop',
    ])
  })

  it('keep to max_tokens and to stop sequences', async () => {
    const { anthropic } = await setUp({ script: () => ({ text: words(500) }) })
    const cut = await anthropic.messages.create(ask('go', { max_tokens: 20 }))
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 20 } })
    const stopped = await anthropic.messages.create(ask('go', { stop_sequences: ['word3'] }))
    expect(stopped).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'word3',
      content: [{ text: 'word0 word1 word2 ' }],
    })
  })

  it('follow a script, then the assistant', async () => {
    const { anthropic, dev } = await setUp({ script: [{ text: 'one' }] })
    const texts = async () => (await anthropic.messages.create(ask('hi'))).content[0]
    expect(await texts()).toMatchObject({ text: 'one' })
    expect(await texts()).toMatchObject({ text: 'You said “hi”. I have noted it.' })
    dev.script((asked) => ({ text: `${asked.turns.length} turns to ${asked.model}` }))
    expect(await texts()).toMatchObject({ text: '1 turns to dev' })
  })

  it('are the same for the same request', async () => {
    const clock = new ManualClock()
    const [one, other] = [await setUp({ clock }), await setUp({ clock })]
    const params = ask('read a.txt', { tools: TOOLS, thinking: THINKING })
    expect(await one.anthropic.messages.create(params)).toEqual(
      await other.anthropic.messages.create(params),
    )
  })
})

describe('a tool round with thinking', () => {
  async function round(
    profile = PROFILES.anthropic as
      | typeof PROFILES.anthropic
      | (typeof PROFILES)['anthropic-legacy'],
  ) {
    const { anthropic } = await setUp({ profiles: { anthropic: profile } })
    const params = ask('read a.txt', { tools: TOOLS, thinking: THINKING, system: 'Be brief.' })
    const { content } = await anthropic.messages.create(params)
    const results = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'one\ntwo' }]
        : [],
    )
    const send = (answer: Anthropic.ContentBlockParam[], more: Partial<Params> = {}) =>
      anthropic.messages.create({
        ...params,
        messages: [
          ...params.messages,
          { role: 'assistant', content: answer },
          { role: 'user', content: results },
        ],
        ...more,
      })
    return { content: content as Anthropic.ContentBlockParam[], send, anthropic, params, results }
  }

  it('goes through as it came', async () => {
    const { content, send } = await round()
    expect(await send(content)).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'thinking' }, { type: 'text', text: expect.stringContaining('“one”') }],
    })
  })

  it.each([
    ['a changed text', (block: object) => ({ ...block, thinking: 'I thought something else.' })],
    ['a changed signature', (block: object) => ({ ...block, signature: 'bm90IG91cnM=' })],
  ])('is refused with %s [VALID-A12]', async (_, change) => {
    const { content, send } = await round(PROFILES['anthropic-legacy'])
    const changed = content.map((block) =>
      block.type === 'thinking' ? (change(block) as Anthropic.ContentBlockParam) : block,
    )
    const error = await rejection(send(changed))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(String(error)).toContain('VALID-A12')
  })

  it('is refused behind a changed prefix only where thinking is bound to it [VALID-A22]', async () => {
    const bound = await round()
    const error = await rejection(bound.send(bound.content, { system: 'Be long.' }))
    expect(String(error)).toMatch(/400 .*VALID-A22/)
    const free = await round(PROFILES['anthropic-legacy'])
    expect(await free.send(free.content, { system: 'Be long.' })).toMatchObject({ type: 'message' })
  })

  it('drops the block instead where the request asks for it, and says so', async () => {
    const { content, anthropic, params, results } = await round()
    const { thinking, ...rest } = params
    const answer = await anthropic.beta.messages.create({
      ...(rest as Anthropic.Beta.MessageCreateParamsNonStreaming),
      system: 'Be long.',
      thinking: { ...THINKING, block_binding: { prefix_mismatch_behavior: 'drop_block' } },
      betas: ['thinking-binding-controls-2026-08-01'],
      messages: [
        { role: 'user', content: 'read a.txt' },
        { role: 'assistant', content: content as Anthropic.Beta.BetaContentBlockParam[] },
        { role: 'user', content: results },
      ],
    })
    expect(answer.input_transformations).toEqual([
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
    ])
  })

  it('still holds when the server that gave the answer is gone [VALID-A13]', async () => {
    const first = await round()
    const done = await first.send(first.content)
    const { anthropic } = await setUp()
    const again = (opening: string) =>
      anthropic.messages.create({
        ...first.params,
        messages: [
          { role: 'user', content: opening },
          { role: 'assistant', content: first.content },
          { role: 'user', content: first.results },
          { role: 'assistant', content: done.content as Anthropic.ContentBlockParam[] },
          { role: 'user', content: 'thanks' },
        ],
      })
    expect(await again('read a.txt')).toMatchObject({ type: 'message' })
    expect(String(await rejection(again('read b.txt')))).toMatch(/400 .*VALID-A13/)
  })
})

describe('compaction on demand', () => {
  const betas = ['compact-2026-09-04']

  it('answers with one signed block, which opens the next request', async () => {
    const { anthropic } = await setUp()
    const messages: Anthropic.Beta.BetaMessageParam[] = [
      { role: 'user', content: 'The port is 8443.' },
      { role: 'assistant', content: 'Noted.' },
    ]
    const ask = { model: MODEL, max_tokens: 4_096, betas }
    const compacted = await anthropic.beta.messages.create({
      ...ask,
      messages,
      compaction: { type: 'summarize' },
    })
    expect(compacted.stop_reason).toBe('compaction')
    expect(compacted.content).toMatchObject([
      { type: 'compaction', content: expect.stringContaining('8443') },
    ])
    const [block] = compacted.content as [Anthropic.Beta.BetaCompactionBlockParam]
    const next = (content: Anthropic.Beta.BetaCompactionBlockParam) =>
      anthropic.beta.messages.create({
        ...ask,
        messages: [
          { role: 'assistant', content: [content] },
          { role: 'user', content: 'What is the port?' },
        ],
      })
    expect((await next(block)).content).toMatchObject([{ text: expect.stringContaining('8443') }])
    const changed = await rejection(next({ ...block, content: 'The port is 80.' }))
    expect(changed).toMatchObject({ status: 400, errorCode: 'compaction_content_mismatch' })
  })
})

describe('compaction on demand that came to nothing', () => {
  const betas = ['compact-2026-09-04']
  const messages: Anthropic.Beta.BetaMessageParam[] = [
    { role: 'user', content: 'The port is 8443.' },
    { role: 'assistant', content: 'Noted.' },
  ]

  it.each([
    ['max_tokens', { fault: { kind: 'cut-off' } }],
    ['refusal', { fault: { kind: 'refusal' } }],
  ] as const)('%s: no summary, and no content [VALID-A15]', async (stop, step) => {
    const { anthropic, dev } = await setUp()
    dev.script([step])
    const compaction = { type: 'summarize' } as const
    const ask = { model: MODEL, max_tokens: 4_096, betas, messages, compaction }
    const answer = await anthropic.beta.messages.create(ask)
    expect([answer.stop_reason, answer.content]).toEqual([stop, []])
  })

  it('is refused behind what it summarises, or twice [VALID-A15]', async () => {
    const { anthropic } = await setUp()
    const ask = { model: MODEL, max_tokens: 4_096, betas }
    const { content } = await anthropic.beta.messages.create({
      ...ask,
      messages,
      compaction: { type: 'summarize' },
    })
    const [block] = content as [Anthropic.Beta.BetaCompactionBlockParam]
    const next = { role: 'user', content: 'What is the port?' } as const
    const sent = (...before: Anthropic.Beta.BetaMessageParam[]) =>
      rejection(anthropic.beta.messages.create({ ...ask, messages: [...before, next] }))
    const summary: Anthropic.Beta.BetaMessageParam = { role: 'assistant', content: [block] }
    expect(await sent({ role: 'user', content: 'The port is 8443.' }, summary)).toMatchObject({
      errorCode: 'compaction_block_misplaced',
    })
    expect(await sent({ role: 'assistant', content: [block, block] })).toMatchObject({
      errorCode: 'compaction_block_ambiguous',
    })
  })
})

describe('counting', () => {
  it('counts what a request would be billed, without answering it', async () => {
    const { anthropic, dev } = await setUp()
    const params = {
      model: MODEL,
      system: 'Be brief.',
      tools: TOOLS,
      messages: ask('hello').messages,
    }
    const { input_tokens } = await anthropic.messages.countTokens(params)
    const { usage } = await anthropic.messages.create({ ...params, max_tokens: 100 })
    expect(usage.input_tokens).toBe(input_tokens)
    expect(dev.requests.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['/v1/messages/count_tokens', 'answered'],
      ['/v1/messages', 'answered'],
    ])
  })

  it('holds a counted request to the same rules', async () => {
    const { anthropic } = await setUp()
    const error = await rejection(anthropic.messages.countTokens({ model: MODEL, messages: [] }))
    expect(error).toBeInstanceOf(BadRequestError)
  })
})

describe('the cache', () => {
  it('is billed by marks, and forgets in time', async () => {
    const clock = new ManualClock()
    const { anthropic } = await setUp({ clock, minCacheTokens: 100 })
    const system = { type: 'text' as const, text: words(400) }
    const marked = { ...system, cache_control: { type: 'ephemeral' as const } }
    const systemTokens = estimateTokens(system.text) + ENVELOPE_TOKENS
    const helloTokens = estimateTokens('hello') + ENVELOPE_TOKENS
    const bill = async (params: Params) => {
      const { usage } = await anthropic.messages.create(params)
      return [usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens]
    }
    const params = ask('hello', { system: [marked] })
    expect(await bill(params)).toEqual([0, systemTokens, helloTokens])
    expect(await bill(params)).toEqual([systemTokens, 0, helloTokens])
    clock.advance(5 * 60_000)
    expect(await bill(params)).toEqual([0, systemTokens, helloTokens])
    expect(await bill(ask('hello', { system: [system] }))).toEqual([
      0,
      0,
      systemTokens + helloTokens,
    ])
    // A mark for the whole request falls on its last block; what was kept before it is found.
    const automatic = ask('hello', {
      system: [system],
      cache_control: { type: 'ephemeral', ttl: '1h' },
    })
    expect(await bill(automatic)).toEqual([systemTokens, helloTokens, 0])
    const { usage } = await anthropic.messages.create(automatic)
    expect(usage.cache_read_input_tokens).toBe(systemTokens + helloTokens)
  })

  it.each([
    ['claude-opus-5', 512],
    ['claude-sonnet-5', 1_024],
    ['claude-sonnet-4-5', 1_024],
    ['claude-3-5-haiku-latest', 2_048],
    ['claude-haiku-4-5', 4_096],
    ['claude-opus-4-6', 4_096],
    ['claude-opus-4-8', 1_024],
    ['dev', 1_024],
  ])('of %s keeps no prefix of fewer than %i tokens [VALID-A17]', async (model, least) => {
    const { anthropic } = await setUp()
    const tokensOf = (text: string) => estimateTokens(text) + ENVELOPE_TOKENS
    let text = words(Math.floor(least / 4))
    while (tokensOf(`${text} a`) < least) text += ' a'
    const written = async (text: string) => {
      const system = [
        { type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } },
      ]
      const { usage } = await anthropic.messages.create(ask('hello', { model, system }))
      return usage.cache_creation_input_tokens
    }
    expect([await written(text), await written(`${text} a`)]).toEqual([0, tokensOf(`${text} a`)])
  })

  it('keeps tools and system when tools may no longer be called', async () => {
    const { anthropic } = await setUp({ minCacheTokens: 100 })
    const tools = [{ ...TOOLS[0], description: words(300) } as Anthropic.Tool]
    const system = [
      { type: 'text' as const, text: words(200), cache_control: { type: 'ephemeral' as const } },
    ]
    const params = ask('hello', { tools, system })
    const keptTokens =
      buildSegment('tools', tools[0] as never).tokens + estimateTokens(words(200)) + ENVELOPE_TOKENS
    await anthropic.messages.create(params)
    const { usage } = await anthropic.messages.create({ ...params, tool_choice: { type: 'none' } })
    expect(usage.cache_read_input_tokens).toBe(keptTokens)
  })
})

describe('refusals', () => {
  it('are the SDK’s own errors, with the rule that was broken', async () => {
    const { anthropic, dev } = await setUp()
    const orphan = ask([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }], {
      tools: TOOLS,
    })
    const error = await rejection(anthropic.messages.create(orphan))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      requestID: expect.stringMatching(/^req_/),
      apiMessage: expect.stringMatching(
        /^messages\.0\.content\.0\.tool_use_id: unexpected `tool_use_id` found in `tool_result` blocks.*VALID-A5/,
      ),
    })
    expect(dev.requests[0]).toMatchObject({ outcome: 'refused', violations: [{ id: 'VALID-A5' }] })
  })

  it('tell of an input, and of an answer, that the window cannot hold [VALID-A19]', async () => {
    const { anthropic } = await setUp({ windowTokens: 1_000 })
    const tokens = estimateTokens(words(2_000)) + ENVELOPE_TOKENS
    const long = await rejection(anthropic.messages.create(ask(words(2_000), { max_tokens: 10 })))
    expect(String(long)).toContain(`prompt is too long: ${tokens} tokens > 1000 maximum`)
    const both = await rejection(anthropic.messages.create(ask('hello', { max_tokens: 1_000 })))
    expect(String(both)).toContain(
      'input length and `max_tokens` exceed context limit: 5 + 1000 > 1000',
    )
  })

  it('are fewer where the model stops at the window instead [VALID-A19]', async () => {
    const { anthropic } = await setUp({
      windowTokens: 100,
      stopsAtWindow: true,
      script: () => ({ text: words(500) }),
    })
    const answer = await anthropic.messages.create(ask('hello', { max_tokens: 1_000 }))
    expect(answer).toMatchObject({
      stop_reason: 'model_context_window_exceeded',
      usage: { input_tokens: 5, output_tokens: 95 },
    })
  })

  it('tell of keys and models that are not known, and keep no key', async () => {
    const { anthropic, dev } = await setUp({ apiKey: 'another', models: ['small'] })
    expect(await rejection(anthropic.messages.create(ask('hi')))).toBeInstanceOf(
      AuthenticationError,
    )
    const known = new Anthropic({ apiKey: 'another', baseURL: dev.url, maxRetries: 0 })
    expect(await rejection(known.messages.create(ask('hi')))).toBeInstanceOf(NotFoundError)
    await known.messages.create(ask('hi', { model: 'small' }))
    expect(JSON.stringify(dev.requests)).not.toContain('another')
    expect(JSON.stringify(dev.requests)).not.toContain(KEY)
  })

  it.each<[string, Partial<Params> & Record<string, unknown>]>([
    ['max_tokens: Input should be', { max_tokens: 0 }],
    ['frequency_penalty: Extra inputs are not permitted', { frequency_penalty: 1 }],
    ['budget_tokens: Input should be', { thinking: { type: 'enabled', budget_tokens: 10 } }],
    ['`max_tokens` must be greater than', { thinking: { type: 'enabled', budget_tokens: 5_000 } }],
    [
      'Thinking may not be enabled when tool_choice forces',
      { thinking: THINKING, tools: TOOLS, tool_choice: { type: 'any' } },
    ],
    ['tool_choice may only be specified', { tool_choice: { type: 'auto' } }],
  ])('%s', async (message, more) => {
    const { anthropic } = await setUp()
    expect(String(await rejection(anthropic.messages.create(ask('hi', more))))).toContain(message)
  })
})

describe('an abort', () => {
  it('is seen by the server, before an answer and in the middle of one', async () => {
    const clock = new ManualClock()
    const { anthropic, dev } = await setUp({ clock })
    dev.fail({ kind: 'stall' })
    const before = new AbortController()
    const waiting = rejection(anthropic.messages.create(ask('hi'), { signal: before.signal }))
    await until('the model to stall', () => clock.sleepers > 0)
    before.abort()
    expect(await waiting).toBeInstanceOf(APIUserAbortError)
    dev.fail({ kind: 'stall', at: 'middle' })
    const stream = await anthropic.messages.create({ ...ask('hi'), stream: true })
    for await (const event of stream) if (event.type === 'content_block_start') break
    await dev.idle()
    expect(dev.requests.map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted'])
  })
})

describe('models', () => {
  it('are listed with their window', async () => {
    const { anthropic } = await setUp({ models: ['small', 'large'], windowTokens: 12_345 })
    const list = await collect(anthropic.models.list())
    expect(list.map(({ id, max_input_tokens }) => [id, max_input_tokens])).toEqual([
      ['small', 12_345],
      ['large', 12_345],
    ])
    expect(await anthropic.models.retrieve('small')).toMatchObject({ id: 'small' })
    expect(await rejection(anthropic.models.retrieve('none'))).toBeInstanceOf(NotFoundError)
  })
})
