// Whole conversations with the strict stand-in: it signs thinking, keeps a cache, and refuses what is wrong.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CollectedAnswer, collectAnswer, type ModelRequest } from '../../core/model.ts'
import type { Message } from '../../core/view/message.ts'
import { type DevModel, startDevModel } from '../../dev-model/index.ts'
import { pausesKept } from '../contract/fixture-server.ts'
import { allFrames } from '../contract.ts'
import { anthropicProvider } from './provider.ts'

const READ = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}
const LONG = 'A line about the project and what its parts are for.\n'.repeat(400)

let model: DevModel
beforeEach(async () => {
  model = await startDevModel()
})
afterEach(() => model.close())

function provider() {
  const { clock, pausesMs } = pausesKept()
  const made = anthropicProvider({
    id: 'dev',
    apiKey: 'dev',
    baseUrl: model.url,
    clock,
    random: () => 0,
  })
  return { ...made, pausesMs }
}

function request(messages: readonly Message[]): ModelRequest {
  return {
    model: 'dev',
    system: [LONG],
    messages,
    tools: [READ],
    toolChoice: 'auto',
    maxOutputTokens: 4_000,
    thinking: { effort: 'medium' },
    cache: true,
  }
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })

/** The answer as it stands in the next request, and the results of its calls. */
function roundOf({ answer, calls }: CollectedAnswer): Message[] {
  const byId = new Map(calls.map((call) => [call.id, call]))
  const parts = (answer.parts ?? [{ type: 'text', text: answer.content }]).flatMap(
    (part): Message['parts'][number][] => {
      if (part.type !== 'tool_call') return [part]
      const call = byId.get(part.callId)
      return call ? [{ type: 'tool_call', ...call }] : []
    },
  )
  const results = calls.map(({ id }): Message['parts'][number] => ({
    type: 'tool_result',
    id,
    content: [{ type: 'text', text: `result of ${id}` }],
    status: 'completed',
  }))
  return [
    { role: 'assistant', parts },
    ...(results.length > 0 ? [{ role: 'user' as const, parts: results }] : []),
  ]
}

describe('a conversation with tools and thinking', () => {
  it('is accepted at every step, with its thinking carried unchanged [VALID-A12]', async () => {
    model.script([
      {
        thinking: 'First I look.',
        calls: [
          { name: 'read', arguments: { path: 'a' } },
          { name: 'read', arguments: { path: 'b' } },
        ],
      },
      {
        thinking: 'Now the third.',
        text: 'One more.',
        calls: [{ name: 'read', arguments: { path: 'c' } }],
      },
      { thinking: 'Done.', text: 'All read.' },
      { thinking: 'Again.', text: 'You are welcome.' },
    ])
    const asked = provider()
    const messages: Message[] = [user('Read a, b and c.')]
    for (const next of [[], [], [user('Thanks!')], []]) {
      const collected = await collectAnswer('dev/dev', asked.stream(request(messages)))
      messages.push(...roundOf(collected), ...next)
      expect(collected.repairs).toEqual([])
    }
    expect(model.requests.map(({ status, violations }) => ({ status, violations }))).toEqual(
      Array.from({ length: 4 }, () => ({ status: 200, violations: [] })),
    )
    const thinking = messages.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'thinking'),
    )
    expect(thinking).toHaveLength(4)
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'You are welcome.' })
  })

  it('is read from the cache as far as it was sent before, and never written twice', async () => {
    model.script([
      { calls: [{ name: 'read', arguments: {} }] },
      { text: 'Done.' },
      { text: 'Bye.' },
    ])
    const asked = provider()
    const messages: Message[] = [user(LONG)]
    const usages = []
    for (const next of [[], [user('More?')], []]) {
      const collected = await collectAnswer('dev/dev', asked.stream(request(messages)))
      usages.push(collected.answer.tokenUsage)
      messages.push(...roundOf(collected), ...next)
    }
    const [first, second, third] = usages
    expect(first?.cacheReadTokens ?? 0).toBe(0)
    expect(first?.cacheWriteTokens).toBeGreaterThan(5_000)
    expect(second?.cacheReadTokens).toBe(first?.cacheWriteTokens)
    expect(third?.cacheReadTokens).toBe(
      (second?.cacheReadTokens ?? 0) + (second?.cacheWriteTokens ?? 0),
    )
    for (const usage of usages)
      expect(usage?.promptTokens).toBeGreaterThanOrEqual(
        (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0),
      )
  })

  it('is read from the cache behind more blocks than the provider looks back over [VALID-A17]', async () => {
    const reads = Array.from({ length: 30 }, (_, at) => ({
      name: 'read',
      arguments: { path: `${at}` },
    }))
    model.script([{ calls: reads }, { text: 'Done.' }])
    const asked = provider()
    const messages: Message[] = [user(LONG)]
    const first = await collectAnswer('dev/dev', asked.stream(request(messages)))
    messages.push(...roundOf(first))
    const second = await collectAnswer('dev/dev', asked.stream(request(messages)))
    expect(second.answer.tokenUsage?.cacheReadTokens).toBe(
      first.answer.tokenUsage?.cacheWriteTokens,
    )
  })

  it('counts before it asks what it is billed for afterwards', async () => {
    const asked = provider()
    const counted = await asked.countTokens?.(request([user(LONG)]))
    const { answer } = await collectAnswer('dev/dev', asked.stream(request([user(LONG)])))
    expect(answer.tokenUsage?.promptTokens).toBe(counted)
  })
})

describe('what goes wrong there', () => {
  it('says overflow when the context does not fit, and does not try again', async () => {
    model.fail({ kind: 'overflow' })
    const asked = provider()
    await expect(allFrames(asked.stream(request([user('Hi')])))).rejects.toMatchObject({
      code: 'overflow',
      retryable: false,
    })
    expect(asked.pausesMs).toEqual([])
  })

  it('waits out a limit and an overload', async () => {
    model.fail({ kind: 'rate-limit', retryAfterS: 3 })
    model.fail({ kind: 'overloaded' })
    model.fail({ kind: 'server-error' })
    const asked = provider()
    const frames = await allFrames(asked.stream(request([user('Hi')])))
    expect(frames.at(-1)).toMatchObject({ type: 'end' })
    expect(asked.pausesMs).toEqual([3_000, 1_000, 2_000])
  })

  it('does not pass off an answer as whole whose connection broke, nor begin it again', async () => {
    model.script([{ text: 'word '.repeat(200) }])
    model.fail({ kind: 'stall', at: 'middle', ms: 60_000 })
    const asked = provider()
    const reading = (async () => {
      for await (const _ of asked.stream(request([user('Hi')]))) await model.close()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'unreachable' })
    expect(asked.pausesMs).toEqual([])
  })

  it('lets the server see that nobody listens any more', async () => {
    model.script([{ text: 'word '.repeat(200) }])
    model.fail({ kind: 'stall', at: 'middle', ms: 60_000 })
    const controller = new AbortController()
    const frames = provider().stream({ ...request([user('Hi')]), signal: controller.signal })
    const reading = (async () => {
      for await (const _ of frames) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    await model.idle()
    expect(model.requests[0]?.outcome).toBe('aborted')
  })
})
