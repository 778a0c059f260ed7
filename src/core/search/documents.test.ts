// What of an event can be found.
import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../log/event.ts'
import { type AwaitedCall, buildDocument, readParts } from './documents.ts'

function event(type: string, data: unknown): ThreadEvent {
  const base = { v: 2, id: 'x', threadId: 't', seq: 1, timestamp: new Date(0) }
  return { ...base, type, data } as ThreadEvent
}

const call = (id: string, given: object) =>
  event('TOOL_CALL', { id, name: 'read', arguments: given, answer: 1 })
const result = (id: string | undefined, text: string) =>
  event('TOOL_RESULT', { id, content: [{ type: 'text', text }], status: 'completed' })

describe('the document of an event', () => {
  it('of a call has its arguments; its result has the same tool and file', () => {
    const asked = buildDocument(
      call('c', { path: 'a.ts', lines: [1, { from: 'x' }], deep: null }),
      [],
    )
    expect(asked.document).toEqual({
      kind: 'call',
      text: 'read\na.ts\n1\nx',
      tool: 'read',
      file: 'a.ts',
    })
    const answered = buildDocument(result('c', 'content'), asked.awaited)
    expect(answered.document).toEqual({
      kind: 'result',
      text: 'content',
      tool: 'read',
      file: 'a.ts',
    })
    expect(answered.awaited).toEqual([])
  })

  it('of a result without a call has no tool, and calls that wait are not kept without end', () => {
    expect(buildDocument(result(undefined, 'content'), []).document).toEqual({
      kind: 'result',
      text: 'content',
    })
    let awaited: readonly AwaitedCall[] = []
    for (let index = 0; index < 200; index += 1)
      awaited = buildDocument(call(`c${index}`, {}), awaited).awaited
    expect(awaited).toHaveLength(64)
    expect(awaited.at(-1)?.id).toBe('c199')
  })

  it('of a compaction has its summaries, whoever says them, and nothing else that it puts', () => {
    const put = (type: string, label: string, data: unknown) => ({ type, label, data })
    const edits = [
      {
        covers: ['e1'],
        put: [
          put('USER_MESSAGE', 'summary', 'told by the user'),
          put('AGENT_MESSAGE', 'summary', { content: 'told by the agent', calls: [] }),
          put('USER_MESSAGE', 'brief', 'a brief'),
          put('USER_MESSAGE', 'pins', 'pinned'),
          { keep: 'e1' },
        ],
      },
    ]
    const { document } = buildDocument(event('COMPACTION', { edits }), [])
    expect(document?.kind).toBe('summary')
    expect(document?.text.trim().split('\n')).toEqual([
      'told by the user',
      'told by the agent',
      'a brief',
    ])
  })

  it.each([
    ['THREAD_STARTED', {}],
    ['CHECKPOINT', { id: 'c' }],
    ['USER_MESSAGE', '  '],
    ['AGENT_MESSAGE', { content: '', calls: [] }],
  ])('of %s is nothing', (type, data) => {
    expect(buildDocument(event(type, data), []).document).toBeUndefined()
  })
})

describe('the parts of a long text', () => {
  it('are bounded, and are the text again', () => {
    const text = '👩‍👩‍👧‍👦é部'.repeat(10_000)
    const parts = readParts(text)
    expect(parts.join('')).toBe(text)
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(16_000)
      expect(part.isWellFormed()).toBe(true)
    }
    expect(readParts('')).toEqual([])
  })
})
