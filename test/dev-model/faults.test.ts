// Every fault, through the official SDK of every wire format: what the client gets to see of it.
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { FaultOrder, WireId } from '../../src/dev-model/index.ts'
import { until } from '../wait.ts'
import { ManualClock } from './manual-clock.ts'
import { collect, MODEL, rejection, type Setup, setUp, words } from './setup.ts'

/** What a client has to show for an answer, whatever its format. */
interface Seen {
  readonly text: string
  readonly ending: string | null | undefined
  readonly inputTokens?: number | undefined
}

interface Client {
  whole(setup: Setup, prompt: string): Promise<Seen>
  stream(setup: Setup, prompt: string): Promise<unknown>
}

const CLIENTS: Readonly<Record<WireId, Client>> = {
  anthropic: {
    async whole({ anthropic }, content) {
      const messages = [{ role: 'user' as const, content }]
      const answer = await anthropic.messages.create({ model: MODEL, max_tokens: 1_000, messages })
      const [block] = answer.content
      return {
        text: block?.type === 'text' ? block.text : '',
        ending: answer.stop_reason,
        inputTokens: answer.usage.input_tokens,
      }
    },
    stream: async ({ anthropic }, content) => {
      const messages = [{ role: 'user' as const, content }]
      return collect(
        await anthropic.messages.create({
          model: MODEL,
          max_tokens: 1_000,
          messages,
          stream: true,
        }),
      )
    },
  },
  'openai-chat': {
    async whole({ openai }, content) {
      const messages = [{ role: 'user' as const, content }]
      const { choices, usage } = await openai.chat.completions.create({ model: MODEL, messages })
      const message = choices[0]?.message
      return {
        text: message?.content ?? '',
        ending: message?.refusal ? 'refusal' : choices[0]?.finish_reason,
        inputTokens: usage?.prompt_tokens,
      }
    },
    stream: async ({ openai }, content) => {
      const messages = [{ role: 'user' as const, content }]
      return collect(await openai.chat.completions.create({ model: MODEL, messages, stream: true }))
    },
  },
  'openai-responses': {
    async whole({ openai }, input) {
      const answer = await openai.responses.create({ model: MODEL, input })
      const isRefusal = JSON.stringify(answer.output).includes('"refusal"')
      return {
        text: answer.output_text,
        ending: isRefusal ? 'refusal' : answer.status,
        inputTokens: answer.usage?.input_tokens,
      }
    },
    stream: async ({ openai }, input) =>
      collect(await openai.responses.create({ model: MODEL, input, stream: true })),
  },
  ollama: {
    async whole({ ollama }, content) {
      const messages = [{ role: 'user', content }]
      const answer = await ollama.chat({ model: MODEL, messages })
      return {
        text: answer.message.content,
        ending: answer.done_reason,
        inputTokens: answer.prompt_eval_count,
      }
    },
    stream: async ({ ollama }, content) => {
      const messages = [{ role: 'user', content }]
      return collect(await ollama.chat({ model: MODEL, messages, stream: true }))
    },
  },
}

const WIRES = Object.keys(CLIENTS) as readonly WireId[]

