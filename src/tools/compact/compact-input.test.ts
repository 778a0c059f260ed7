// What `compact` takes in its two forms, what it refuses, and what its descriptions tell.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/text/json.ts'
import { compactSchema } from './compact.ts'
import { readCompactInput } from './compact-input.ts'

const RANGES_SHAPE = '{"replacements": [{"from": "abc123", "to": "def456", "summary": "…"}]}'
const SUMMARY_SHAPE = '{"summary": "…", "contextFiles": ["src/a.ts"], "continuation": "…"}'

const RIGHT_RANGES: readonly [Json][] = [
  [{ replacements: [{ from: 'a', to: 'b', summary: 's' }] }],
  [{ replacements: [{ summary: '' }, { to: 'b', summary: ' s ' }] }],
]
const RIGHT_SUMMARIES: readonly [Json][] = [
  [{ summary: ' s\n' }],
  [{ summary: 's', contextFiles: [], continuation: '' }],
  [{ summary: 's', contextFiles: ['a', 'a'], continuation: 'go' }],
]

const WRONG_RANGES: readonly [Json, problem: string][] = [
  [
    { replace: [{ from: 'a', to: 'b', value: 'v' }] },
    'unknown field `replace` (known here: replacements)',
  ],
  [
    { replacements: [{ from: 'a', to: 'b', value: 'v' }] },
    'unknown field `replacements[0].value` (known here: from, to, summary)',
  ],
  [{ replacements: { summary: 's' } }, '`replacements` must be an array, got {"summary":"s"}'],
  [{ replacements: '[]' }, '`replacements` must be an array, got "[]"'],
  [{}, '`replacements` must be an array, got nothing'],
  [{ replacements: [{ summary: 's' }, null] }, '`replacements[1]` must be an object, got null'],
  [{ replacements: ['s'] }, '`replacements[0]` must be an object, got "s"'],
  [{ replacements: [[]] }, '`replacements[0]` must be an object, got []'],
  [
    { replacements: [{ from: 1, summary: 's' }] },
    '`replacements[0].from` must be a string, got 1, or left out',
  ],
  [
    { replacements: [{ summary: 's' }, { to: null, summary: 's' }] },
    '`replacements[1].to` must be a string, got null, or left out',
  ],
  [{ replacements: [{ from: 'a' }] }, '`replacements[0].summary` must be a string, got nothing'],
  [
    { replacements: [{ summary: 's' }, { summary: 2 }] },
    '`replacements[1].summary` must be a string, got 2',
  ],
  [{ replacements: [] }, '`replacements` is empty: there is nothing to do'],
  [
    { replacements: [{ summary: 's' }], summary: 's' },
    'unknown field `summary` (known here: replacements)',
  ],
  ['compact', 'the input must be an object, got "compact"'],
]
const WRONG_SUMMARIES: readonly [Json, problem: string][] = [
  [{ summary: 42 }, '`summary` must be a string, got 42'],
  [{}, '`summary` must be a string, got nothing'],
  [{ summary: { text: 's' } }, '`summary` must be a string, got {"text":"s"}'],
  [{ summary: 's', contextFiles: 'a' }, '`contextFiles` must be an array, got "a"'],
  [{ summary: 's', contextFiles: null }, '`contextFiles` must be an array, got null'],
  [{ summary: 's', contextFiles: ['a', 1] }, '`contextFiles[1]` must be a string, got 1'],
  [{ summary: 's', continuation: false }, '`continuation` must be a string, got false'],
  [{ summary: '' }, '`summary` is empty, and it would replace the whole thread'],
  [{ summary: ' \n' }, '`summary` is empty, and it would replace the whole thread'],
  [
    { replacements: [{ summary: 's' }] },
    'unknown field `replacements` (known here: summary, contextFiles, continuation)',
  ],
  [
    { summary: 's', from: 'a' },
    'unknown field `from` (known here: summary, contextFiles, continuation)',
  ],
  [
    { summary: 's', to: 'a' },
    'unknown field `to` (known here: summary, contextFiles, continuation)',
  ],
  [null, 'the input must be an object, got null'],
]

describe('readCompactInput', () => {
  it.each(RIGHT_RANGES)('takes ranges as they are: %j [RANGE-16]', (input) => {
    expect(readCompactInput('ranges', input)).toEqual({ mode: 'ranges', ...(input as object) })
  })

  it.each(RIGHT_SUMMARIES)('takes a summary as it is: %j [WHOLE-01]', (input) => {
    expect(readCompactInput('summary', input)).toEqual({ mode: 'summary', ...(input as object) })
  })

  it.each(WRONG_RANGES)(
    'refuses %j and shows the right shape [RANGE-16] [RANGE-17] [RANGE-18] [RANGE-19] [RANGE-20] [RANGE-21] [RANGE-22]',
    (input, problem) => {
      const sentence = `compact: ${problem}. Expected: ${RANGES_SHAPE}`
      expect(readCompactInput('ranges', input)).toBe(sentence)
    },
  )

  it.each(WRONG_SUMMARIES)(
    'refuses %j and shows the right shape [WHOLE-01] [WHOLE-02] [WHOLE-03] [WHOLE-04] [WHOLE-13] [WHOLE-17]',
    (input, problem) => {
      const sentence = `compact: ${problem}. Expected: ${SUMMARY_SHAPE}`
      expect(readCompactInput('summary', input)).toBe(sentence)
    },
  )

  it('quotes no more than a little of what it got', () => {
    const error = readCompactInput('summary', { summary: ['😀'.repeat(10_000)] })
    expect(String(error).length).toBeLessThan(300)
    expect(String(error).isWellFormed()).toBe(true)
  })

  it.each([RANGES_SHAPE, SUMMARY_SHAPE])('shows a shape that it takes itself: %s', (shape) => {
    const mode = shape === RANGES_SHAPE ? 'ranges' : 'summary'
    expect(readCompactInput(mode, JSON.parse(shape))).toMatchObject({ mode })
  })
})

describe('the schema of compact', () => {
  it('follows the mode [WHOLE-17]', () => {
    expect(compactSchema('ranges')).toMatchObject({
      name: 'compact',
      inputSchema: {
        required: ['replacements'],
        additionalProperties: false,
        properties: {
          replacements: { items: { required: ['summary'], additionalProperties: false } },
        },
      },
    })
    const whole = compactSchema('summary')
    expect(whole).toMatchObject({ name: 'compact', inputSchema: { required: ['summary'] } })
    expect(JSON.stringify(whole.inputSchema)).not.toMatch(/"(?:from|to|replacements)"/)
  })

  it('tells when to use it, how checkpoints work, and what a good summary is [RANGE-26]', () => {
    const { description } = compactSchema('ranges')
    expect(description).toMatch(/When to use it:.*long.*repetitive/)
    expect(description).toMatch(/How checkpoints work:.*<checkpoint:abc123>/)
    expect(description).toMatch(/Good summaries:\n- /)
  })

  it('mentions neither checkpoints nor ranges where there are none [WHOLE-22]', () => {
    const { description, inputSchema } = compactSchema('summary')
    expect(description + JSON.stringify(inputSchema)).not.toMatch(/checkpoint|range/i)
    expect(description).toMatch(/When to use it:/)
    expect(description).toMatch(/Good summaries:\n- /)
  })
})
