// The official OpenAI SDK, unmodified, on Responses against the stand-in.
import { BadRequestError, NotFoundError } from 'openai'
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { ENVELOPE_TOKENS } from '../../src/dev-model/count.ts'
import { ManualClock } from './manual-clock.ts'
import { collect, MODEL, PATH_SCHEMA, rejection, setUp, words } from './setup.ts'

type Params = ResponseCreateParamsNonStreaming

const TOOLS: NonNullable<Params['tools']> = [
  { type: 'function', name: 'read_file', parameters: PATH_SCHEMA, strict: false },
]
const ask = (input: Params['input'], more: Partial<Params> = {}): Params => ({
  model: MODEL,
  ...(input !== undefined && { input }),
  ...more,
})
const REASONING = {
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
} satisfies Partial<Params>

describe('answers', () => {
  it('come whole: text, reasoning, calls in parallel, status, usage', async () => {
    const { openai } = await setUp()
    const text = await openai.responses.create(ask('hello'))
    expect(text).toMatchObject({
      output_text: 'You said “hello”. I have noted it.',
      status: 'completed',
      usage: { input_tokens: estimateTokens('hello') + ENVELOPE_TOKENS },
    })
    const work = await openai.responses.create(
      ask('read a.txt\nread b.txt', { tools: TOOLS, ...REASONING }),
    )
    expect(work.output).toMatchObject([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text' }],
        encrypted_content: expect.any(String),
      },
      { type: 'message' },
      { type: 'function_call', name: 'read_file', arguments: '{"path":"a.txt"}' },
      { type: 'function_call', name: 'read_file', arguments: '{"path":"b.txt"}' },
    ])
    expect(work.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
  })

  it('stream to the very same response, in numbered events', async () => {
    const { openai } = await setUp({ clock: new ManualClock() })
    const params = ask('read a.txt', { tools: TOOLS, ...REASONING })
    const whole = await openai.responses.create(params)
    const stream = openai.responses.stream({ ...params, stream: true })
    const events = await collect(stream)
    const comparable = (response: object) =>
      JSON.parse(JSON.stringify(response).replaceAll(/(msg|fc|rs|resp|call)_\w+/g, '$1_'))
    const streamed = comparable(await stream.finalResponse())
    expect(streamed.output).toMatchObject(comparable(whole).output)
    expect(streamed.usage).toEqual(whole.usage)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const names = events.map(({ type }) => type.replace('response.', ''))
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
  })

  it('go through a whole tool round, sent again or by the id of the response', async () => {
    const { openai } = await setUp()
    const params = ask('read a.txt', { tools: TOOLS, ...REASONING })
    const first = await openai.responses.create(params)
    const outputs = first.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'one\ntwo' }]
        : [],
    )
    const again = await openai.responses.create({
      ...params,
      store: false,
      input: [
        { role: 'user', content: 'read a.txt' },
        ...(first.output as ResponseInputItem[]),
        ...outputs,
      ],
    })
    expect(again.output_text).toContain('“one” and has 2 lines')
    const byId = await openai.responses.create({
      ...params,
      previous_response_id: first.id,
      input: outputs,
    })
    expect(byId.output_text).toBe(again.output_text)
    expect(byId.usage?.input_tokens).toBe(again.usage?.input_tokens)
  })

  it('come to Codex, which says more of itself than the SDK does', async () => {
    const { openai } = await setUp()
    const body = { ...ask('hello'), client_metadata: { turn: '1' } }
    expect((await openai.responses.create(body)).status).toBe('completed')
  })

  it('are incomplete at the limit', async () => {
    const { openai } = await setUp({ script: () => ({ text: words(500) }) })
    const cut = await openai.responses.create(ask('go', { max_output_tokens: 20 }))
    expect(cut).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
      usage: { output_tokens: 20 },
    })
  })

  it('are kept until they are deleted, and not where the client says so', async () => {
    const { openai } = await setUp()
    const stored = await openai.responses.create(ask('hello'))
    expect((await openai.responses.retrieve(stored.id)).id).toBe(stored.id)
    await openai.responses.delete(stored.id)
    expect(await rejection(openai.responses.retrieve(stored.id))).toBeInstanceOf(NotFoundError)
    const forgotten = await openai.responses.create(ask('hello', { store: false }))
    const next = ask('and?', { previous_response_id: forgotten.id })
    expect(await rejection(openai.responses.create(next))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    })
  })
})

