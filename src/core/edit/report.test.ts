// The report of a compaction: the categories add up, and what went is told with its reason.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { generateThread } from '../../../test/generate/thread.ts'
import { answer, reminder, result, system, thoughtAnswer, user } from '../../../test/say.ts'
import { seeds } from '../../../test/scale.ts'
import { type Context, weightOf } from '../view/context.ts'
import { reducedBy } from '../view/thread-state.ts'
import { pinsReducer } from './pins.ts'
import { type CompactionReport, reportCompaction } from './report.ts'
import { renderReport } from './report-text.ts'
import type { Proposal } from './strategy.ts'
import { splitTokens } from './token-split.ts'

function computeSum(split: CompactionReport['before']): number {
  const { total: _, toolResults, ...parts } = split
  const results = toolResults.reduce((sum, { tokens }) => sum + tokens, 0)
  return Object.values(parts).reduce((sum, tokens) => sum + tokens, results)
}

function compacted(log: TestLog, proposal: Proposal): CompactionReport {
  const before: Context = log.context
  expect(log.compact(proposal)).toBe(undefined)
  const last = log.events.at(-1)
  if (last?.type !== 'COMPACTION') throw new Error('no compaction')
  return reportCompaction({
    before,
    after: log.context,
    eventAt: log.eventAt,
    change: last.data,
    pins: reducedBy(log.state, pinsReducer),
    settings: { preset: 'precis', targetRatio: 0.5 },
  })
}

function conversation(): TestLog {
  const log = new TestLog()
  for (const step of [
    [system('Be brief.'), user('Read both.'), reminder('It is late.')],
    thoughtAnswer('They ask for two.', 'Reading.', 'a', 'b'),
    [result('a', 'one '.repeat(200)), result('b', 'two '.repeat(80))],
    answer('Read.'),
    [user('And now?')],
    answer('Nothing.'),
  ])
    log.append(step)
  return log
}

describe('splitTokens', () => {
  it('adds up to the weight of the context, whatever is in it', () => {
    for (const seed of seeds(60))
      generateThread(seed, 20, ({ log }) => {
        const split = splitTokens(log.context, log.eventAt)
        expect([seed, computeSum(split), split.total]).toEqual([
          seed,
          weightOf(log.context),
          weightOf(log.context),
        ])
      })
  })
})

describe('reportCompaction', () => {
  it('tells tokens by category, what went and why, refs and pins', () => {
    const log = conversation()
    log.pin({ text: 'Never push.' })
    const report = compacted(log, {
      edits: [
        {
          covers: ['e7'],
          put: [
            {
              type: 'TOOL_RESULT',
              data: {
                id: 'a',
                content: [{ type: 'text', text: '[gone: [ref:e7]]' }],
                status: 'completed',
              },
              label: 'masked',
              of: 'e7',
            },
          ],
        },
        { covers: ['e9', 'e10'], put: [{ type: 'USER_MESSAGE', data: 'So far.', label: 'brief' }] },
      ],
      metadata: { reasons: { 'repeated-reads': ['e7'] } },
    })
    expect(report.before.toolResults).toMatchObject([{ tool: 'read' }])
    expect(report.after.summaries).toBeGreaterThan(0)
    expect(report.after.thinking).toBe(0)
    expect(report.drops.map(({ why, entries }) => [why, entries])).toEqual([
      ['repeated-reads', 1],
      ['test', 2],
      ['hidden-thinking', 1],
    ])
    expect(report.largest[0]).toMatchObject({
      ref: 'e7',
      what: 'result of read a.ts',
      why: 'repeated-reads',
    })
    expect(report.refs).toEqual({ count: 1, first: ['e7'] })
    expect(report.pins).toMatchObject({ entries: [], texts: 1 })
    const gone = report.drops.reduce((sum, { tokens }) => sum + tokens, 0)
    expect(report.before.total - report.after.total).toBe(
      gone - report.after.summaries - report.pins.tokens,
    )
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })
})

describe('renderReport', () => {
  it('tells it in lines, in which nothing moves a terminal', () => {
    const log = new TestLog()
    log.append([user('Go.')])
    log.append([
      { type: 'AGENT_MESSAGE', data: { content: '', calls: ['x'] } },
      {
        type: 'TOOL_CALL',
        data: { id: 'x', name: 'bash\u001b[2J', arguments: { command: 'ls\u0007' }, answer: 0 },
      },
      result('x', 'line '.repeat(300)),
    ])
    const report = compacted(log, {
      edits: [
        {
          covers: ['e4'],
          put: [
            {
              type: 'TOOL_RESULT',
              data: { id: 'x', content: [{ type: 'text', text: '[ref:e4]' }], status: 'completed' },
              label: 'masked',
              of: 'e4',
            },
          ],
        },
      ],
    })
    const text = renderReport({ ...report, fallback: { from: 'cascade', reason: 'It failed.' } })
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^test \(command\): \d+ → \d+ tokens \(\d+ %\)$/),
      'in place of cascade: It failed.',
      '',
      expect.stringMatching(/^ {2}user +6 → 6$/),
      expect.stringMatching(/^ {2}assistant/),
      expect.stringMatching(/^ {2}tool calls/),
      expect.stringMatching(/^ {2}results of bash \[2J +\d+ → \d+$/),
      '',
      'Removed',
      expect.stringMatching(/^ {2}test: \d+ tokens of 1 entry$/),
      '',
      'Largest',
      expect.stringMatching(/^ {2}\[ref:e4\] result of bash \[2J ls: \d+ → \d+ \(test\)$/),
      '',
      'Pins: none',
      'Refs: e4',
      'Settings: preset precis, targetRatio 0.5',
    ])
    expect([...text].filter((char) => char < ' ' && char !== '\n')).toEqual([])
  })
})
