// How full the window is, from the first message to after a compaction: one story of correct accounting.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { measuredAnswer, system, user } from '../../../test/say.ts'
import { calibrationOf, weightOf } from '../view/context.ts'
import { decide, INITIAL_POLICY_STATE } from './policy.ts'
import { PRESETS } from './presets.ts'
import { readContext } from './reading.ts'
import { estimateTokens } from './tokens/estimate.ts'

const PROSE = 'The parser keeps the order of the keys and reports the line of the first fault. '
/** What the tools weigh that are sent with every request: the log does not know of them. */
const TOOL_TOKENS = 3_000

/** A provider whose tokenizer counts a fifth more than the estimate, and the tools with it. */
function counted(log: TestLog, answer: string) {
  const promptTokens = Math.round(weightOf(log.context) * 1.2) + TOOL_TOKENS
  const completionTokens = Math.round(estimateTokens(answer) * 1.2)
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

describe('the reading of a window [NEED-09]', () => {
  it('starts from the last count, adds a calibrated estimate, and forgets counts before a change', () => {
    const log = new TestLog()
    const reading = (measuredOnly = false) =>
      readContext(log.context, { ...calibrationOf(log.context), measuredOnly })
    log.append([system('You are careful. '.repeat(50)), user(PROSE.repeat(20))])
    // The system prompt counts; nothing was measured yet.
    expect(reading()).toEqual({ tokens: weightOf(log.context), by: 'estimated' })
    expect(weightOf(log.context)).toBeGreaterThan(log.context.tokens)
    expect(reading(true)).toEqual({})

    for (let turn = 0; turn < 12; turn += 1) {
      const answer = PROSE.repeat(10 + turn)
      const usage = counted(log, answer)
      log.append([measuredAnswer(answer, usage)])
      expect(reading()).toEqual({ tokens: usage.totalTokens, by: 'measured' })
      log.append([user(PROSE.repeat(15))])
    }
    // What came since the last count is estimated with the ratio that this session has shown.
    expect(calibrationOf(log.context).ratio).toBeCloseTo(1.2, 1)
    const real = Math.round(weightOf(log.context) * 1.2) + TOOL_TOKENS
    const off = Math.abs((reading().tokens ?? 0) - real)
    expect(off / real).toBeLessThan(0.02)

    const ids = log.context.items
      .toArray()
      .slice(0, -1)
      .map((item) => item.id)
    log.compact({
      edits: [{ covers: ids, put: [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }] }],
    })
    // Unknown until somebody counts again; the estimate knows the tools by now.
    expect(reading(true)).toEqual({})
    const after = Math.round(weightOf(log.context) * 1.2) + TOOL_TOKENS
    expect(reading().by).toBe('estimated')
    expect(Math.abs((reading().tokens ?? 0) - after) / after).toBeLessThan(0.1)
  })

  it('leaves room for the answer, and weighs images by their size', () => {
    const input = {
      policy: PRESETS.log.trigger,
      state: INITIAL_POLICY_STATE,
      signal: 'auto',
      nowMs: 0,
    } as const
    const budget = { windowTokens: 10_000, outputReserveTokens: 4_000 }
    const at = (tokens: number) =>
      decide({ ...input, reading: { tokens, by: 'measured' }, budget }).type
    expect(at(5_900)).not.toBe('compact')
    expect(at(6_100)).toBe('compact')

    const weight = (widthPx: number, heightPx: number) => {
      const log = new TestLog()
      const media = { mimeType: 'image/png', data: 'iVBORw0KGgo=', widthPx, heightPx }
      log.append([{ type: 'USER_MESSAGE', data: [{ type: 'image', media }] }])
      return log.context.tokens
    }
    expect(weight(1_500, 1_000) - weight(750, 1_000)).toBe(1_000)
  })
})
