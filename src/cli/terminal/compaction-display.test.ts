// The lines that a console shows of a compaction.
import { describe, expect, it } from 'vitest'
import type { CompactionReport } from '../../core/edit/report.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventOf } from '../../core/log/event.ts'
import { ConsoleCompactionDisplay } from './compaction-display.ts'

function shown(show: (display: ConsoleCompactionDisplay) => void): readonly [string, string] {
  const texts = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    write: (text: string) => {
      texts[name] += text
    },
  })
  show(new ConsoleCompactionDisplay(stream('out'), stream('err')))
  return [texts.out, texts.err]
}

function compaction(before: number, after: number): EventOf<'COMPACTION'> {
  const data = { originalEventCount: before, compactedEventCount: after }
  return { type: 'COMPACTION', data } as EventOf<'COMPACTION'>
}

const REDUCTIONS: [before: number, after: number, text: string][] = [
  [100, 25, 'Reduced from 100 to 25 events (75% reduction)'],
  [10, 0, 'Reduced from 10 to 0 events (100% reduction)'],
  [3, 2, 'Reduced from 3 to 2 events (33% reduction)'],
  [7, 7, 'Reduced from 7 to 7 events (0% reduction)'],
  [2, 3, 'Reduced from 2 to 3 events (0% reduction)'],
  [0, 0, 'Reduced from 0 to 0 events (0% reduction)'],
  [0, 1, 'Reduced from 0 to 1 events (0% reduction)'],
]

describe('the console', () => {
  it('shows a start [LOG-59]', () => {
    expect(shown((display) => display.onCompactionStart())).toEqual([
      '\n🔄 Compacting conversation to reduce size...\n',
      '',
    ])
  })

  it.each(REDUCTIONS)(
    'shows how far it went from %i to %i [LOG-59] [LOG-61]',
    (before, after, text) => {
      const [out, err] = shown((display) => display.onCompactionComplete(compaction(before, after)))
      expect([out, err]).toEqual([`✅ Compaction complete! ${text}\n\n`, ''])
    },
  )

  const sized = (before: number, after: number): EventOf<'COMPACTION'> => {
    const event = compaction(32, 32)
    const reading = (tokens: number) => ({ tokens, by: 'estimated' }) as const
    const more = { strategyId: 'log', before: reading(before), after: reading(after) }
    return { ...event, data: { ...event.data, ...more } }
  }

  it('adds the tokens, which count [LOG-59]', () => {
    const [out] = shown((display) => display.onCompactionComplete(sized(31_973, 16_528)))
    expect(out).toBe(
      '✅ Compaction complete! Reduced from 32 to 32 events (0% reduction)\nlog: 31,973 → 16,528 tokens (48 % less)\n\n',
    )
  })

  it('calls neither growth nor another strategy a success', () => {
    const [grown] = shown((display) => display.onCompactionComplete(sized(233, 292)))
    expect(grown).toBe(
      'Compacted by log.\nlog: 233 → 292 tokens (25 % more)\nThe context is not smaller; /undo reverts it.\n\n',
    )
    const report = { fallback: { from: 'ai-summarize', reason: 'HTTP 500' } } as CompactionReport
    const [other] = shown((display) => {
      display.noteReport({ report })
      display.onCompactionComplete(sized(900, 300))
    })
    expect(other).toBe(
      'Compacted by log.\nlog: 900 → 300 tokens (67 % less)\nai-summarize failed: HTTP 500.\nlog took its place.\n\n',
    )
  })

  it('does not boast of a compaction that found nothing to do', () => {
    const nothing = compaction(4, 4)
    const event = { ...nothing, data: { ...nothing.data, edits: [] } }
    const [out] = shown((display) => display.onCompactionComplete(event))
    expect(out).toBe('Nothing to compact: the context is as it was.\n\n')
  })

  it('says what to do about a failure', () => {
    const error = new PrecisError('no-model', 'No model is set.', { hint: 'Name one.' })
    const [, err] = shown((display) => display.onCompactionError(error))
    expect(err).toBe('❌ Compaction failed: No model is set.\nName one.\n\n')
  })

  it('shows an end without figures [LOG-59]', () => {
    const [out] = shown((display) => display.onCompactionComplete())
    expect(out).toBe('✅ Compaction complete!\n\n')
  })

  it('shows a failure beside what is shown otherwise [LOG-59]', () => {
    const [out, err] = shown((display) => display.onCompactionError(new Error('no answer')))
    expect([out, err]).toEqual(['', '❌ Compaction failed: no answer\n\n'])
  })

  it('lets no message control the terminal', () => {
    const [, err] = shown((display) => display.onCompactionError(new Error('a\u001b[2Jb\nc')))
    expect(err).toBe('❌ Compaction failed: a [2Jb c\n\n')
  })
})
