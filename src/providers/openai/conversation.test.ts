// Whole conversations with the strict stand-in, which refuses what breaks a rule: one for each wire.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectAnswer, type ModelRequest, type Provider } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import type { Part } from '../../core/view/content.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { type DevModel, type DevModelOptions, startDevModel } from '../../dev-model/index.ts'
import { PROFILES } from '../../validate/validate.ts'
import { OPENAI_CHAT } from '../../wire/openai-chat/profile.ts'
import { pausesKept } from '../contract/fixture-server.ts'
import { noticingOverflow } from '../failures/silent-overflow.ts'
import { ollamaProvider } from '../ollama/provider.ts'
import { openaiChatProvider } from './chat.ts'
import { openaiResponsesProvider } from './responses.ts'

interface Case {
  readonly id: string
  readonly server?: DevModelOptions
  create(url: string, clock: Clock): Provider
}

const DEEPSEEK = { ...PROFILES.deepseek, strict: true }

const CASES: readonly Case[] = [
  {
    id: 'openai',
    create: (url, clock) =>
      openaiResponsesProvider({ baseUrl: `${url}/v1`, apiKey: 'any-key', needsKey: true, clock }),
  },
  {
    id: 'openai-chat',
    create: (url, clock) =>
      openaiChatProvider({
        baseUrl: `${url}/v1`,
        apiKey: 'any-key',
        profileOf: () => OPENAI_CHAT,
        clock,
      }),
  },
  {
    id: 'lmstudio',
    server: { profiles: { 'openai-chat': { ...PROFILES['openai-chat'], strict: true } } },
    create: (url, clock) =>
      openaiChatProvider({ id: 'lmstudio', baseUrl: `${url}/v1`, apiKey: 'any-key', clock }),
  },
  {
    id: 'mistral',
    server: { profiles: { 'openai-chat': PROFILES.mistral } },
    create: (url, clock) =>
      openaiChatProvider({
        id: 'mistral',
        baseUrl: `${url}/v1`,
        apiKey: 'any-key',
        profileOf: () => ({ backend: 'mistral' }),
        clock,
      }),
  },
  {
    id: 'deepseek',
    server: { profiles: { 'openai-chat': DEEPSEEK } },
    create: (url, clock) =>
      openaiChatProvider({
        id: 'deepseek',
        baseUrl: `${url}/v1`,
        apiKey: 'any-key',
        profileOf: () => ({ backend: 'deepseek' }),
        clock,
      }),
  },
  { id: 'ollama', create: (url, clock) => ollamaProvider({ baseUrl: url, clock }) },
]

const TOOLS = ['read', 'fs.list'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))

function readRequest(messages: readonly Message[]): ModelRequest {
  return {
    model: 'gpt-test',
    system: ['Be careful.'],
    messages,
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: 2_000,
    thinking: { effort: 'low' },
    cache: true,
  }
}

const user = (...parts: MessagePart[]): Message => ({ role: 'user', parts })
const text = (value: string): MessagePart => ({ type: 'text', text: value })

