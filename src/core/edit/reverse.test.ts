// Undo, redo and expand, by small stories; the properties are in thread.property.test.ts.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, result, thoughtAnswer, user } from '../../../test/say.ts'
import { PrecisError } from '../errors.ts'
import type { ThreadEvent } from '../log/event.ts'
import { covered } from '../view/refs.ts'
import type { Edit, EntryId } from './change.ts'

function sample(): TestLog {
  const log = new TestLog()
  log.append([user('one'), ...answer('1'), user('two'), ...answer('2'), user('three')])
  return log
}

function summarise(log: TestLog, text: string, ...covers: Edit['covers']): number {
  const refused = log.compact({
    edits: [{ covers, put: [{ type: 'USER_MESSAGE', data: text, label: 'summary' }] }],
  })
  expect(refused).toBeUndefined()
  return log.context.version
}

function ids(log: TestLog): EntryId[] {
  return log.context.items.toArray().map((item) => item.id)
}

function readError(act: () => void): PrecisError {
  try {
    act()
  } catch (error) {
    if (PrecisError.is(error)) return error
    throw error
  }
  throw new Error('it did not throw')
}

describe('undo', () => {
  it('restores the former context, across several compactions [ALWAYS-01] [ALWAYS-22]', () => {
    const log = sample()
    const states = [log.items]
    summarise(log, 'S1', 'e1', 'e2')
    states.push(log.items)
    summarise(log, 'S2', 'c6.0', 'e3')
    states.push(log.items)
    summarise(log, 'S3', 'c7.0')
    for (const state of states.toReversed()) {
      log.undo()
      expect(log.items).toEqual(state)
    }
    expect(log.build().messages).toHaveLength(5)
    expect(readError(() => log.undo())).toMatchObject({ code: 'nothing-to-undo' })
  })

  it('names the later change that covers what it would take back [ALWAYS-22]', () => {
    const log = sample()
    const first = summarise(log, 'S1', 'e1', 'e2')
    const second = summarise(log, 'S2', 'c6.0', 'e3')
    const before = log.items
    const error = readError(() => log.undo(first))
    expect(error).toMatchObject({
      code: 'covered-by',
      details: { change: first, coveredBy: second },
    })
    expect(error.hint).toContain(`Undo event ${second} first`)
    expect(log.items).toEqual(before)
    log.undo()
    log.undo()
    expect(ids(log)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
  })

  it('takes back an older change that nothing covers, and that is undone like any other', () => {
    const log = sample()
    const first = summarise(log, 'S1', 'e1', 'e2')
    summarise(log, 'S2', 'e3', 'e4')
    log.undo(first)
    expect(ids(log)).toEqual(['e1', 'e2', 'c7.0', 'e5'])
    log.undo()
    expect(ids(log)).toEqual(['c6.0', 'c7.0', 'e5'])
  })

  it('un-hides thinking only where its prefix is what it was', () => {
    const log = new TestLog()
    log.append([user('one'), ...thoughtAnswer('t1', '1'), user('two'), ...thoughtAnswer('t2', '2')])
    const shown = () => log.context.items.toArray().flatMap((item) => (item.hide ? [] : [item.id]))
    summarise(log, 'S1', 'e1')
    expect(shown()).toEqual(['c5.0', 'e3'])
    log.append([...thoughtAnswer('t3', '3')])
    log.undo()
    // e6 was thought behind the summary, which is gone now.
    expect(shown()).toEqual(['e1', 'e2', 'e3', 'e4'])
  })

  it('leaves the thinking of a round that no answer has taken up yet', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2')
    log.append([...thoughtAnswer('so', 'I look.', 'a')])
    log.append([result('a', 'found')])
    log.undo()
    const thought = log.context.items.toArray().find((item) => item.thinkingTokens !== undefined)
    expect(thought).toMatchObject({ calls: ['a'] })
    expect(thought?.hide).toBeUndefined()
  })

  it('un-hides no thinking when an older change is taken back', () => {
    const log = new TestLog()
    log.append([user('one'), ...thoughtAnswer('t1', '1'), user('two'), ...thoughtAnswer('t2', '2')])
    const first = summarise(log, 'S1', 'e1', 'e2')
    const hidden = log.context.items.toArray().find((item) => item.id === 'e4')
    expect(hidden?.hide).toEqual(['thinking'])
    summarise(log, 'S2', 'e3')
    log.undo(first)
    // Its prefix is another one since S2: neither what came back nor what stood behind may show it.
    expect(log.context.items.toArray().map(({ id, hide }) => [id, hide])).toEqual([
      ['e1', undefined],
      ['e2', ['thinking']],
      ['c6.0', undefined],
      ['e4', ['thinking']],
    ])
    expect(JSON.stringify(log.build())).not.toContain('t1')
  })

  it('refuses what is no change in force', () => {
    const log = sample()
    summarise(log, 'S1', 'e1')
    expect(readError(() => log.undo(3))).toMatchObject({
      code: 'nothing-to-undo',
      hint: expect.stringContaining('6'),
    })
  })
})

