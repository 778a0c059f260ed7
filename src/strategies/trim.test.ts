// `trim-tool-results` in both of its forms: on a context, and on a plain list of events.
import { describe, expect, it } from 'vitest'
import { TestLog, testClock, testIds } from '../../test/generate/test-log.ts'
import { answer, result, user } from '../../test/say.ts'
import type { EventType } from '../core/log/event.ts'
import type { PlainEvent } from '../core/log-design/from-plain-events.ts'
import type { Block } from '../core/view/content.ts'
import { asCompactionStrategy } from './as-compaction-strategy.ts'
import { trimText, trimToolResults, untilSaved } from './trim.ts'

const MARKER = '[results truncated to save space.]'

function plain(...events: [type: EventType, data: unknown][]): PlainEvent[] {
  return events.map(([type, data], at) => ({
    id: `evt_${at + 1}`,
    threadId: 'thr_1',
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, at)),
    type,
    data,
  }))
}

function toolResult(id: string, content: readonly Block[], status = 'completed') {
  return { id, content, status, metadata: { ms: 3 } }
}

const strategy = asCompactionStrategy(trimToolResults, { clock: testClock(), ids: testIds() })
const run = { threadId: 'thr_1' }

it('rewrites no more than what is wanted, to the token', () => {
  const rewrites = ['e1', 'e2', 'e3'].map((id) => ({ edit: { covers: [id], put: [] }, saved: 5 }))
  const rewritten = (wanted?: number) =>
    untilSaved(rewrites as unknown as Parameters<typeof untilSaved>[0], wanted).length
  expect([0, 1, 5, 6, 10, 99].map(rewritten)).toEqual([0, 1, 1, 2, 2, 3])
  expect(rewritten()).toBe(3)
})

describe('trimText', () => {
  const VECTORS: [text: string, trimmed: string][] = [
    ['line1\nline2', 'line1\nline2'],
    ['a\nb\nc', 'a\nb\nc'],
    ['line1\nline2\nline3\nline4', `line1\nline2\nline3\n${MARKER}`],
    ['a\nb\nc\n', `a\nb\nc\n${MARKER}`],
    ['', ''],
  ]
  it.each(VECTORS)('turns %j into %j [LOG-40]', (text, trimmed) => {
    expect(trimText(text)).toBe(trimmed)
    expect(trimText(trimText(text))).toBe(trimmed)
  })

  it('cuts a single endless line, and cutting again changes nothing', () => {
    const once = trimText(`${'x'.repeat(1_999)}😀${'y'.repeat(1_000_000)}`)
    expect(once.length).toBeLessThan(2_100)
    expect(once.endsWith(`\n${MARKER}`)).toBe(true)
    expect(once.isWellFormed()).toBe(true)
    expect(trimText(once)).toBe(once)
  })
})

