// Scripts: answers that follow from the request, faults of single steps, and what is recorded of it all.
import { describe, expect, it } from 'vitest'
import type { FaultKind, ScriptStep } from '../../src/dev-model/index.ts'
import { until } from '../wait.ts'
import { ManualClock } from './manual-clock.ts'
import { MODEL, PATH_SCHEMA, rejection, setUp } from './setup.ts'

const TOOLS = [{ name: 'read_file', input_schema: PATH_SCHEMA }]
const ask = (content: string) => ({
  model: MODEL,
  max_tokens: 1_000,
  tools: TOOLS,
  messages: [{ role: 'user' as const, content }],
})

describe('steps', () => {
  it('are answers, or functions of the request; where one says nothing, the assistant does', async () => {
    const plan: ScriptStep = ({ turns, tools }) => ({
      calls: [{ name: tools[0]?.name ?? '', arguments: { path: `${turns.length}.txt` } }],
    })
    const { anthropic } = await setUp({ script: [plan, async () => undefined, { text: 'end' }] })
    const contents: unknown[] = []
    for (const prompt of ['a', 'hello', 'c', 'd']) {
      contents.push((await anthropic.messages.create(ask(prompt))).content)
    }
    expect(contents).toMatchObject([
      [{ type: 'tool_use', name: 'read_file', input: { path: '1.txt' } }],
      [{ type: 'text', text: 'You said “hello”. I have noted it.' }],
      [{ type: 'text', text: 'end' }],
      [{ type: 'text', text: 'You said “d”. I have noted it.' }],
    ])
  })

  it.each<readonly [FaultKind, RegExp]>([
    ['overflow', /400 .*prompt is too long/],
    ['rate-limit', /429/],
    ['overloaded', /529/],
    ['server-error', /500/],
    ['drop', /Connection error|terminated|aborted/i],
  ])('may fail: %s, and only that one', async (kind, refusal) => {
    const { anthropic, dev } = await setUp({
      script: [{ text: 'one' }, { fault: { kind } }, { text: 'three' }],
    })
    const text = async () => (await anthropic.messages.create(ask('hi'))).content[0]
    expect(await text()).toMatchObject({ text: 'one' })
    expect(String(await rejection(anthropic.messages.create(ask('hi'))))).toMatch(refusal)
    expect(await text()).toMatchObject({ text: 'three' })
    expect(dev.requests.map(({ fault }) => fault)).toEqual([undefined, kind, undefined])
  })

  it('may be cut off, empty or refused, with words of their own or the assistant’s', async () => {
    const script: readonly ScriptStep[] = [
      { text: 'a long answer that says many things in many words', fault: { kind: 'cut-off' } },
      () => ({ fault: { kind: 'cut-off' } }),
      { fault: { kind: 'empty' } },
      { fault: { kind: 'refusal' } },
    ]
    const { anthropic } = await setUp({ script })
    const endings: unknown[] = []
    for (const _ of script) {
      const { content, stop_reason } = await anthropic.messages.create(ask('hello there'))
      endings.push([stop_reason, content.length])
    }
    expect(endings).toEqual([
      ['max_tokens', 1],
      ['max_tokens', 1],
      ['end_turn', 0],
      ['refusal', 1],
    ])
  })

  it('may stall, before the answer and in the middle of it', async () => {
    const clock = new ManualClock()
    const script: readonly ScriptStep[] = (['start', 'middle'] as const).map((at) => ({
      text: 'late',
      fault: { kind: 'stall', ms: 5_000, at },
    }))
    const { anthropic } = await setUp({ script, clock })
    for (const _ of script) {
      const waiting = anthropic.messages.stream(ask('hi')).finalText()
      await until('the model to stall', () => clock.sleepers > 0)
      clock.advance(5_000)
      expect(await waiting).toBe('late')
    }
  })

  it('yield to a fault that was ordered, and to a request that is refused anyway', async () => {
    const { anthropic, dev } = await setUp({ script: [{ text: 'kept' }] })
    dev.fail({ kind: 'overloaded' })
    await rejection(anthropic.messages.create(ask('hi')))
    await rejection(anthropic.messages.create({ ...ask('hi'), messages: [] }))
    expect((await anthropic.messages.create(ask('hi'))).content).toMatchObject([{ text: 'kept' }])
  })
})

describe('records', () => {
  it('hold each request as it was sent, and what the model saw of it', async () => {
    const { anthropic, openai, dev } = await setUp()
    await anthropic.messages.create({ ...ask('read a.txt'), system: 'Be brief.' })
    await openai.responses.create({ model: MODEL, instructions: 'Be brief.', input: 'hello' })
    await rejection(anthropic.messages.create({ ...ask('hi'), messages: [] }))
    expect(dev.requests).toMatchObject([
      {
        body: { system: 'Be brief.', messages: [{ content: 'read a.txt' }] },
        asked: { system: 'Be brief.', turns: [{ role: 'user' }], tools: [{ name: 'read_file' }] },
        outcome: 'answered',
      },
      { wire: 'openai-responses', asked: { turns: [{ parts: [{ text: 'hello' }] }] } },
      { outcome: 'refused', violations: [{ id: 'VALID-A1' }] },
    ])
    expect(dev.requests[1]?.asked?.system.trim()).toBe('Be brief.')
    expect(dev.requests[2]?.asked).toBeUndefined()
  })
})