describe('redo', () => {
  it('brings back the same entries under the same names [ALWAYS-22]', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2')
    const after = log.items
    log.undo()
    log.redo()
    expect(log.items).toEqual(after)
    log.undo()
    expect(ids(log)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect(log.context.active).toEqual([])
  })

  it('is refused, naming the change, where a later one covers it [ALWAYS-22]', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2')
    log.undo()
    const later = summarise(log, 'S2', 'e2', 'e3')
    expect(readError(() => log.redo())).toMatchObject({
      code: 'covered-by',
      details: { coveredBy: later },
    })
    expect(ids(log)).toEqual(['e1', 'c8.0', 'e4', 'e5'])
  })

  it('shows thinking again where its prefix came back, and not behind a later compaction', () => {
    const undone = () => {
      const log = new TestLog()
      log.append([user('one'), ...answer('1'), user('two')])
      summarise(log, 'S1', 'e1', 'e2')
      log.append([...thoughtAnswer('t', '2'), user('three'), ...answer('3'), user('four')])
      log.undo()
      expect(JSON.stringify(log.build())).not.toContain('"t"') // it was thought behind S1
      return log
    }
    const same = undone()
    same.redo()
    expect(JSON.stringify(same.build())).toContain('"t"')
    const changed = undone()
    summarise(changed, 'S2', 'e3')
    changed.redo()
    expect(ids(changed).slice(0, 2)).toEqual(['c4.0', 'c10.0'])
    expect(JSON.stringify(changed.build())).not.toContain('"t"')
  })

  it('of an older compaction leaves the newest one the marker', () => {
    const log = sample()
    const first = summarise(log, 'S1', 'e1', 'e2')
    const second = summarise(log, 'S2', 'e3', 'e4')
    const before = log.working()
    log.undo(first)
    log.redo()
    expect(log.context.active).toEqual([first, second])
    const shown = ({ type, data }: ThreadEvent) => ({ type, data })
    expect(log.working().map(shown)).toEqual(before.map(shown))
    expect(log.working().find(({ type }) => type === 'COMPACTION')?.seq).toBe(second)
  })

  it('says so where there is nothing to redo', () => {
    expect(readError(() => sample().redo())).toMatchObject({ code: 'nothing-to-redo' })
  })
})

describe('several in a row', () => {
  it('undone and redone, two changes leave what they had left, hiding included [ALWAYS-22]', () => {
    const log = new TestLog()
    log.append([
      user('one'),
      ...thoughtAnswer('t1', '1'),
      user('two'),
      ...thoughtAnswer('t2', '2'),
      user('x'),
    ])
    summarise(log, 'S1', 'e1')
    log.append([...thoughtAnswer('t3', '3'), user('four')])
    summarise(log, 'S2', 'e3')
    const after = log.items
    log.undo()
    log.undo()
    log.redo()
    log.redo()
    expect(log.items).toEqual(after)
  })

  it('a redo that needs another redo first names that one [ALWAYS-22]', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2')
    summarise(log, 'S2', 'c6.0', 'e3')
    log.undo()
    const first = log.context.version
    log.undo()
    const second = log.context.version
    const error = readError(() => log.redo(first))
    expect(error).toMatchObject({ code: 'covered-by', details: { coveredBy: second } })
    expect(error.hint).toContain(`Redo event ${second} first`)
  })

  it('the aborted answer to a call that came back and went again is never sent', () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('compacting', 'x')])
    const put = [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }] as const
    log.compact({ edits: [{ covers: ['e1', 'e2'], put }], closes: ['x'] })
    log.undo()
    expect(log.build().messages.at(-1)?.parts[0]).toMatchObject({ type: 'tool_result', id: 'x' })
    log.redo()
    // Its call is covered again: it stays in the log, gets no message, and is reported.
    expect(log.build().messages).toHaveLength(1)
    expect(log.build().problems.map(({ code }) => code)).toEqual(['orphan-result'])
  })
})

