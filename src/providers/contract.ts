// The contract suite for providers: takes a provider and a server that speaks its API.
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PrecisError } from '../core/errors.ts'
import { collectAnswer, type ModelFrame, type ModelRequest, type Provider } from '../core/model.ts'
import type { Clock } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'
import type { Message } from '../core/view/message.ts'
import type { Violation } from '../validate/rule.ts'
import {
  type FixtureServer,
  pausesKept,
  type Reply,
  startFixtureServer,
} from './contract/fixture-server.ts'
import type { RetryPolicy, Timeouts } from './failures/timed-fetch.ts'

export interface ProviderHarness {
  readonly name: string
  create(options: {
    readonly baseUrl: string
    readonly apiKey: string
    readonly clock: Clock
    readonly random: () => number
    readonly retry?: Partial<RetryPolicy>
    readonly timeouts?: Partial<Timeouts>
  }): Provider
  /** A complete answer with one text; without `usage` it reports none. */
  answer(text: string, usage?: TokenUsage): Reply
  /** An answer that breaks off after the text. */
  beginning(text: string): Reply
  /** The API's error answer with this status. */
  refusal(status: number, message: string): Reply
  /** False for servers that take no key. */
  readonly needsKey: boolean
  /** The API rules a body breaks. */
  violations(body: Json): readonly Violation[]
  /** A request no repair helps, and the rule it would break. */
  readonly unsendable: { readonly request: Partial<ModelRequest>; readonly rule: string }
}

const KEY = 'sk-contract-0123456789abcdef'
const USAGE: TokenUsage = { promptTokens: 100, completionTokens: 50, totalTokens: 150 }

export const REQUEST: ModelRequest = {
  model: 'm-1',
  system: ['Be brief.'],
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  toolChoice: 'auto',
  maxOutputTokens: 1_000,
  cache: false,
}

const READ = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }
const text = (content: string) => ({ type: 'text', text: content }) as const

/** Half a character, a result without a call, a message without words, a call without a result. */
const BROKEN: readonly Message[] = [
  { role: 'assistant', parts: [text('Hi \ud83d')] },
  {
    role: 'user',
    parts: [{ type: 'tool_result', id: 'nowhere', content: [text('A')], status: 'completed' }],
  },
  { role: 'user', parts: [text(' \n')] },
  { role: 'assistant', parts: [{ type: 'tool_call', id: 't1', name: 'read', arguments: {} }] },
  { role: 'user', parts: [text('Go on')] },
]