describe('trim-tool-results on plain events', () => {
  it('shortens text blocks and leaves everything else as it was [LOG-36] [LOG-40]', async () => {
    const image = { type: 'image', data: 'iVBORw0KGgo=' } as const
    const events = plain(
      ['SYSTEM_PROMPT', 'be brief'],
      ['USER_MESSAGE', 'read two files'],
      ['AGENT_MESSAGE', { content: 'reading' }],
      ['TOOL_CALL', { id: 't1', name: 'read', arguments: { path: 'a' } }],
      ['TOOL_CALL', { id: 't2', name: 'read', arguments: { path: 'b' } }],
      ['TOOL_RESULT', toolResult('t1', [{ type: 'text', text: '1\n2\n3\n4' }, image])],
      ['TOOL_RESULT', toolResult('t2', [], 'failed')],
      ['LOCAL_SYSTEM_MESSAGE', 'noted'],
    )
    const before = structuredClone(events)
    const compaction = await strategy.compact(events, run)
    expect(events).toEqual(before)
    expect(compaction).toMatchObject({ type: 'COMPACTION', threadId: 'thr_1' })
    const { compactedEvents, ...data } = compaction.data
    expect(data).toMatchObject({
      strategyId: 'trim-tool-results',
      originalEventCount: 8,
      compactedEventCount: 8,
    })
    // There is no log into which a ref could lead: what was left out is named by its id.
    expect(data.metadata).toEqual({
      ...{ toolResultsModified: 1, maxLines: 3, truncationMessage: MARKER },
      losses: ['evt_6'],
    })
    expect(compactedEvents.map(({ id, type }) => [id, type])).toEqual(
      events.map(({ id, type }) => [id, type]),
    )
    expect(compactedEvents.map(({ timestamp }) => timestamp)).toEqual(
      events.map(({ timestamp }) => timestamp),
    )
    expect(compactedEvents[5]?.data).toEqual(
      toolResult('t1', [{ type: 'text', text: `1\n2\n3\n${MARKER}` }, image]),
    )
    expect(compactedEvents[6]?.data).toEqual(toolResult('t2', [], 'failed'))
    for (const at of [0, 1, 7]) expect(compactedEvents[at]?.data).toEqual(events[at]?.data)
  })

  it('skips COMPACTIONs in its input but counts them, and makes unique ids [LOG-40]', async () => {
    const events = plain(
      ['USER_MESSAGE', 'hi'],
      ['COMPACTION', { strategyId: 'x', originalEventCount: 1, compactedEvents: [] }],
      ['TOOL_RESULT', toolResult('t1', [{ type: 'text', text: '1\n2\n3\n4' }])],
    )
    const [one, two] = [await strategy.compact(events, run), await strategy.compact(events, run)]
    expect(one.data.originalEventCount).toBe(3)
    expect(one.data.compactedEvents.map(({ type }) => type)).toEqual([
      'USER_MESSAGE',
      'TOOL_RESULT',
    ])
    expect(one.id).not.toBe(two.id)
  })

  it('keeps the order of calls and results that took turns, and adds nothing to events [LOG-40]', async () => {
    const events = plain(
      ['USER_MESSAGE', 'hi'],
      ['AGENT_MESSAGE', { content: 'reading' }],
      ['TOOL_CALL', { id: 't1', name: 'read', arguments: {} }],
      ['TOOL_RESULT', toolResult('t1', [{ type: 'text', text: '1\n2\n3\n4' }])],
      ['TOOL_CALL', { id: 't2', name: 'read', arguments: {} }],
      ['TOOL_RESULT', toolResult('t2', [{ type: 'text', text: 'short' }])],
      ['USER_MESSAGE', 'thanks'],
    )
    const { data } = await strategy.compact(events, run)
    expect(data.compactedEvents.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
    for (const at of [0, 1, 2, 4, 5, 6])
      expect(data.compactedEvents[at]?.data).toEqual(events[at]?.data)
  })

  it('makes up no answer for calls that come without one', async () => {
    const events = plain(
      ['USER_MESSAGE', 'hi'],
      ['TOOL_CALL', { id: 't1', name: 'read', arguments: {} }],
      ['TOOL_RESULT', toolResult('t1', [{ type: 'text', text: '1\n2\n3\n4' }])],
    )
    const { data } = await strategy.compact(events, run)
    expect(data.compactedEvents.map(({ type }) => type)).toEqual([
      'USER_MESSAGE',
      'TOOL_CALL',
      'TOOL_RESULT',
    ])
  })

  it('answers an empty list with an empty compaction', async () => {
    const { data } = await strategy.compact([], run)
    expect(data).toMatchObject({ originalEventCount: 0, compactedEvents: [] })
  })
})

describe('trim-tool-results on a context', () => {
  const LONG = 'a\nb\nc\nd'
  function log(): TestLog {
    const made = new TestLog()
    made.append([user('go'), ...answer('one', 'a')])
    made.append([result('a', LONG), ...answer('two', 'b')])
    made.append([result('b', LONG)])
    return made
  }
  const propose = (made: TestLog, trigger: 'command' | 'auto') =>
    trimToolResults.propose({ context: made.context, eventAt: made.eventAt, run, trigger })

  it('trims all results when asked for by name, and not the unread round on its own [LOG-40]', async () => {
    const made = log()
    expect((await propose(made, 'command')).edits.map((edit) => edit.covers)).toEqual([
      ['e4'],
      ['e7'],
    ])
    expect((await propose(made, 'auto')).edits.map((edit) => edit.covers)).toEqual([['e4']])
  })

  it('holds the refs of the originals beside its exact marker, also of what was rewritten before [LOG-40, NEED-07]', async () => {
    const made = log()
    const proposal = await propose(made, 'command')
    expect(proposal.metadata).toMatchObject({ refs: ['e4', 'e7'], toolResultsModified: 2 })
    for (const { put } of proposal.edits)
      expect(JSON.stringify(put)).toContain(JSON.stringify(`a\nb\nc\n${MARKER}`).slice(1, -1))
    made.compact({
      edits: proposal.edits.map(({ covers, put }) => ({
        covers,
        put: put.map((each) => JSON.parse(JSON.stringify(each).replace(MARKER, 'and more'))),
      })),
    })
    expect((await propose(made, 'command')).metadata).toMatchObject({ refs: ['e4', 'e7'] })
  })

  it('finds nothing left to do the second time [LOG-40]', async () => {
    const made = log()
    made.compact(await propose(made, 'command'))
    expect((await propose(made, 'command')).edits).toEqual([])
  })

  it('leaves the originals in the log [LOG-40]', async () => {
    const made = log()
    const before = structuredClone(made.events)
    made.compact(await propose(made, 'command'))
    expect(made.events.slice(0, before.length)).toEqual(before)
  })
})
