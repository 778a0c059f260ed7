// Which frames reach a display, and that a watch takes only itself away.
import { describe, expect, it } from 'vitest'
import { testClock } from '../../../test/generate/test-log.ts'
import type { FrameDraft, RunResult } from '../../core/agent/frame.ts'
import type { Trigger } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventOf } from '../../core/log/event.ts'
import { FrameHub } from '../core.ts'
import { type CompactionDisplay, CompactionWatch } from './compaction-watch.ts'

const threadId = 'thr_1'

function started(runId = 'run_1', trigger: Trigger = 'command'): FrameDraft {
  const message = 'Compacting conversation to save space...'
  return { type: 'COMPACTION_START', threadId, runId, trigger, strategy: 'extract', message }
}

function ended(
  end: RunResult['end'],
  extra: Partial<FrameDraft> = {},
  runId = 'run_1',
): FrameDraft {
  const info = { threadId, runId, trigger: 'command', strategy: 'extract', durationMs: 5 } as const
  const success = end === 'committed'
  return { type: 'COMPACTION_COMPLETE', ...info, success, end, ...extra } as FrameDraft
}

function setUp() {
  const frames = new FrameHub(testClock())
  const calls: unknown[][] = []
  const display: CompactionDisplay = {
    onCompactionStart: () => void calls.push(['start']),
    onCompactionComplete: (...given) => void calls.push(['complete', ...given]),
    onCompactionError: (error) => void calls.push(['error', error.message]),
  }
  return { frames, calls, watch: new CompactionWatch(frames, display) }
}

describe('the watch on compactions', () => {
  it('tells of the start, and of the end with its event [LOG-58]', () => {
    const { frames, calls, watch } = setUp()
    const event = { type: 'COMPACTION', seq: 7 } as EventOf<'COMPACTION'>
    frames.emit(started())
    expect([calls, watch.isCompacting]).toEqual([[['start']], true])
    frames.emit(ended('committed', { event } as Partial<FrameDraft>))
    expect([calls.slice(1), watch.isCompacting]).toEqual([[['complete', event]], false])
  })

  it('has nothing to say about anything else', () => {
    const { frames, calls } = setUp()
    const others: FrameDraft[] = [
      { type: 'turn-start', threadId },
      { type: 'text-delta', threadId, text: '/compact' },
      { type: 'agent_thinking_start', threadId, message: 'Thinking' },
      { type: 'agent_thinking_complete', threadId },
      { type: 'error', threadId, error: new Error('x'), context: { operation: 'ask', threadId } },
      { type: 'turn-end', threadId, end: 'done' },
    ]
    for (const frame of others) frames.emit(frame)
    expect(calls).toEqual([])
  })

  it.each(['command', 'tool', 'auto', 'overflow', 'background'] as const)(
    'works for compactions by %s [LOG-61]',
    (trigger) => {
      const { frames, calls } = setUp()
      frames.emit(started('run_1', trigger))
      frames.emit(ended('committed'))
      expect(calls).toEqual([['start'], ['complete', undefined]])
    },
  )

  it.each(['refused', 'vetoed', 'aborted', 'failed'] as const)(
    'is no longer compacting after one that was %s [LOG-61]',
    (end) => {
      const { frames, calls, watch } = setUp()
      const error = new PrecisError('model-failed', 'no answer')
      frames.emit(started())
      frames.emit(ended(end, { error } as Partial<FrameDraft>))
      expect(calls).toEqual([['start'], ['error', 'no answer']])
      expect(watch.isCompacting).toBe(false)
    },
  )

  it('has words for a failure without an error', () => {
    const { frames, calls } = setUp()
    frames.emit(started())
    frames.emit(ended('failed'))
    expect(calls.at(-1)).toEqual(['error', 'Compaction failed'])
  })

  it('keeps several runs apart, and tells each end once', () => {
    const { frames, calls, watch } = setUp()
    frames.emit(ended('committed', {}, 'run_0'))
    frames.emit(started('run_1'))
    frames.emit(started('run_2'))
    frames.emit(ended('committed', {}, 'run_2'))
    frames.emit(ended('committed', {}, 'run_2'))
    expect(watch.isCompacting).toBe(true)
    frames.emit(ended('committed', {}, 'run_1'))
    expect(watch.isCompacting).toBe(false)
    expect(calls.map(([name]) => name)).toEqual(['start', 'start', 'complete', 'complete'])
  })

  it('takes away its own listener and no other [LOG-61]', () => {
    const { frames, calls, watch } = setUp()
    const heard: string[] = []
    frames.on((frame) => void heard.push(frame.type))
    const other: string[] = []
    const second = new CompactionWatch(frames, {
      onCompactionStart: () => void other.push('start'),
      onCompactionComplete: () => void other.push('complete'),
      onCompactionError: () => void other.push('error'),
    })
    frames.emit(started())
    watch.cleanup()
    watch.cleanup()
    frames.emit(ended('committed'))
    expect(watch.isCompacting).toBe(false)
    expect(calls).toEqual([['start']])
    expect(other).toEqual(['start', 'complete'])
    expect(heard).toEqual(['COMPACTION_START', 'COMPACTION_COMPLETE'])
    second.cleanup()
  })
})