export function providerContract(harness: ProviderHarness): void {
  const { answer, beginning, refusal } = harness
  describe(`${harness.name}, as every provider`, () => {
    let server: FixtureServer
    beforeEach(async () => {
      server = await startFixtureServer()
    })
    afterEach(() => server.close())

    function given(timeouts: Partial<Timeouts> = {}, baseUrl = server.url, apiKey = KEY) {
      const { clock, pausesMs } = pausesKept()
      const provider = harness.create({ baseUrl, apiKey, clock, random: () => 0, timeouts })
      return { provider, pausesMs }
    }

    it('streams a text, then gives it whole, with the usage that was reported', async () => {
      server.replyWith(answer('Hi there', USAGE))
      const frames = await allFrames(given().provider.stream(REQUEST))
      const deltas = frames.flatMap((frame) => (frame.type === 'text-delta' ? [frame.text] : []))
      expect(deltas.join('')).toBe('Hi there')
      expect(frames).toContainEqual({ type: 'part', part: { type: 'text', text: 'Hi there' } })
      expect(frames.at(-1)).toMatchObject({ type: 'end', stopReason: 'end', usage: USAGE })
    })

    it('knows no usage where the response has none, and never zeros [LOG-04]', async () => {
      server.replyWith(answer('Hi'))
      const { answer: kept } = await collectAnswer('p/m', given().provider.stream(REQUEST))
      expect(kept.tokenUsage).toBeUndefined()
      expect(kept).not.toHaveProperty('tokenUsage')
    })

    it('sends nothing where there is nothing to send, and names the rule', async () => {
      const broken = { ...REQUEST, system: [], messages: [] }
      await expect(allFrames(given().provider.stream(broken))).rejects.toMatchObject({
        code: 'invalid-request',
        details: { rule: expect.stringMatching(/^VALID-/) },
      })
      expect(server.asked).toEqual([])
    })

    it('sends nothing that breaks a rule, and names the rule [NEED-02]', async () => {
      const { request, rule } = harness.unsendable
      const asking = allFrames(given().provider.stream({ ...REQUEST, ...request }))
      await expect(asking).rejects.toMatchObject({ details: { rule } })
      expect(server.asked).toEqual([])
    })

    it('repairs a history that is already broken, and says how [NEED-02]', async () => {
      server.replyWith(answer('Well'))
      const stream = given().provider.stream({ ...REQUEST, tools: [READ], messages: BROKEN })
      const { repairs } = await collectAnswer('p/m', stream)
      for (const problem of ['half a character', 'nowhere', 't1']) {
        expect(repairs).toContainEqual(expect.stringContaining(problem))
      }
      expect(server.asked.map(({ body }) => harness.violations(body))).toEqual([[]])
    })

    it('asks again after a passing failure, with growing pauses', async () => {
      const busy = refusal(503, 'busy')
      server.replyWith(busy, busy, answer('At last'))
      const { provider, pausesMs } = given()
      const { answer: kept } = await collectAnswer('p/m', provider.stream(REQUEST))
      expect(kept.content).toBe('At last')
      expect(server.asked).toHaveLength(3)
      expect(pausesMs).toEqual([500, 1_000])
    })

    it('gives up after five attempts, with the last failure', async () => {
      server.replyWith(refusal(500, 'broken'))
      await expect(allFrames(given().provider.stream(REQUEST))).rejects.toMatchObject({
        code: 'model-failed',
        retryable: true,
      })
      expect(server.asked).toHaveLength(5)
    })

    it('waits as long as the server asks, but not for ever', async () => {
      const limited = refusal(429, 'slow down')
      const asking = (seconds: string) => ({
        ...limited,
        headers: { ...limited.headers, 'retry-after': seconds },
      })
      server.replyWith(asking('7'), asking('3600'))
      const { provider, pausesMs } = given()
      await expect(allFrames(provider.stream(REQUEST))).rejects.toMatchObject({
        code: 'rate-limited',
        details: { retryAfterMs: 3_600_000 },
      })
      expect(pausesMs).toEqual([7_000])
      expect(server.asked).toHaveLength(2)
    })

    it('does not ask again once a frame was given out', async () => {
      server.replyWith({ ...beginning('Half'), ending: 'hang' }, answer('Whole'))
      const { provider, pausesMs } = given()
      const frames: ModelFrame[] = []
      const reading = (async () => {
        for await (const frame of provider.stream(REQUEST)) {
          frames.push(frame)
          server.breakConnections()
        }
      })()
      await expect(reading).rejects.toMatchObject({ code: 'unreachable' })
      expect(frames).toContainEqual({ type: 'text-delta', text: 'Half' })
      expect(pausesMs).toEqual([])
      expect(server.asked).toHaveLength(1)
    })

    it('takes an answer that ends without its end as broken', async () => {
      server.replyWith(beginning('Half'))
      await expect(allFrames(given().provider.stream(REQUEST))).rejects.toBeInstanceOf(PrecisError)
    })

    it('closes the connection when the signal fires, and rejects with aborted', async () => {
      server.replyWith({ ...beginning('Half'), ending: 'hang' })
      const controller = new AbortController()
      const reading = (async () => {
        for await (const _ of given().provider.stream({ ...REQUEST, signal: controller.signal }))
          controller.abort()
      })()
      await expect(reading).rejects.toMatchObject({ code: 'aborted' })
      await server.asked[0]?.left
    })

    it('sends nothing when the signal fired before', async () => {
      const signal = AbortSignal.abort()
      await expect(
        allFrames(given().provider.stream({ ...REQUEST, signal })),
      ).rejects.toMatchObject({
        code: 'aborted',
      })
      expect(server.asked).toHaveLength(0)
    })

    it('closes the connection when the reader leaves', async () => {
      server.replyWith({ ...beginning('Half'), ending: 'hang' })
      for await (const _ of given().provider.stream(REQUEST)) break
      await server.asked[0]?.left
    })

    it('does not wait for ever for an answer to begin', async () => {
      server.replyWith({ ...beginning('Half'), ending: 'silence' })
      const { provider, pausesMs } = given({ connectMs: 50 })
      await expect(allFrames(provider.stream(REQUEST))).rejects.toMatchObject({
        code: 'timeout',
        message: expect.stringContaining('0.05 s'),
      })
      expect(pausesMs).toHaveLength(1) // a timeout is retried once
      await server.asked[0]?.left
    })

    it('does not wait for ever for the rest of an answer', async () => {
      server.replyWith({ ...beginning('Half'), ending: 'hang' })
      const reading = allFrames(given({ idleMs: 50 }).provider.stream(REQUEST))
      await expect(reading).rejects.toMatchObject({ code: 'timeout', retryable: true })
      await server.asked[0]?.left
    })

    it('refuses a request that breaks a rule, names the rule and the place, and sends nothing', async () => {
      const messages: ModelRequest['messages'] = []
      await expect(
        allFrames(given().provider.stream({ ...REQUEST, messages })),
      ).rejects.toMatchObject({
        code: 'invalid-request',
        where: expect.stringMatching(/^(?:messages|input|contents)/),
        details: { rule: expect.stringMatching(/^VALID-/) },
      })
      expect(server.asked).toHaveLength(0)
    })

    it('says what is wrong and what to do where no server is, and does not try again', async () => {
      await server.close()
      const url = server.url
      server = await startFixtureServer()
      const { provider, pausesMs } = given({}, url)
      await expect(allFrames(provider.stream(REQUEST))).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining(url),
        hint: expect.stringContaining('Start the server'),
      })
      expect(pausesMs).toEqual([])
    })

    it('never quotes the key, whatever the server says', async () => {
      for (const status of [400, 401, 403, 404, 413, 429, 500]) {
        server.replyWith(refusal(status, `the key ${KEY} is not welcome`))
        const { clock } = pausesKept()
        const provider = harness.create({
          baseUrl: server.url,
          apiKey: KEY,
          clock,
          random: () => 0,
          retry: { retries: 0 },
        })
        const error = await allFrames(provider.stream(REQUEST)).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(PrecisError)
        expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY)
      }
    })

    if (!harness.needsKey) return
    it('asks for a key before it asks the server', async () => {
      await expect(
        allFrames(given({}, server.url, ' ').provider.stream(REQUEST)),
      ).rejects.toMatchObject({
        code: 'auth-failed',
        hint: expect.stringMatching(/^Set [A-Z_]+_API_KEY/),
      })
      expect(server.asked).toHaveLength(0)
    })
  })
}

export async function allFrames(frames: AsyncIterable<ModelFrame>): Promise<ModelFrame[]> {
  const kept: ModelFrame[] = []
  for await (const frame of frames) kept.push(frame)
  return kept
}
