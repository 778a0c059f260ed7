// The working conversation and the whole history, as the API shows them.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, local, result, system, user } from '../../../test/say.ts'
import type { Edit, EntryId, NewEntry } from '../edit/change.ts'
import type { ThreadEvent } from '../log/event.ts'
import { allEvents } from './api-events.ts'

function trimmed(of: EntryId, id: string): Edit {
  const data = {
    id,
    content: [{ type: 'text' as const, text: 'cut' }],
    status: 'completed' as const,
  }
  return { covers: [of], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of }] }
}

function summary(text: string): NewEntry {
  return { type: 'USER_MESSAGE', data: text, label: 'summary' }
}

/** `USER_MESSAGE#1 …` by sequence number. */
function line(events: readonly Pick<ThreadEvent, 'type' | 'seq'>[]): string {
  return events.map(({ type, seq }) => `${type}#${seq}`).join(' ')
}

describe('the working conversation', () => {
  it('is the whole log where nothing was compacted', () => {
    const log = new TestLog()
    log.append([system('be brief'), user('hi'), ...answer('hello'), local('saved')])
    expect(log.working()).toEqual(log.events)
  })

  it('shows two trims as one list with only the latest marker [LOG-17] [LOG-18]', () => {
    const log = new TestLog()
    log.append([user('U1'), result('t1', 'long one')], 'leave')
    log.compact({ edits: [trimmed('e2', 't1')] })
    log.append([user('U2'), result('t2', 'long two')], 'leave')
    log.compact({ edits: [trimmed('e5', 't2')] })
    const working = log.working()
    expect(line(working)).toBe(
      'USER_MESSAGE#1 TOOL_RESULT#2 USER_MESSAGE#4 TOOL_RESULT#5 COMPACTION#6',
    )
    expect(working[4]?.id).toBe(log.events[5]?.id)
    expect(
      working.flatMap((event) => (event.type === 'TOOL_RESULT' ? event.data.content : [])),
    ).toEqual([
      { type: 'text', text: 'cut' },
      { type: 'text', text: 'cut' },
    ])
    expect(working[1]?.id).toBe(log.events[1]?.id)
    expect(working[1]?.timestamp).toEqual(log.events[1]?.timestamp)
  })

  it('is what the latest active compaction left, its marker, then everything after it [LOG-16]', () => {
    const log = new TestLog()
    log.append([system('be brief'), user('one'), local('noted'), ...answer('1'), user('two')])
    log.compact({ edits: [{ covers: ['e2', 'e4'], put: [summary('S')] }] })
    log.append([user('three'), local('later')])
    const working = log.working()
    expect(line(working)).toBe(
      'SYSTEM_PROMPT#1 USER_MESSAGE#6 USER_MESSAGE#5 COMPACTION#6 USER_MESSAGE#7 LOCAL_SYSTEM_MESSAGE#8',
    )
    expect(working[1]).toMatchObject({ data: 'S', origin: 'summary', threadId: log.threadId })
  })

  it('shows an event without an entry only while the entry before it is shown', () => {
    const log = new TestLog()
    log.append([user('one'), local('about one'), user('two'), local('about two')])
    log.compact({ edits: [{ covers: ['e1'], put: [summary('S')] }] })
    expect(line(log.working())).toBe(
      'USER_MESSAGE#5 USER_MESSAGE#3 LOCAL_SYSTEM_MESSAGE#4 COMPACTION#5',
    )
  })

  it('keeps the marker in its place when the system prompt changes later', () => {
    const log = new TestLog()
    log.append([system('old'), user('one'), user('two')])
    log.compact({ edits: [{ covers: ['e2'], put: [summary('S')] }] })
    log.append([system('new'), user('three')])
    expect(line(log.working())).toBe(
      'SYSTEM_PROMPT#5 USER_MESSAGE#4 USER_MESSAGE#3 COMPACTION#4 USER_MESSAGE#6',
    )
  })

  it('comes back whole when the compaction is undone', () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1'), local('noted')])
    const before = log.working()
    log.compact({ edits: [{ covers: ['e1', 'e2'], put: [summary('S')] }] })
    expect(log.working()).not.toEqual(before)
    log.undo()
    expect(log.working()).toEqual(before)
  })

  it('ignores a COMPACTION that cannot be applied, and reports it [LOG-19]', () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1')])
    const before = log.items
    const gate = log.gate({ edits: [{ covers: ['e1'], put: [summary('S')] }] })
    if (!gate.ok) throw new Error(gate.refusal.message)
    const data = { ...gate.data, originalEventCount: 0, compactedEventCount: 0 }
    log.append(
      [{ type: 'COMPACTION', data: { ...data, edits: [{ covers: ['e99'], put: [] }] } }],
      'leave',
    )
    expect(log.items).toEqual(before)
    expect(log.context.ignored).toEqual([
      { seq: 3, reason: expect.stringContaining('one contiguous range') },
    ])
    expect(line(log.working())).toBe('USER_MESSAGE#1 AGENT_MESSAGE#2')
    // The log goes on as if it were not there.
    log.append([user('two')])
    log.compact({ edits: [{ covers: ['e1', 'e2'], put: [summary('S')] }] })
    expect(line(log.working())).toBe('USER_MESSAGE#5 USER_MESSAGE#4 COMPACTION#5')
  })

  it('collapses results of one call by their telling, and drops those without id [LOG-23]', () => {
    const log = new TestLog()
    log.append(answer('go', 'a'))
    log.append(
      [
        result('a', 'fine'),
        result('a', 'no', 'denied'),
        result('a', 'bad', 'failed'),
        result(undefined, 'x'),
      ],
      'leave',
    )
    expect(line(log.working())).toBe('AGENT_MESSAGE#1 TOOL_CALL#2 TOOL_RESULT#4')
  })
})

describe('the whole history', () => {
  it('holds every original and every COMPACTION with the events right after it [LOG-14] [LOG-15]', () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1'), user('two')])
    log.compact({ edits: [{ covers: ['e1', 'e2'], put: [summary('S1')] }] })
    log.append([user('three')])
    log.compact({ edits: [{ covers: ['c4.0', 'e3'], put: [summary('S2')] }] })
    const all = allEvents(log.events)
    expect(line(all as ThreadEvent[])).toBe(
      'USER_MESSAGE#1 AGENT_MESSAGE#2 USER_MESSAGE#3 COMPACTION#4 USER_MESSAGE#5 COMPACTION#6',
    )
    const compacted = all.flatMap((event) =>
      event.type === 'COMPACTION' ? [event.data.compactedEvents] : [],
    )
    expect(compacted.map((events) => events.map((event) => event.data))).toEqual([
      ['S1', 'two'],
      ['S2', 'three'],
    ])
    expect(log.events[3]?.data).not.toHaveProperty('compactedEvents')
  })
})
