// Replies: cut to what was allowed, ended where the client said, ids from the request alone.
import { describe, expect, it } from 'vitest'
import type { Asked } from './asked.ts'
import { cutOff, replyFrom, type ScriptedAnswer } from './reply.ts'

const ASKED: Asked = {
  wire: 'anthropic',
  model: 'dev',
  system: '',
  turns: [],
  tools: [],
  toolChoice: 'auto',
  parallelCalls: true,
  thinking: false,
  stream: false,
  stopSequences: [],
}
const reply = (answer: ScriptedAnswer, changes: Partial<Asked> = {}) =>
  replyFrom(answer, { ...ASKED, ...changes }, 'seed')

describe('a reply', () => {
  it('has thinking, text and calls in this order, or as the script says', () => {
    const answer = { calls: [{ name: 'a', arguments: {} }], text: 'b', thinking: 'c' }
    expect(reply(answer).parts.map(({ type }) => type)).toEqual(['thinking', 'text', 'call'])
    const parts = [
      { type: 'text', text: 'x' },
      { type: 'thinking', thinking: 'y' },
    ] as const
    expect(reply({ parts }).parts).toEqual(parts)
  })

  it('ends with tool_use where it calls, unless the script says otherwise', () => {
    const calls = [{ name: 'a', arguments: {} }]
    expect(reply({ calls }).ending).toBe('tool_use')
    expect(reply({ text: 'x' }).ending).toBe('end')
    expect(reply({ calls, stopReason: 'pause' }).ending).toBe('pause')
  })

  it('makes ids from the request, each another one, and keeps those of the script', () => {
    const calls = [
      { name: 'a', arguments: {} },
      { name: 'a', arguments: {} },
      { name: 'a', arguments: {}, id: 'own' },
    ]
    const ids = (parts: ReturnType<typeof reply>['parts']) =>
      parts.map((part) => (part.type === 'call' ? part.id : ''))
    const [one, two, own] = ids(reply({ calls }).parts)
    expect(own).toBe('own')
    expect(one).not.toBe(two)
    expect(ids(reply({ calls }).parts)).toEqual([one, two, own])
  })

  it('is cut at the limit of the client, in whole characters', () => {
    const cut = reply({ text: 'word '.repeat(500) }, { maxOutputTokens: 50 })
    expect(cut).toMatchObject({ ending: 'length', outputTokens: 50 })
    const emoji = reply({ text: '👩‍👩‍👧'.repeat(200) }, { maxOutputTokens: 31 })
    const [part] = emoji.parts
    expect(part?.type === 'text' && part.text.isWellFormed()).toBe(true)
  })

  it('cuts the arguments of a call short, and drops what comes after it', () => {
    const calls = [
      { name: 'write', arguments: { text: 'word '.repeat(100) } },
      { name: 'b', arguments: {} },
    ]
    const [part, ...rest] = reply({ calls }, { maxOutputTokens: 30 }).parts
    expect(rest).toEqual([])
    expect(part?.type === 'call' && part.arguments.startsWith('{"text":"word word')).toBe(true)
    expect(() => JSON.parse(part?.type === 'call' ? part.arguments : '')).toThrow()
  })

  it('ends at the first stop sequence in it', () => {
    const stopped = reply({ text: 'one STOP two END' }, { stopSequences: ['END', 'STOP', ''] })
    expect(stopped).toMatchObject({
      parts: [{ type: 'text', text: 'one ' }],
      ending: 'stop_sequence',
      stopSequence: 'STOP',
    })
  })

  it('can be cut off on order', () => {
    const whole = reply({ text: 'word '.repeat(100) })
    const half = cutOff(whole)
    expect(half.ending).toBe('length')
    expect(half.outputTokens).toBe(Math.floor(whole.outputTokens / 2))
  })
})