describe('expand', () => {
  it('puts one stretch back and leaves the rest compacted', () => {
    const log = sample()
    log.compact({
      edits: [
        { covers: ['e1', 'e2'], put: [{ type: 'USER_MESSAGE', data: 'S1', label: 'summary' }] },
        { covers: ['e3', 'e4'], put: [{ type: 'USER_MESSAGE', data: 'S2', label: 'summary' }] },
      ],
    })
    const compacted = log.items
    log.expand('c6.1')
    expect(ids(log)).toEqual(['c6.0', 'e3', 'e4', 'e5'])
    log.undo()
    expect(log.items).toEqual(compacted)
    log.expand('e1')
    expect(ids(log)).toEqual(['e1', 'e2', 'c6.1', 'e5'])
  })

  it('hides the thinking of what it brings back, which stood behind another prefix', () => {
    const log = new TestLog()
    log.append([user('one'), ...thoughtAnswer('t1', '1'), user('two'), ...thoughtAnswer('t2', '2')])
    log.append([user('three')])
    log.compact({
      edits: [
        { covers: ['e1'], put: [{ type: 'USER_MESSAGE', data: 'S1', label: 'summary' }] },
        { covers: ['e3', 'e4'], put: [{ type: 'USER_MESSAGE', data: 'S2', label: 'summary' }] },
      ],
    })
    log.expand('c6.1')
    expect(log.context.items.toArray().map(({ id, hide }) => [id, hide])).toEqual([
      ['c6.0', undefined],
      ['e2', ['thinking']],
      ['e3', undefined],
      ['e4', ['thinking']],
      ['e5', undefined],
    ])
    expect(JSON.stringify(log.build())).not.toContain('t2')
  })

  it('restores a trimmed result', () => {
    const log = new TestLog()
    log.append(answer('go', 'a'))
    log.append([result('a', 'all of it')])
    const data = { id: 'a', content: [], status: 'completed' as const }
    log.compact({
      edits: [{ covers: ['e3'], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: 'e3' }] }],
    })
    log.expand('c4.0')
    expect(ids(log)).toEqual(['e1', 'e3'])
  })

  it('says so where nothing stands for the ref', () => {
    const log = sample()
    expect(readError(() => log.expand('e1'))).toMatchObject({ code: 'unknown-entry', where: 'e1' })
  })
})

describe('refs', () => {
  it('lead through summaries of summaries to the originals, each once [ALWAYS-01]', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2')
    summarise(log, 'S2', 'c6.0', 'e3')
    expect(covered('c7.0', log.eventAt)).toEqual(['e1', 'e2', 'e3'])
    expect(covered('c6.0', log.eventAt)).toEqual(['e1', 'e2'])
    expect(covered('e5', log.eventAt)).toEqual(['e5'])
  })
})

