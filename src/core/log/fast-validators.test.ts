// What is taken for right by hand is right by the schemas.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { generateThread } from '../../../test/generate/thread.ts'
import { runs } from '../../../test/scale.ts'
import { isPlainData } from './fast-validators.ts'
import { DATA_SCHEMAS } from './schema.ts'

const RUNS = 60
const STEPS = 20
const SCHEMAS: Readonly<Record<string, z.ZodType>> = DATA_SCHEMAS

const WRONG: readonly unknown[] = [
  undefined,
  null,
  1,
  Number.NaN,
  '',
  'x',
  [],
  [1],
  {},
  { type: 1 },
]

function isRight(type: string, data: unknown): boolean {
  return SCHEMAS[type]?.safeParse(data).success ?? false
}

/** Every copy of a value with one thing in it replaced or taken out. */
function* spoiled(value: unknown): Generator<unknown> {
  for (const wrong of WRONG) yield wrong
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const { [key]: inner, ...rest } = value as Record<string, unknown>
    if (!Array.isArray(value)) yield rest
    for (const other of spoiled(inner))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
  }
}

describe('plain data', () => {
  it('is what the schemas hold for right, whole and spoiled', () => {
    let plain = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const { log } = generateThread(seed, STEPS)
        for (const { type, data } of log.events.slice(0, STEPS))
          for (const one of [data, ...spoiled(data)]) {
            if (!isPlainData(type, one)) continue
            plain += 1
            expect(isRight(type, one), `${type} ${JSON.stringify(one)}`).toBe(true)
          }
      }),
      runs(RUNS),
    )
    expect(plain).toBeGreaterThan(RUNS)
  })

  it('is a compaction without a model, and none that is spoiled', () => {
    const result = { id: 'c1', content: [{ type: 'text', text: 'less' }], status: 'completed' }
    const entry = { type: 'TOOL_RESULT', data: result, label: 'trimmed', of: 'e7' }
    const compaction = {
      basedOn: 9,
      edits: [
        { covers: ['e7'], put: [entry] },
        { covers: [['e1', 'e3', 2]], put: [{ gap: true }, { keep: 'e3' }] },
      ],
      inverse: [{ covers: ['c10.0'], put: [{ keep: 'e7', hide: ['thinking'] }] }],
      hide: ['e2'],
      runId: 'run_1',
      strategyId: 'prune',
      trigger: 'command',
      before: { tokens: 20, by: 'estimated' },
      after: { tokens: 9, by: 'estimated' },
      metadata: { pruned: 1 },
      originalEventCount: 9,
      compactedEventCount: 8,
    }
    expect(isPlainData('COMPACTION', compaction)).toBe(true)
    expect(isRight('COMPACTION', compaction)).toBe(true)
    for (const one of spoiled(compaction))
      if (isPlainData('COMPACTION', one))
        expect(isRight('COMPACTION', one), JSON.stringify(one)).toBe(true)
  })

  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 }
  const answer = { content: 'a', calls: ['c1'] }
  const call = { id: 'c1', name: 'read', arguments: { path: 'a' }, answer: 0 }
  const result = { id: 'c1', content: [{ type: 'text', text: 'a' }], status: 'completed' }
  it.each<[string, unknown]>([
    ...['USER_MESSAGE', 'LOCAL_SYSTEM_MESSAGE', 'SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT'].map(
      (type): [string, unknown] => [type, 'a'],
    ),
    ['SYSTEM_REMINDER', 'a'],
    ['TOOL_CALL', call],
    ['TOOL_CALL', { ...call, answer: 7 }],
    ...['completed', 'failed', 'aborted', 'denied'].map((status): [string, unknown] => [
      'TOOL_RESULT',
      { ...result, status },
    ]),
    ['TOOL_RESULT', { ...result, content: [] }],
    ['AGENT_MESSAGE', answer],
    ['AGENT_MESSAGE', { ...answer, calls: [] }],
    ['AGENT_MESSAGE', { ...answer, model: 'a/b', tokenUsage: usage }],
    ...['end', 'tool_use', 'length', 'refusal', 'aborted', 'error'].map(
      (stopReason): [string, unknown] => ['AGENT_MESSAGE', { ...answer, stopReason }],
    ),
    [
      'AGENT_MESSAGE',
      {
        ...answer,
        parts: [
          { type: 'text', text: 'a' },
          { type: 'tool_call', callId: 'c1' },
        ],
      },
    ],
  ])('takes the usual %s by hand: %j', (type, data) => {
    expect(isPlainData(type, data)).toBe(true)
    expect(isRight(type, data)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['THREAD_STARTED', {}],
    ['AGENT_MESSAGE', 'a'],
    ['USER_MESSAGE', [{ type: 'text', text: 'a' }]],
    ...[{ answer: -1 }, { answer: 0.5 }, { id: 1 }, { name: 1 }, { arguments: undefined }].map(
      (wrong): [string, unknown] => ['TOOL_CALL', { ...call, ...wrong }],
    ),
    ...[{ status: 'x' }, { id: 1 }, { content: 'a' }, { metadata: {} }].map(
      (wrong): [string, unknown] => ['TOOL_RESULT', { ...result, ...wrong }],
    ),
    ...[
      { type: 'image', text: 'a' },
      { type: 'text', text: 1 },
      { type: 'text', text: '', x: 1 },
    ].map((block): [string, unknown] => ['TOOL_RESULT', { ...result, content: [block] }]),
    ...[{ stopReason: 'x' }, { model: 'a' }, { calls: [1] }, { content: [] }, { other: 1 }].map(
      (wrong): [string, unknown] => ['AGENT_MESSAGE', { ...answer, ...wrong }],
    ),
    ...[{ type: 'x', callId: 'c1' }, { type: 'tool_call' }, { type: 'thinking' }, null, 1].map(
      (part): [string, unknown] => ['AGENT_MESSAGE', { ...answer, parts: [part] }],
    ),
    ...[null, [], { ...usage, totalTokens: '3' }, { promptTokens: 1, totalTokens: 1 }].map(
      (tokenUsage): [string, unknown] => ['AGENT_MESSAGE', { ...answer, tokenUsage }],
    ),
    ['AGENT_MESSAGE', { content: 'a' }],
    ['AGENT_MESSAGE', { calls: [] }],
  ])('leaves %s to the schemas: %j', (type, data) => {
    expect(isPlainData(type, data)).toBe(false)
  })

  it('takes compactions of every trigger, entry and reading by hand', () => {
    const compaction = {
      basedOn: 9,
      edits: [{ covers: ['e7'], put: [{ gap: true }] }],
      inverse: [],
      runId: 'run_1',
      strategyId: 'prune',
      trigger: 'command',
      originalEventCount: 9,
      compactedEventCount: 8,
    }
    const both = (more: object) => {
      const data = { ...compaction, ...more }
      return [isPlainData('COMPACTION', data), isRight('COMPACTION', data)]
    }
    for (const trigger of ['command', 'tool', 'auto', 'overflow', 'background', 'import'])
      expect(both({ trigger }), trigger).toEqual([true, true])
    for (const by of ['estimated', 'measured'])
      expect(both({ before: { tokens: 1, by } }), by).toEqual([true, true])
    for (const label of ['trimmed', 'masked', 'brief', 'pins', 'carried'])
      for (const [type, data] of [
        ['USER_MESSAGE', 'a'],
        ['SYSTEM_REMINDER', 'a'],
        ['AGENT_MESSAGE', answer],
        ['TOOL_RESULT', result],
      ] as const)
        expect(both({ edits: [{ covers: ['e7'], put: [{ type, data, label }] }] })[0]).toBe(true)
    for (const covers of [['e1'], ['c10.0'], [['e1', 'e3', 1]]])
      expect(both({ edits: [{ covers, put: [] }] })).toEqual([true, true])
    for (const covers of [[], ['x'], [['e1', 'e3']], [['e1', 'e3', 0]], [['c1.0', 'e3', 1]], 'e1'])
      expect(both({ edits: [{ covers, put: [] }] })[0], JSON.stringify(covers)).toBe(false)
    for (const put of [
      { gap: false },
      { gap: true, x: 1 },
      { keep: 'e1', x: 1 },
      { keep: 'x' },
      [],
    ])
      expect(both({ edits: [{ covers: ['e1'], put: [put] }] })[0], JSON.stringify(put)).toBe(false)
    for (const hide of [['thinking'], []])
      expect(both({ edits: [{ covers: ['e1'], put: [{ keep: 'e1', hide }] }] })[0]).toBe(true)
    for (const hide of [['other'], 'thinking', undefined])
      expect(both({ edits: [{ covers: ['e1'], put: [{ keep: 'e1', hide }] }] })[0]).toBe(false)
    const entry = { type: 'USER_MESSAGE', data: 'a', label: 'brief' }
    for (const wrong of [{ label: 'summary' }, { of: 'x' }, { more: 1 }, { type: 'TOOL_CALL' }])
      expect(both({ edits: [{ covers: ['e1'], put: [{ ...entry, ...wrong }] }] })[0]).toBe(false)
    for (const wrong of [{ basedOn: -1 }, { basedOn: 0.5 }, { trigger: 'x' }, { runId: 1 }])
      expect(both(wrong)[0], JSON.stringify(wrong)).toBe(false)
    for (const wrong of [{ hide: ['x'] }, { hide: 'e1' }, { other: 1 }, { after: [] }])
      expect(both(wrong)[0], JSON.stringify(wrong)).toBe(false)
    for (const wrong of [
      { after: { tokens: 1, by: 'x' } },
      { after: { tokens: '1', by: 'measured' } },
    ])
      expect(both(wrong)[0], JSON.stringify(wrong)).toBe(false)
    for (const key of Object.keys(compaction))
      expect(both({ [key]: undefined })[0], key).toBe(false)
  })

  it('is a text only where a text is allowed', () => {
    for (const type of Object.keys(SCHEMAS))
      if (isPlainData(type, 'text')) expect(isRight(type, 'text'), type).toBe(true)
  })
})
