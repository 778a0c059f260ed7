// What is told to followers of what another process does, from one moment to the next.
import { describe, expect, it } from 'vitest'
import { framesBetween, type LiveOperations, NOTHING_DONE } from './presence.ts'

const NOON = new Date(Date.UTC(2026, 0, 1, 12))
const IDLE: LiveOperations = { ...NOTHING_DONE, ended: [] }
const ASKING = { threadId: 't1', callId: 'c1', name: 'write', subject: 'a.txt', reason: 'asks' }

const ROWS: readonly (readonly [
  name: string,
  before: LiveOperations,
  now: LiveOperations,
  frames: object[],
])[] = [
  ['nothing', IDLE, IDLE, []],
  ['a turn that begins', IDLE, { ...IDLE, working: ['t1'] }, [{ type: 'turn-start' }]],
  ['a turn that goes on', { ...IDLE, working: ['t1'] }, { ...IDLE, working: ['t1'] }, []],
  [
    'a turn that ends',
    { ...IDLE, working: ['t1'] },
    { ...IDLE, ended: [{ threadId: 't1', end: 'failed' }] },
    [{ type: 'turn-end', end: 'failed' }],
  ],
  [
    'a turn whose process is gone',
    { ...IDLE, working: ['t1'] },
    IDLE,
    [{ type: 'turn-end', end: 'aborted' }],
  ],
  [
    'a question',
    { ...IDLE, working: ['t1'] },
    { ...IDLE, working: ['t1'], approvals: [ASKING] },
    [{ type: 'approval-request', callId: 'c1', reason: 'asks' }],
  ],
  [
    'a question that was answered',
    { ...IDLE, working: ['t1'], approvals: [ASKING] },
    { ...IDLE, working: ['t1'] },
    [{ type: 'tool-start', callId: 'c1', name: 'write' }],
  ],
  ['a compaction, which the log tells', IDLE, { ...IDLE, compacting: ['t1'] }, []],
]

describe('framesBetween', () => {
  it.each(ROWS)('%s', (_name, before, now, frames) => {
    const told = framesBetween(before, now, NOON)
    expect(told).toMatchObject(frames)
    expect(told).toHaveLength(frames.length)
    for (const frame of told) expect(frame).toMatchObject({ threadId: 't1', timestamp: NOON })
  })
})