describe('expand one entry alone', () => {
  it('puts it behind the summary, in the order of the log, and leaves the others out', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2', 'e3', 'e4')
    const compacted = log.items
    log.expandAlone('e3')
    expect(ids(log)).toEqual(['c6.0', 'e3', 'e5'])
    log.expandAlone('e4')
    log.expandAlone('e1')
    expect(ids(log)).toEqual(['c6.0', 'e1', 'e3', 'e4', 'e5'])
    for (const _ of [1, 2, 3]) log.undo()
    expect(log.items).toEqual(compacted)
  })

  it('reaches through a summary of summaries in one step', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2')
    summarise(log, 'S2', 'c6.0', 'e3')
    log.expandAlone('e1')
    expect(ids(log)).toEqual(['c7.0', 'e1', 'e4', 'e5'])
  })

  it('brings a call back with its results, and no other round', () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('one', 'a', 'b'), result('a', 'A'), result('b', 'B')])
    log.append([...answer('two', 'c'), result('c', 'C'), user('thanks')])
    const [, , first, , last] = ids(log)
    summarise(log, 'S', ...ids(log).slice(0, -1))
    const made = ids(log)[0]
    log.expandAlone(first as EntryId)
    expect(ids(log)).toEqual([made, 'e2', 'e5', 'e6', ids(log).at(-1)])
    expect(log.build().problems).toEqual([])
    log.expandAlone(last as EntryId)
    expect(log.build().problems).toEqual([])
    for (const each of ['e2', 'e6'] as const) {
      log.undo()
      log.undo()
      expect(ids(log)).toHaveLength(2)
      log.expandAlone(each)
      expect(ids(log)).toEqual([made, 'e2', 'e5', 'e6', ids(log).at(-1)])
      log.expandAlone(last as EntryId)
    }
  })

  it('does not count an entry twice that is back and covered again', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2', 'e3')
    log.expandAlone('e2')
    summarise(log, 'S2', 'c6.0', 'e2', 'e4')
    expect(covered(ids(log)[0] as EntryId, log.eventAt)).toEqual(['e1', 'e2', 'e3', 'e4'])
  })

  it('gives its place up to everything that the summary stands for, as one change', () => {
    const log = sample()
    summarise(log, 'S1', 'e1', 'e2', 'e3', 'e4')
    log.expandAlone('e3')
    log.expandAlone('e1')
    const some = log.items
    log.expand('c6.0')
    expect(ids(log)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    log.undo()
    expect(log.items).toEqual(some)
  })

  it('refuses what is in the context already, and changes nothing', () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('one', 'a', 'b'), result('a', 'A'), result('b', 'B')])
    log.append([user('thanks')])
    const [first, call, , last] = ids(log)
    summarise(log, 'S', ...ids(log).slice(0, -1))
    for (const each of [first, call] as EntryId[]) log.expandAlone(each)
    const { events, items } = { events: log.events.length, items: log.items }
    for (const each of [first, call, last] as EntryId[])
      expect(readError(() => log.expandAlone(each))).toMatchObject({
        code: 'unknown-entry',
        where: each,
      })
    expect([log.events.length, log.items]).toEqual([events, items])
  })

  it('gives its place up also where it was rewritten or summarised since', () => {
    const trim = (log: TestLog) =>
      log.compact({
        edits: [
          {
            covers: ['e3'],
            put: [{ type: 'USER_MESSAGE', data: '3', label: 'trimmed', of: 'e3' }],
          },
        ],
      })
    const cover = (log: TestLog) => summarise(log, 'S2', 'e3', 'e5')
    for (const [since, whole] of [
      [trim, ['e1', 'e2', 'e3', 'e4', 'e5']],
      [cover, ['e1', 'e2', 'e3', 'e4', 'c8.0']],
    ] as const) {
      const log = sample()
      summarise(log, 'S1', 'e1', 'e2', 'e3', 'e4')
      log.expandAlone('e3')
      since(log)
      const some = log.items
      expect(ids(log)).toContain('c8.0')
      log.expand('c6.0')
      expect(ids(log)).toEqual(whole)
      log.undo()
      expect(log.items).toEqual(some)
    }
  })

  it('puts back the whole of what was rewritten', () => {
    const log = new TestLog()
    log.append([...answer('go', 'a'), result('a', 'all of it')])
    const data = { id: 'a', content: [], status: 'completed' as const }
    log.compact({
      edits: [{ covers: ['e3'], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: 'e3' }] }],
    })
    log.expandAlone('e3')
    expect(ids(log)).toEqual(['e1', 'e3'])
  })

  it('takes the place of what an entry was rewritten to, however often', () => {
    const log = sample()
    const rewrite = (of: EntryId, data: string) =>
      log.compact({
        edits: [{ covers: [of], put: [{ type: 'USER_MESSAGE', data, label: 'trimmed', of }] }],
      })
    expect([rewrite('e1', 'on'), rewrite('c6.0', 'o')]).toEqual([undefined, undefined])
    log.expandAlone('e1')
    expect(ids(log)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
  })
})
