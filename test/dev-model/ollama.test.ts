// The official Ollama client, unmodified, against the stand-in.
import type { Message, Tool } from 'ollama'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { ENVELOPE_TOKENS } from '../../src/dev-model/count.ts'
import { until } from '../wait.ts'
import { ManualClock } from './manual-clock.ts'
import { collect, MODEL, PATH_SCHEMA, rejection, setUp, words } from './setup.ts'

const TOOLS: Tool[] = [
  {
    type: 'function',
    function: { name: 'read_file', description: 'reads', parameters: PATH_SCHEMA },
  },
]
const user = (content: string): Message => ({ role: 'user', content })

describe('answers', () => {
  it('come whole: text, thinking, calls in parallel, counts', async () => {
    const { ollama } = await setUp()
    const text = await ollama.chat({ model: MODEL, messages: [user('hello')], think: true })
    expect(text).toMatchObject({
      done: true,
      done_reason: 'stop',
      message: {
        content: 'You said “hello”. I have noted it.',
        thinking: expect.stringContaining('hello'),
      },
      prompt_eval_count: estimateTokens('hello') + ENVELOPE_TOKENS,
    })
    const messages = [user('read a.txt\nread b.txt')]
    const work = await ollama.chat({ model: MODEL, messages, tools: TOOLS })
    expect(work.message.tool_calls?.map((call) => call.function)).toEqual([
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'read_file', arguments: { path: 'b.txt' } },
    ])
  })

  it('stream to the very same message', async () => {
    const { ollama } = await setUp({ clock: new ManualClock() })
    const params = { model: MODEL, messages: [user('read a.txt')], tools: TOOLS, think: true }
    const whole = await ollama.chat(params)
    const lines = await collect(await ollama.chat({ ...params, stream: true }))
    const join = (pick: (message: Message) => string | undefined) =>
      lines.map(({ message }) => pick(message) ?? '').join('')
    expect(join(({ content }) => content)).toBe(whole.message.content)
    expect(join(({ thinking }) => thinking)).toBe(whole.message.thinking)
    expect(lines.flatMap(({ message }) => message.tool_calls ?? [])).toHaveLength(1)
    expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true])
    expect(lines.at(-1)?.eval_count).toBe(whole.eval_count)
  })

  it('go through a whole tool round without ids', async () => {
    const { ollama } = await setUp()
    const opening = user('read a.txt\nread b.txt')
    const { message } = await ollama.chat({ model: MODEL, messages: [opening], tools: TOOLS })
    const calls = (message.tool_calls ?? []).map((call) => ({ function: call.function }))
    const messages = [
      opening,
      { ...message, tool_calls: calls },
      { role: 'tool', tool_name: 'read_file', content: 'one' },
      { role: 'tool', tool_name: 'read_file', content: 'two' },
    ]
    const done = await ollama.chat({ model: MODEL, messages, tools: TOOLS })
    expect(done.message.content).toMatch(/a\.txt: it begins “one”.*\n.*b\.txt: it begins “two”/)
  })

  it('keep to num_predict', async () => {
    const { ollama } = await setUp({ script: () => ({ text: words(500) }) })
    const cut = await ollama.chat({
      model: MODEL,
      messages: [user('go')],
      options: { num_predict: 20 },
    })
    expect(cut).toMatchObject({ done_reason: 'length', eval_count: 20 })
  })
})

describe('a prompt beyond num_ctx', () => {
  it('loses its oldest messages without a word, and the count tells', async () => {
    const { ollama, dev } = await setUp({ ollamaContextTokens: 500 })
    dev.script((asked) => ({ text: String(asked.turns.length) }))
    const messages = [user(words(1_000)), { role: 'assistant', content: 'ok' }, user('hello')]
    const cut = await ollama.chat({ model: MODEL, messages })
    expect(cut.message.content).toBe('2')
    expect(cut.prompt_eval_count).toBeLessThanOrEqual(500)
    const roomy = await ollama.chat({ model: MODEL, messages, options: { num_ctx: 8_192 } })
    expect(roomy.message.content).toBe('3')
    expect(roomy.prompt_eval_count).toBeGreaterThan(1_000)
  })
})

describe('other calls', () => {
  it('list and show models, with the window where clients look for it', async () => {
    const { ollama } = await setUp({ models: ['small'], windowTokens: 12_345 })
    expect((await ollama.list()).models).toMatchObject([{ name: 'small' }])
    const shown = await ollama.show({ model: 'small' })
    expect(shown.model_info).toMatchObject({ 'dev.context_length': 12_345 })
    expect(shown.capabilities).toContain('tools')
    expect(await ollama.version()).toHaveProperty('version')
    expect(await rejection(ollama.show({ model: 'none' }))).toMatchObject({
      status_code: 404,
      error: "model 'none' not found",
    })
  })

  it('refuse what makes no sense', async () => {
    const { ollama } = await setUp()
    const strange = [{ role: 'nobody', content: 'x' }]
    expect(await rejection(ollama.chat({ model: MODEL, messages: strange }))).toMatchObject({
      name: 'ResponseError',
      status_code: 400,
    })
  })

  it('see an abort', async () => {
    const clock = new ManualClock()
    const { ollama, dev } = await setUp({ clock })
    dev.fail({ kind: 'stall', at: 'middle' })
    const stream = await ollama.chat({ model: MODEL, messages: [user('hi')], stream: true })
    const reading = rejection(collect(stream))
    await until('the model to stall', () => clock.sleepers > 0)
    stream.abort()
    expect(await reading).toMatchObject({ name: 'AbortError' })
    await dev.idle()
    expect(dev.requests[0]?.outcome).toBe('aborted')
  })
})
