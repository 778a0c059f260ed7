// Frames become the answer that goes into the log, whole or cut short.
import { describe, expect, it } from 'vitest'
import { billedAnswer } from './billed-answer.ts'
import { PrecisError } from './errors.ts'
import { AnswerCollector, collectAnswer, type ModelFrame, type ModelRequest } from './model.ts'
import { usageIn } from './window/usage.ts'

const MODEL = 'p/m'
const END: ModelFrame = { type: 'end', stopReason: 'end' }
const said = (text: string): ModelFrame => ({ type: 'part', part: { type: 'text', text } })

async function* of(frames: readonly ModelFrame[]) {
  yield* frames
}

describe('billedAnswer', () => {
  const usage = (promptTokens: number) => ({
    promptTokens,
    completionTokens: 1,
    totalTokens: promptTokens + 1,
  })
  const request = { model: 'm', messages: [] } as unknown as ModelRequest

  it('has what broke off and was asked for again on the bill', async () => {
    const stream = ({ onBegin }: ModelRequest) => {
      for (const tokens of [10, 20]) onBegin?.(usage(tokens))
      return of([said('Hi'), { type: 'end', stopReason: 'end', usage: usage(25) }])
    }
    const billed = await billedAnswer(MODEL, { stream }, request)
    expect(billed.usage).toMatchObject({ promptTokens: 35, model: MODEL })
    expect(billed.answer.tokenUsage).toEqual(usage(25))
  })

  it('says in the error what an answer had cost that never ended', async () => {
    async function* stream({ onBegin }: ModelRequest): AsyncGenerator<ModelFrame> {
      onBegin?.(usage(40))
      yield said('H')
      throw new PrecisError('unreachable', 'It broke off.')
    }
    await expect(billedAnswer(MODEL, { stream }, request)).rejects.toMatchObject({
      code: 'unreachable',
      details: { usage: { promptTokens: 40, model: MODEL } },
    })
  })

  it('estimates what broke off, where the API says nothing when an answer begins', async () => {
    const text = 'What does the file say? '.repeat(100)
    const messages = [{ role: 'user', parts: [{ type: 'text', text }] }] as const
    async function* stream(): AsyncGenerator<ModelFrame> {
      yield { type: 'text-delta', text: 'It says that all is well. '.repeat(10) }
      throw new PrecisError('unreachable', 'It broke off.')
    }
    const error: unknown = await billedAnswer(MODEL, { stream }, { ...request, messages }).catch(
      (thrown: unknown) => thrown,
    )
    const { promptTokens, completionTokens, model } = usageIn(error) ?? { model: undefined }
    expect(model).toBe(MODEL)
    expect(promptTokens).toBeGreaterThan(400)
    expect(promptTokens).toBeLessThan(900)
    expect(completionTokens).toBeGreaterThan(40)
  })

  it('has no cost where the model gives none', async () => {
    const billed = await billedAnswer(MODEL, { stream: () => of([said('Hi'), END]) }, request)
    expect(billed).not.toHaveProperty('usage')
  })
})

describe('collectAnswer', () => {
  it('keeps thinking, text and calls where they stood', async () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 's', model: MODEL } as const
    const { answer, calls } = await collectAnswer(
      MODEL,
      of([
        { type: 'thinking-delta', text: 'Hm.' },
        { type: 'part', part: thought },
        { type: 'text-delta', text: 'I look.' },
        said('I look.'),
        { type: 'call', id: 'c1', name: 'read', arguments: { path: 'a' } },
        { type: 'end', stopReason: 'tool_use', rawStopReason: 'tool_use' },
      ]),
    )
    expect(answer).toEqual({
      content: 'I look.',
      parts: [thought, { type: 'text', text: 'I look.' }, { type: 'tool_call', callId: 'c1' }],
      model: MODEL,
      calls: ['c1'],
      stopReason: 'tool_use',
    })
    expect(calls).toEqual([{ id: 'c1', name: 'read', arguments: { path: 'a' } }])
  })

  it('writes a lone text as content alone', async () => {
    const { answer } = await collectAnswer(MODEL, of([said('Hi'), END]))
    expect(answer).toEqual({ content: 'Hi', model: MODEL, calls: [], stopReason: 'end' })
  })

  it('stores no usage where none was reported, and the very figures where some were [LOG-04]', async () => {
    const usage = { promptTokens: 100, completionTokens: 50, totalTokens: 150 }
    const without = await collectAnswer(MODEL, of([said('Hi'), END]))
    const withUsage = await collectAnswer('other/m', of([said('Hi'), { ...END, usage }]))
    expect(without.answer).not.toHaveProperty('tokenUsage')
    expect(withUsage.answer.tokenUsage).toEqual(usage)
  })

  it('tells two calls with one id apart', async () => {
    const call = { type: 'call', id: 'c', name: 'read', arguments: {} } as const
    const { answer, calls } = await collectAnswer(MODEL, of([call, call, call, END]))
    expect(answer.calls).toEqual(['c', 'c_2', 'c_3'])
    expect(calls.map(({ id }) => id)).toEqual(answer.calls)
  })

  it('never hands out a call whose arguments did not come through', async () => {
    const broken = { type: 'broken-call', id: 'c', name: 'write', text: '{"path": "a' } as const
    const collected = await collectAnswer(MODEL, of([broken, { ...END, stopReason: 'length' }]))
    expect(collected.calls).toEqual([])
    expect(collected.answer.calls).toEqual([])
    expect(collected.brokenCalls).toEqual([{ id: 'c', name: 'write', text: '{"path": "a' }])
  })
})

describe('AnswerCollector', () => {
  it('keeps what was said before an answer was cut short', () => {
    const collector = new AnswerCollector(MODEL)
    for (const frame of [said('One.'), { type: 'text-delta', text: ' Tw' } as const])
      collector.add(frame)
    const { answer } = collector.collected('aborted')
    expect(answer.content).toBe('One. Tw')
    expect(answer.stopReason).toBe('aborted')
  })

  it('passes on what had to be repaired, and the provider’s own words', () => {
    const collector = new AnswerCollector(MODEL)
    collector.add({ type: 'repairs', problems: ['an orphan was left out'] })
    collector.add({ ...END, rawStopReason: 'end_turn', rawUsage: { input_tokens: 3 } })
    expect(collector.collected()).toMatchObject({
      repairs: ['an orphan was left out'],
      rawStopReason: 'end_turn',
      rawUsage: { input_tokens: 3 },
    })
  })
})