describe.each(WIRES)('%s', (wire) => {
  const client = CLIENTS[wire]
  const fail = async (order: FaultOrder, prompt = 'hello') => {
    const setup = await setUp()
    setup.dev.fail(order)
    return { setup, error: await rejection(client.whole(setup, prompt)) }
  }
  const status = (error: unknown) =>
    (error as { status?: number }).status ?? (error as { status_code?: number }).status_code

  it('overflow: the provider’s own words', async () => {
    const { error } = await fail({ kind: 'overflow' })
    expect(status(error)).toBe(400)
    expect(String(error)).toMatch(
      /prompt is too long: 200001 tokens > 200000|maximum context length is 200000 tokens.*resulted in 200001|exceeds the context window|exceeds the context length/,
    )
  })

  it('rate limit: 429, with the time to wait', async () => {
    const { error, setup } = await fail({ kind: 'rate-limit', retryAfterS: 7 })
    expect(status(error)).toBe(429)
    if (error instanceof Anthropic.APIError || error instanceof OpenAI.APIError) {
      expect(error.headers?.get('retry-after')).toBe('7')
    }
    expect(await client.whole(setup, 'hello')).toMatchObject({
      text: expect.stringContaining('hello'),
    })
    expect(setup.dev.requests.map(({ fault }) => fault)).toEqual(['rate-limit', undefined])
  })

  it('overloaded and server error', async () => {
    expect(status((await fail({ kind: 'overloaded' })).error)).toBe(
      wire === 'anthropic' ? 529 : 503,
    )
    expect(status((await fail({ kind: 'server-error' })).error)).toBe(500)
  })

  it('overloaded in the middle of a stream', async () => {
    const setup = await setUp()
    setup.dev.fail({ kind: 'overloaded', at: 'middle' })
    expect(String(await rejection(client.stream(setup, 'hello')))).toMatch(/overloaded|busy/i)
    expect(setup.dev.requests[0]).toMatchObject({ outcome: 'refused', status: 200 })
  })

  it('drop: the connection ends, before the answer or in the middle of it', async () => {
    const setup = await setUp()
    setup.dev.fail({ kind: 'drop', at: 'start' })
    expect(await rejection(client.whole(setup, 'hello'))).toBeInstanceOf(Error)
    setup.dev.fail({ kind: 'drop' })
    expect(await rejection(client.stream(setup, 'hello'))).toBeInstanceOf(Error)
    await setup.dev.idle()
    expect(setup.dev.requests.map(({ outcome }) => outcome)).toEqual(['dropped', 'dropped'])
  })

  it('cut off, empty, refusal: answers that are none', async () => {
    const setup = await setUp({ script: () => ({ text: words(100) }) })
    const whole = await client.whole(setup, 'hello')
    setup.dev.fail({ kind: 'cut-off' })
    const cut = await client.whole(setup, 'hello')
    expect(whole.text.startsWith(cut.text) && cut.text.length < whole.text.length).toBe(true)
    expect(cut.ending).toMatch(/^(?:max_tokens|length|incomplete)$/)
    setup.dev.fail({ kind: 'empty' })
    expect((await client.whole(setup, 'hello')).text).toBe('')
    setup.dev.fail({ kind: 'refusal' })
    const refused = await client.whole(setup, 'hello')
    // Ollama has no word for it.
    expect(refused.ending).toBe(wire === 'ollama' ? 'stop' : 'refusal')
  })

  it('stall: nothing until the time has passed', async () => {
    const clock = new ManualClock()
    const setup = await setUp({ clock })
    for (const at of ['start', 'middle'] as const) {
      setup.dev.fail({ kind: 'stall', ms: 30_000, at })
      const answer = client.stream(setup, 'hello')
      await until('the model to stall', () => clock.sleepers > 0)
      clock.advance(29_999)
      expect(clock.sleepers).toBe(1)
      expect(setup.dev.requests.at(-1)?.outcome).toBe('open')
      clock.advance(1)
      expect(await answer).toBeDefined()
    }
    await setup.dev.idle()
    expect(setup.dev.requests.map(({ outcome }) => outcome)).toEqual(['answered', 'answered'])
  })

  it('truncate: the last message alone is read', async () => {
    const setup = await setUp()
    setup.dev.fail({ kind: 'truncate', windowTokens: 5 })
    const { inputTokens } = await client.whole(setup, 'hello')
    expect(inputTokens).toBe(5)
  })

  it('by a line of the prompt, once; the same prompt again goes through', async () => {
    const setup = await setUp()
    const prompt = 'hello\nfault: overloaded'
    expect(status(await rejection(client.whole(setup, prompt)))).toBeGreaterThanOrEqual(503)
    expect((await client.whole(setup, prompt)).text).toContain('hello')
  })
})

describe('orders', () => {
  it('by a header are for that request alone', async () => {
    const { anthropic } = await setUp()
    const messages = [{ role: 'user' as const, content: 'hello' }]
    const params = { model: MODEL, max_tokens: 100, messages }
    const headers = { 'x-precis-fault': 'rate-limit' }
    const error = await rejection(anthropic.messages.create(params, { headers }))
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    expect(await anthropic.messages.create(params)).toMatchObject({ type: 'message' })
  })

  it('are obeyed by the SDK’s own retries', async () => {
    const { dev } = await setUp()
    const patient = new Anthropic({ apiKey: 'x', baseURL: dev.url, maxRetries: 1 })
    dev.fail({ kind: 'rate-limit', retryAfterS: 0 })
    const messages = [{ role: 'user' as const, content: 'hello' }]
    await patient.messages.create({ model: MODEL, max_tokens: 100, messages })
    expect(dev.requests.map(({ status }) => status)).toEqual([429, 200])
  })

  it('come from other processes, too', async () => {
    const { dev, anthropic } = await setUp()
    const order = (body: object) =>
      fetch(`${dev.url}/precis/fail`, { method: 'POST', body: JSON.stringify(body) })
    expect(await (await order({ kind: 'empty' })).json()).toEqual({ ordered: 'empty' })
    const wrong = await order({ kind: 'emty' })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { hint: 'Did you mean empty?' }])
    const messages = [{ role: 'user' as const, content: 'hello' }]
    const answer = await anthropic.messages.create({ model: MODEL, max_tokens: 100, messages })
    expect(answer.content).toEqual([])
  })
})