describe('compaction', () => {
  it('gives a window to go on with, whose item is opaque and cannot be changed', async () => {
    const { openai } = await setUp()
    const input: ResponseInputItem[] = [
      { role: 'user', content: 'The port is 8443.' },
      { role: 'assistant', content: 'Noted.' },
    ]
    const { output, object } = await openai.responses.compact({ model: MODEL, input })
    expect(object).toBe('response.compaction')
    expect(output.at(-1)).toMatchObject({ type: 'compaction' })
    const onward = [output.at(-1), { role: 'user', content: 'What is the port?' }]
    const answer = await openai.responses.create(ask(onward as ResponseInputItem[]))
    expect(answer.output_text).toContain('8443')
    const changed = [{ ...output.at(-1), id: 'cmp_1', encrypted_content: 'bm9uZQ==' }, onward[1]]
    const error = await rejection(openai.responses.create(ask(changed as ResponseInputItem[])))
    expect(error).toMatchObject({ status: 400, code: 'invalid_encrypted_content' })
  })
})

describe('counting and the cache', () => {
  it('count the same as is billed, and tell what was cached', async () => {
    const { openai } = await setUp()
    const params = { model: MODEL, instructions: words(1_000), input: 'hello' }
    const { input_tokens } = await openai.responses.inputTokens.count(params)
    const first = await openai.responses.create(params)
    expect(first.usage).toMatchObject({ input_tokens, input_tokens_details: { cached_tokens: 0 } })
    const second = await openai.responses.create({ ...params, input: 'other' })
    const instructionTokens = estimateTokens(params.instructions) + ENVELOPE_TOKENS
    expect(second.usage?.input_tokens_details.cached_tokens).toBe(
      Math.floor(instructionTokens / 128) * 128,
    )
  })
})

describe('refusals', () => {
  it('are the SDK’s own errors, with the rule that was broken', async () => {
    const { openai } = await setUp()
    const orphan: ResponseInputItem[] = [
      { role: 'user', content: 'hi' },
      { type: 'function_call_output', call_id: 'call_1', output: 'x' },
    ]
    const error = await rejection(openai.responses.create(ask(orphan)))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringMatching(/No tool call found for function call output.*VALID-R1/),
    })
  })

  it('tell of a reasoning item without what followed it', async () => {
    const { openai } = await setUp()
    const params = ask('read a.txt', { tools: TOOLS, ...REASONING })
    const { output } = await openai.responses.create(params)
    const input = [
      { role: 'user', content: 'read a.txt' },
      output[0],
      { role: 'user', content: 'go on' },
    ]
    const error = await rejection(
      openai.responses.create({ ...params, input: input as ResponseInputItem[] }),
    )
    expect(String(error)).toMatch(/without its required following item.*VALID-R3/)
  })

  it('tell of an input that is too long, unless it may be truncated', async () => {
    const { openai } = await setUp({ windowTokens: 1_000 })
    const input: ResponseInputItem[] = [
      { role: 'user', content: words(2_000) },
      { role: 'user', content: 'hello' },
    ]
    expect(await rejection(openai.responses.create(ask(input)))).toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringContaining('exceeds the context window of this model'),
    })
    const cut = await openai.responses.create(ask(input, { truncation: 'auto' }))
    expect(cut.usage?.input_tokens).toBe(estimateTokens('hello') + ENVELOPE_TOKENS)
  })
})
