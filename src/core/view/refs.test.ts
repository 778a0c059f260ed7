// What an entry stands for: in order, up to a limit, and in a time that grows with the entries only.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, result, user } from '../../../test/say.ts'
import type { Edit, EntryId } from '../edit/change.ts'
import type { EventAt, ThreadEvent } from '../log/event.ts'
import { itemAt } from './entry.ts'
import { covered } from './refs.ts'

/** Every result is trimmed by one change; a second one makes a summary of everything. */
function trimmedThenSummarised(count: number): { log: TestLog; ref: EntryId } {
  const log = new TestLog()
  for (let n = 0; n < count; n += 1)
    log.append([...answer('go', `a${n}`), result(`a${n}`, 'one\ntwo\nthree')])
  log.append([user('end')])
  const trims = log.events.flatMap((event): Edit[] =>
    event.type === 'TOOL_RESULT'
      ? [
          {
            covers: [`e${event.seq}`],
            put: [
              {
                type: 'TOOL_RESULT',
                data: { ...event.data, content: [] },
                label: 'trimmed',
                of: `e${event.seq}`,
              },
            ],
          },
        ]
      : [],
  )
  expect(log.compact({ edits: trims })).toBeUndefined()
  const covers = log.context.items
    .toArray()
    .slice(0, -1)
    .map((item) => item.id)
  const put = [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }] as const
  expect(log.compact({ edits: [{ covers, put }] })).toBeUndefined()
  return { log, ref: `c${log.context.version}.0` }
}

/** The log, with how often its rows were asked for. */
function counted(log: TestLog): { eventAt: EventAt; calls: number } {
  const counts = {
    calls: 0,
    eventAt: (seq: number): ThreadEvent | undefined => {
      counts.calls += 1
      return log.eventAt(seq)
    },
  }
  return counts
}

describe('covered', () => {
  it('asks for a number of rows that grows with the entries, not with their square', () => {
    const callsFor = (count: number) => {
      const { log, ref } = trimmedThenSummarised(count)
      const counts = counted(log)
      expect(covered(ref, counts.eventAt)).toHaveLength(2 * count)
      return counts.calls
    }
    const [small, large] = [callsFor(500), callsFor(1_000)]
    expect(small).toBeLessThan(10 * 500)
    expect(large).toBeLessThanOrEqual(2 * small)
  })

  it('goes through the edits of a change once, however many entries it made', () => {
    const { log, ref } = trimmedThenSummarised(50)
    let scans = 0
    const changes = new Map<number, ThreadEvent>()
    const eventAt: EventAt = (seq) => {
      const known = changes.get(seq) ?? log.eventAt(seq)
      if (known?.type !== 'COMPACTION' || changes.has(seq)) return known
      const edits = new Proxy(known.data.edits, {
        get(target, key) {
          if (key === Symbol.iterator) scans += 1
          return Reflect.get(target, key)
        },
      })
      const watched = { ...known, data: { ...known.data, edits } }
      changes.set(seq, watched)
      return watched
    }
    expect(covered(ref, eventAt)).toHaveLength(100)
    expect(scans).toBeLessThanOrEqual(2 * changes.size)
  })

  it('stops at the limit, and asks for no more than it needs', () => {
    const { log, ref } = trimmedThenSummarised(500)
    const counts = counted(log)
    const all = covered(ref, log.eventAt)
    expect(covered(ref, counts.eventAt, 10)).toEqual(all.slice(0, 10))
    expect(counts.calls).toBeLessThan(50)
    expect(covered(ref, log.eventAt, 0)).toEqual([])
    expect(covered('e1', log.eventAt, 0)).toEqual([])
  })

  it('leaves out what an edit keeps, whether it is named alone or in a range', () => {
    const log = new TestLog()
    for (let n = 1; n <= 9; n += 1) log.append([user(`${n}`)])
    const put = [
      { keep: ['e6', 'e7', 2] as const },
      { type: 'USER_MESSAGE', data: 'S', label: 'summary' } as const,
      { keep: 'e3' as const },
    ]
    const events = [
      ...log.events,
      {
        ...log.events[0],
        seq: 10,
        type: 'COMPACTION',
        data: { edits: [{ covers: [['e1', 'e8', 8]], put }] },
      },
    ] as ThreadEvent[]
    const eventAt: EventAt = (seq) => events[seq - 1]
    expect(covered('c10.0', eventAt)).toEqual(['e1', 'e2', 'e4', 'e5', 'e8'])
    expect(covered('c10.1', eventAt)).toEqual([])
  })

  it('follows a chain of thousands of summaries', () => {
    const depth = 20_000
    const eventAt: EventAt = (seq) => {
      const covers = seq === 2 ? ['e1'] : [`c${seq - 1}.0`]
      const put = [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }]
      return {
        seq,
        type: 'COMPACTION',
        data: { edits: [{ covers, put }] },
      } as unknown as ThreadEvent
    }
    expect(covered(`c${depth}.0`, eventAt)).toEqual(['e1'])
  })

  it('ends on a log in which a change covers itself', () => {
    const put = [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }]
    const data = { edits: [{ covers: ['c2.0', 'e1'], put }] }
    const eventAt: EventAt = (seq) => ({ seq, type: 'COMPACTION', data }) as unknown as ThreadEvent
    expect(covered('c2.0', eventAt)).toEqual(['e1'])
  })

  it('ends where a range runs past the end of the log', () => {
    const { log } = trimmedThenSummarised(2)
    const put = [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }]
    const data = { edits: [{ covers: [['e1', 'e900000000000', 900_000_000_000]], put }] }
    const last = { seq: 99, type: 'COMPACTION', data } as unknown as ThreadEvent
    const eventAt: EventAt = (seq) => (seq === 99 ? last : log.eventAt(seq))
    const found = covered('c99.0', eventAt)
    expect(found.every((id) => itemAt(id, eventAt) !== undefined)).toBe(true)
  })
})
