// Frames and errors over the wire and back: what an interface gets is what the agent said.
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '../core/agent/frame.ts'
import { ERROR_TABLE } from '../core/error-table.ts'
import { type ErrorCode, PrecisError } from '../core/errors.ts'
import {
  fromProblem,
  fromWireError,
  fromWireFrame,
  toProblem,
  toWireError,
  toWireFrame,
} from './wire.ts'

const at = { threadId: 'thr_1', timestamp: new Date('2026-01-02T03:04:05.678Z') }
const run = { runId: 'run_1', trigger: 'auto', strategy: 'summarize' } as const
const refused = new PrecisError('gate-refused', 'No.', {
  hint: 'Again.',
  where: 'here',
  details: { reason: 'stale' },
})

const FRAMES: readonly AgentFrame[] = [
  { type: 'turn-start', ...at },
  { type: 'turn-end', ...at, end: 'done' },
  { type: 'turn-end', ...at, end: 'failed', error: refused },
  { type: 'text-delta', ...at, text: 'Hello \u{1F600}\n' },
  { type: 'answer-end', ...at, seq: 7 },
  { type: 'tool-end', ...at, callId: 'c1', name: 'read', status: 'completed' },
  { type: 'messages-returned', ...at, messages: ['Hello'] },
  { type: 'reading', ...at, reading: { tokens: 5, by: 'measured' }, windowTokens: 10 },
  { type: 'error', ...at, error: refused, context: { operation: 'turn', threadId: 'thr_1' } },
  { type: 'COMPACTION_START', ...at, ...run, message: 'Compacting' },
  { type: 'COMPACTION_PROGRESS', ...at, ...run, message: 'chunk', done: 1, total: 3, share: 1 / 3 },
  {
    type: 'COMPACTION_COMPLETE',
    ...at,
    ...run,
    success: true,
    end: 'committed',
    durationMs: 3,
    tokensSaved: 12,
    event: {
      v: 2,
      id: 'evt_9',
      ...at,
      seq: 9,
      type: 'COMPACTION',
      data: {
        basedOn: 8,
        edits: [],
        inverse: [],
        runId: 'run_1',
        strategyId: 'summarize',
        trigger: 'auto',
        originalEventCount: 1,
        compactedEventCount: 1,
      },
    },
  },
]

describe('frames', () => {
  it.each(FRAMES)('$type comes back as it was', (frame) => {
    const wire = JSON.parse(JSON.stringify(toWireFrame(frame)))
    expect(Object.keys(wire)).toEqual(['type', 'threadId', 'timestamp', 'data'])
    expect(fromWireFrame(wire)).toEqual(frame)
  })

  it('of a compaction that failed say that nothing was saved [LOG-78]', () => {
    const frame: AgentFrame = {
      type: 'COMPACTION_COMPLETE',
      ...at,
      ...run,
      success: false,
      end: 'refused',
      durationMs: 3,
      error: refused,
    }
    expect(toWireFrame(frame).data).toMatchObject({ success: false, tokensSaved: 0 })
    expect(toWireFrame(frame).data.error).toMatchObject({ code: 'gate-refused', reason: 'stale' })
  })

  const NONE = [null, 7, 'x', [], {}, { type: 'x' }, { ...at, type: 'x', data: 7 }]
  it.each(NONE)('%j is none', (value) => {
    expect(fromWireFrame(value)).toBeUndefined()
  })
})

describe('errors', () => {
  it('come back as they were, in both forms', () => {
    for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
      const error = new PrecisError(code, 'What.', { hint: 'Do.', where: 'there', retryable: true })
      for (const back of [fromWireError(toWireError(error)), fromProblem(toProblem(error))]) {
        expect(back).toMatchObject({ code, message: 'What.', hint: 'Do.', where: 'there' })
        expect(back.retryable).toBe(true)
      }
      expect(toProblem(error).status).toBe(ERROR_TABLE[code].status)
    }
  })

  it('of a newer server are told without their code', () => {
    expect(fromWireError({ code: 'later-kind', message: 'What.' })).toMatchObject({
      code: 'internal',
      message: 'What.',
    })
  })

  it('have nothing on the wire but what is meant for it', () => {
    const error = new PrecisError('model-failed', 'No.', {
      details: { key: 'sk-1' },
      cause: 'inside',
    })
    expect(toWireError(error)).toEqual({ code: 'model-failed', message: 'No.' })
  })
})
