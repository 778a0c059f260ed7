// The foot of the screen: figures as they are known, and what goes where there is no room.
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import type { ThreadDetail, ViewStatus } from '../../protocol/index.ts'
import { footerLines } from './footer.ts'
import { activityLines } from './screen.ts'
import { createTheme } from './theme.ts'

const NOON = new Date(Date.UTC(2026, 0, 1, 12))
const theme = createTheme(false)

const DETAIL: ThreadDetail = {
  threadId: 'thr_1',
  title: 'Fix the parser',
  version: 7,
  createdAt: NOON,
  updatedAt: NOON,
  model: 'anthropic/claude',
  thinking: 'off',
  preset: 'chat',
  isWorking: false,
  isCompacting: false,
  canUndo: false,
  canRedo: false,
  queued: 0,
  context: { tokens: 91_000, limit: 200_000, percent: 45.5, by: 'measured' },
  billed: {
    promptTokens: 120_000,
    completionTokens: 3_400,
    totalTokens: 123_400,
    cacheReadTokens: 90_000,
    eventCount: 4,
  },
  costUsd: 0.1234,
  approvals: [],
}

const shown = (detail: Partial<ThreadDetail>, width = 120, queued = 0) =>
  footerLines({ detail: { ...DETAIL, ...detail }, queued }, width, theme).map(
    stripTerminalSequences,
  )

describe('footerLines', () => {
  it('shows model, context, bill, cost, cache and queue', () => {
    expect(shown({}, 120, 2)).toEqual([
      'anthropic/claude · chat · Fix the parser',
      'context █████░░░░░ 46 % of 200k · queue 2 · billed 123k · $0.1234 · cache 75 %',
    ])
  })

  it('says what is unknown, and what is estimated', () => {
    expect(shown({ context: {} })[1]).toContain('context unknown')
    expect(shown({ context: { tokens: 500 } })[1]).toContain('context 500 tokens')
    const estimated = { tokens: 20_000, limit: 200_000, by: 'estimated' } as const
    expect(shown({ context: estimated })[1]).toContain('≈10 % of 200k')
    const { costUsd: _, model: __, ...unpriced } = DETAIL
    const lines = footerLines({ detail: unpriced, queued: 0 }, 120, theme)
    expect(lines[0]).toContain('no model')
    expect(lines[1]).not.toContain('$')
  })

  it('shows thinking and a strategy of its own where they are set', () => {
    expect(shown({ thinking: 'high', strategy: 'mask' })[0]).toBe(
      'anthropic/claude · chat · thinking high · mask · Fix the parser',
    )
  })

  it('leaves out the least important first, and never is too wide', () => {
    expect(shown({}, 60)[1]).toBe('context █████░░░░░ 46 % of 200k · queue 0 · billed 123k')
    expect(shown({}, 36)[1]).toBe('ctx 46 % · queue 0 · billed 123k')
    for (let width = 1; width <= 130; width += 1)
      for (const line of shown({ title: '題名が長い'.repeat(9) }, width))
        expect(visibleWidth(line)).toBeLessThanOrEqual(width)
  })
})

describe('activityLines', () => {
  const status = (more: Partial<ViewStatus>): ViewStatus => ({
    isWorking: false,
    queued: [],
    approvals: [],
    ...more,
  })
  const words = (more: Partial<ViewStatus>, afterMs = 0) =>
    activityLines(status(more), NOON.getTime() + afterMs, 120, theme)
      .map((line) => stripTerminalSequences(line).slice(2))
      .join('')

  it('says what goes on, for how long, and in which chunk [FOLD-68]', () => {
    expect(words({})).toBe('')
    expect(words({ isWorking: true })).toBe('Working (Esc stops it)')
    const activity = { what: 'Running read', since: NOON }
    expect(words({ isWorking: true, activity }, 75_000)).toBe(
      'Running read · 1 min 15 s (Esc stops it)',
    )
    const compaction = { what: 'Folding', since: NOON, strategy: 'chunked-fold', done: 1, total: 4 }
    expect(words({ activity, compaction }, 3_000)).toBe(
      'Folding · chunk 2 / 4 · 3 s (Esc stops it)',
    )
  })

  it('has the words of FRESH for its own way [FRESH-08]', () => {
    const compaction = { what: 'Compacting …', since: NOON, strategy: 'fresh-session' }
    expect(words({ compaction })).toContain('Compacting context...')
  })
})
