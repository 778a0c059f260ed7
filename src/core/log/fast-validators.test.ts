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

  it('is a text only where a text is allowed', () => {
    for (const type of Object.keys(SCHEMAS))
      if (isPlainData(type, 'text')) expect(isRight(type, 'text'), type).toBe(true)
  })
})