describe.each(CASES)('$id with the stand-in', ({ id, server, create }) => {
  let dev: DevModel
  beforeEach(async () => {
    dev = await startDevModel(server)
  })
  afterEach(() => dev.close())

  function given() {
    const { clock, pausesMs } = pausesKept()
    return { provider: create(dev.url, clock), pausesMs }
  }

  /** One answer, as the message that comes of it. */
  async function ask(provider: Provider, messages: readonly Message[]) {
    const collected = await collectAnswer(`${id}/gpt-test`, provider.stream(readRequest(messages)))
    const { answer, calls } = collected
    const parts: readonly Part[] = answer.parts ?? [{ type: 'text', text: answer.content }]
    const message: Message = {
      role: 'assistant',
      parts: parts.flatMap((part): MessagePart[] => {
        if (part.type !== 'tool_call') return [part]
        const call = calls.find((each) => each.id === part.callId)
        return call ? [{ type: 'tool_call', ...call }] : []
      }),
    }
    return { ...collected, message }
  }

  it('goes through rounds of parallel calls, thinking and images', async () => {
    dev.script([
      {
        thinking: 'Two files.',
        text: 'I look at both.',
        calls: [
          { name: 'read', arguments: { path: 'a'.repeat(300) } },
          { name: 'fs_list', arguments: { path: 'b' } },
        ],
      },
      { thinking: 'One more.', calls: [{ name: 'read', arguments: { path: 'c' } }] },
      { thinking: 'Done.', text: 'All read.' },
      { text: 'Goodbye.' },
    ])
    const { provider } = given()
    const messages: Message[] = [
      // What a compaction left, and an answer of another provider.
      { role: 'assistant', parts: [text('Summary: nothing was read.')] },
      user(text('Read them.'), { type: 'image', media: { mimeType: 'image/png', data: 'AAAA' } }),
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', thinking: 'foreign', signature: 's', model: 'anthropic/x' },
          { type: 'tool_call', id: 'toolu_01', name: 'read', arguments: {} },
        ],
      },
      user({ type: 'tool_result', id: 'toolu_01', content: [], status: 'aborted' }),
    ]
    const first = await ask(provider, messages)
    expect(first.answer).toMatchObject({ content: 'I look at both.', stopReason: 'tool_use' })
    expect(first.calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ['read', { path: 'a'.repeat(300) }],
      ['fs.list', { path: 'b' }],
    ])
    const results = first.calls.map(
      ({ id: callId }): MessagePart => ({
        type: 'tool_result',
        id: callId,
        content: [
          { type: 'text', text: 'content' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
        status: 'completed',
      }),
    )
    messages.push(first.message, user(...results.toReversed()))
    const second = await ask(provider, messages)
    const [call] = second.calls
    messages.push(
      second.message,
      user(
        { type: 'tool_result', id: call?.id ?? '', content: [], status: 'failed' },
        text('Never mind.'),
        { type: 'checkpoint', id: 'k1' },
      ),
    )
    const third = await ask(provider, messages)
    expect(third.answer).toMatchObject({ content: 'All read.', stopReason: 'end' })
    messages.push(third.message, user(text('Thanks.')))
    expect((await ask(provider, messages)).answer.content).toBe('Goodbye.')
    expect(dev.requests.map(({ outcome }) => outcome)).toEqual(Array(4).fill('answered'))
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
    expect(JSON.stringify(dev.requests.map(({ body }) => body))).not.toContain('foreign')
  })

  it('reports usage, in which the cached tokens are a part of the prompt', async () => {
    const { provider } = given()
    const { answer } = await ask(provider, [user(text('Hello'))])
    const { promptTokens = 0, completionTokens = 0, totalTokens } = answer.tokenUsage ?? {}
    expect(promptTokens).toBeGreaterThan(0)
    expect(totalTokens).toBe(promptTokens + completionTokens)
  })

  it('tells overflow from what passes, and asks again after the latter', async () => {
    dev.fail({ kind: 'overloaded' })
    const { provider, pausesMs } = given()
    await ask(provider, [user(text('Hello'))])
    expect(pausesMs).toHaveLength(1)
    dev.fail({ kind: 'overflow' })
    await expect(ask(provider, [user(text('Hello'))])).rejects.toMatchObject({ code: 'overflow' })
    expect(dev.requests).toHaveLength(3)
  })

  it('takes a broken connection for one', async () => {
    dev.fail({ kind: 'drop', times: 5 }) // before the first frame arrives, it asks again
    await expect(ask(given().provider, [user(text('Hello'))])).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  it('is seen to leave when it is aborted', async () => {
    dev.fail({ kind: 'stall', at: 'middle', ms: 60_000 })
    const controller = new AbortController()
    const request = { ...readRequest([user(text('Hello'))]), signal: controller.signal }
    const reading = (async () => {
      for await (const _ of given().provider.stream(request)) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    await dev.idle()
    expect(dev.requests.at(-1)?.outcome).toBe('aborted')
  })
})

describe('windows of the stand-in', () => {
  let dev: DevModel
  beforeEach(async () => {
    dev = await startDevModel({ windowTokens: 20_000, models: ['m'] })
  })
  afterEach(() => dev.close())
  const { clock } = pausesKept()

  it('are told by Ollama and by compatible servers', async () => {
    const compatible = openaiChatProvider({ baseUrl: `${dev.url}/v1`, apiKey: 'any', clock })
    expect(await compatible.windowOf?.('m')).toBe(20_000)
    expect(await ollamaProvider({ baseUrl: dev.url, clock }).windowOf?.('m')).toBe(20_000)
  })

  it('are counted against by Responses', async () => {
    const provider = openaiResponsesProvider({ baseUrl: `${dev.url}/v1`, apiKey: 'any', clock })
    const request = { ...readRequest([user(text('Hello'))]), model: 'm' }
    expect(await provider.countTokens?.(request)).toBeGreaterThan(10)
  })

  it('are cut to in silence by Ollama, and that is noticed', async () => {
    const provider = noticingOverflow(
      ollamaProvider({ baseUrl: dev.url, clock, windowTokens: 2_048 }),
      { windowOf: () => 2_048, cutsSilently: true },
    )
    const long = user(text('All work and no play makes a dull page. '.repeat(400)))
    const said: Message = { role: 'assistant', parts: [text('So be it.')] }
    const request = {
      ...readRequest([long, said, user(text('Hello'))]),
      model: 'm',
      maxOutputTokens: 100,
    }
    const { overflow } = await collectAnswer('ollama/m', provider.stream(request))
    expect(overflow).toBe('the server read less than it was sent')
    expect(dev.requests.at(-1)?.body).toMatchObject({ options: { num_ctx: 2_048 } })
  })
})
