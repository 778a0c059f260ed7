// What the gate lets pass and what it refuses, each rule by a proposal that breaks only that one.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, reminder, result, thoughtAnswer, user } from '../../../test/say.ts'
import { type Item, newEntryAt } from '../view/entry.ts'
import { reducedBy } from '../view/thread-state.ts'
import { applyChange } from './apply.ts'
import type { Edit, EntryId, NewEntry, Put, Trigger } from './change.ts'
import { GATE_MIN_TOKENS, type GateResult } from './gate.ts'
import { checkPins } from './gate-checks.ts'
import { pinnedText, pinsReducer } from './pins.ts'
import type { Proposal } from './strategy.ts'

const LONG = 'the quick brown fox jumps over the lazy dog '.repeat(200)

function summary(text: string): NewEntry {
  return { type: 'USER_MESSAGE', data: text, label: 'summary' }
}

/** e1 user, e2 answer with calls a and b (e3, e4 are the calls), e5 and e6 results, e7 answer, e8 user. */
function sample(): TestLog {
  const log = new TestLog()
  log.append([user(`start ${LONG}`), ...answer('reading', 'a', 'b')])
  log.append([result('a', LONG), result('b', LONG), ...answer('both read'), user('go on')])
  return log
}

function replace(covers: Edit['covers'], ...put: Put[]): Proposal {
  return { edits: [{ covers, put }] }
}

const ALL: Edit['covers'] = ['e1', 'e2', 'e5', 'e6', 'e7']

function passed(result: GateResult) {
  if (!result.ok) throw new Error(result.refusal.message)
  return result.data
}

describe('the gate', () => {
  it('lets a sound summary pass, and the context is what it says', () => {
    const log = sample()
    expect(log.compact(replace(ALL, summary('S')))).toBeUndefined()
    expect(log.context.items.toArray().map((item) => item.id)).toEqual(['c9.0', 'e8'])
  })

  const REFUSED: [reason: string, proposal: Proposal, trigger?: Trigger][] = [
    ['summary-empty', replace(ALL, summary(''))],
    ['summary-empty', replace(ALL, summary(' \n\t'))],
    [
      'summary-empty',
      replace(ALL, { type: 'AGENT_MESSAGE', data: { content: '', calls: [] }, label: 'summary' }),
    ],
    ['summary-cut-off', { ...replace(ALL, summary('S')), stopReason: 'length' }],
    ['summary-refused', { ...replace(ALL, summary('S')), stopReason: 'refusal' }],
    ['summary-failed', { ...replace(ALL, summary('S')), stopReason: 'error' }],
    ['summary-failed', { ...replace(ALL, summary('S')), stopReason: 'aborted' }],
    ['summary-failed', { ...replace(ALL, summary('S')), stopReason: 'tool_use' }],
    ['splits-round', replace(['e1', 'e2'], summary('S'))],
    ['splits-round', replace(['e1', 'e2', 'e5'], summary('S'))],
    ['splits-round', replace(['e6', 'e7'], summary('S'))],
    ['splits-round', replace(ALL, summary('S'), { keep: 'e2' })],
    ['splits-round', replace(ALL, summary('S'), { keep: 'e5' })],
    ['stale', replace(['e1', 'e5'], summary('S'))],
    ['stale', replace(['e44'], summary('S'))],
    ['stale', replace([['e1', 'e8', 3]], summary('S'))],
    [
      'malformed',
      { edits: [...replace(ALL, summary('S')).edits, ...replace(['e7'], summary('T')).edits] },
    ],
    ['malformed', replace(ALL, summary('S'), { keep: 'e7' }, { keep: 'e1' })],
    ['malformed', replace(['e1'], summary('S'), { keep: 'e8' })],
    ['malformed', replace(ALL, { keep: 'e1' })],
    ['malformed', replace(['e5'], { ...summary('S'), of: 'e5' })],
    ['malformed', replace(['e7'], { ...summary('S'), of: 'e7' })],
    [
      'malformed',
      replace(['e2'], {
        type: 'AGENT_MESSAGE',
        data: { content: 'read', calls: ['a'] },
        label: 'repaired',
        of: 'e2',
      }),
    ],
    ['not-smaller', replace(['e1'], summary(`${LONG}${LONG}`))],
    ['no-edits', { edits: [] }, 'auto'],
    ['no-edits', { edits: [] }, 'overflow'],
    ['no-edits', { edits: [] }, 'background'],
  ]
  it.each(REFUSED)(
    'refuses as %s and leaves everything as it was [ALWAYS-02]',
    (reason, proposal, trigger) => {
      const log = sample()
      const before = { items: log.items, events: log.events.length, messages: log.build() }
      expect(log.compact(proposal, trigger)).toBe(reason)
      expect({ items: log.items, events: log.events.length, messages: log.build() }).toEqual(before)
    },
  )

  it('refuses rewrites that make a long entry longer [ALWAYS-02]', () => {
    const data = {
      id: 'a',
      content: [{ type: 'text', text: LONG + LONG }],
      status: 'completed',
    } as const
    const longer: Proposal = {
      edits: [{ covers: ['e5'], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: 'e5' }] }],
    }
    expect(sample().compact(longer, 'auto')).toBe('not-smaller')
    expect(sample().compact(longer, 'command')).toBe('not-smaller')
  })

  it('takes a rewrite of the same size only where somebody asked for it [ALWAYS-02]', () => {
    const sized = (text: string): Proposal => {
      const data = { id: 'a', content: [{ type: 'text', text }], status: 'completed' } as const
      return {
        edits: [
          { covers: ['e5'], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: 'e5' }] },
        ],
      }
    }
    const same = sized(LONG)
    const log = sample()
    const { tokens } = log.context
    expect(log.compact(same, 'command')).toBeUndefined()
    expect(log.context.tokens).toBe(tokens)
    for (const trigger of ['auto', 'overflow', 'background'] as const) {
      expect(sample().compact(same, trigger), trigger).toBe('not-smaller')
      expect(sample().compact(sized(LONG.slice(0, -10)), trigger), trigger).toBeUndefined()
    }
  })

  it('takes no summary as large as what it replaces, whoever asked [ALWAYS-02]', () => {
    const log = sample()
    const [first] = log.context.items.toArray()
    const as = (text: string) => {
      const other = sample()
      const refusal = other.compact(replace(['e1'], summary(text)), 'command')
      return refusal ?? other.context.items.toArray()[0]?.tokens
    }
    expect(as(`start ${LONG}`)).toBe('not-smaller')
    // The estimate counts in whole tokens: one less is enough.
    expect(as(LONG)).toBe((first?.tokens ?? 0) - 1)
  })

  it('asks for a smaller replacement only from the minimum on [ALWAYS-02]', () => {
    const log = new TestLog()
    log.append([user('short'), ...answer('also short')])
    expect(log.context.tokens).toBeLessThan(GATE_MIN_TOKENS)
    expect(
      log.compact(replace(['e1', 'e2'], summary('a summary longer than what it stands for'))),
    ).toBeUndefined()
  })

  it('holds the target only where nobody asked [ALWAYS-02]', () => {
    const reasons = (['auto', 'overflow', 'background', 'command', 'tool', 'import'] as const).map(
      (trigger) => {
        const result = sample().gate(replace(['e1'], summary('S')), trigger, undefined, 10)
        return result.ok ? 'passes' : result.refusal.reason
      },
    )
    expect(reasons).toEqual([
      'above-target',
      'above-target',
      'above-target',
      'passes',
      'passes',
      'passes',
    ])
  })

  it('counts nothing towards the target that was said while the proposal was made', () => {
    const log = sample()
    const proposal = replace(['e1'], summary('S'))
    const basedOn = log.context.version
    const { tokens: target = 0 } = passed(log.gate(proposal, 'background', basedOn)).after ?? {}
    expect(passed(log.gate(proposal, 'background', basedOn, target)).basedOn).toBe(basedOn)
    log.append([user('And one more thing, meanwhile.')])
    expect(passed(log.gate(proposal, 'background', basedOn, target)).basedOn).toBe(basedOn)
    expect(log.gate(proposal, 'background', basedOn, target - 1).ok).toBe(false)
  })

  it('lets an explicit command commit a compaction with no edits [ALWAYS-02]', () => {
    const log = new TestLog()
    log.append([user('hi')])
    expect(log.compact({ edits: [] }, 'command')).toBeUndefined()
    expect(log.events.at(-1)).toMatchObject({
      type: 'COMPACTION',
      data: { edits: [], inverse: [] },
    })
  })

  it('refuses to cut while calls are open, unless it closes them [ALWAYS-04]', () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('compacting', 'x')])
    expect(log.compact(replace(['e1', 'e2'], summary('S')))).toBe('splits-round')
    expect(log.compact({ ...replace(['e1', 'e2'], summary('S')), closes: ['x'] })).toBeUndefined()
    expect(log.context.open.size).toBe(0)
    log.undo()
    expect(log.events.at(-1)).toMatchObject({
      type: 'TOOL_RESULT',
      data: { id: 'x', status: 'completed' },
    })
  })

  it('refuses to hand a result to an earlier call of the same id [ALWAYS-04]', () => {
    const log = new TestLog()
    log.append([user(`start ${LONG}`), ...answer('first', 'a')])
    log.append([result('a', `one ${LONG}`), ...answer('second', 'a')])
    log.append([result('a', 'two'), ...answer('done')])
    const [first, second] = log.context.items.toArray().filter(({ kind }) => kind === 'answer')
    const results = log.context.items.toArray().filter(({ kind }) => kind === 'result')
    const covers = ['e1', first?.id, results[0]?.id, second?.id, results[1]?.id] as Edit['covers']
    const keeping = (...kept: (Item | undefined)[]) =>
      log.compact(
        replace(covers, summary('S'), ...kept.map((item) => ({ keep: item?.id as EntryId }))),
      )
    expect(keeping(first, results[1])).toBe('splits-round')
    expect(keeping(second, results[1])).toBeUndefined()
  })

  it('does not mind orphans that were in the input [ALWAYS-04]', () => {
    const log = new TestLog()
    log.append([result('ghost', 'x'), user('go')], 'leave')
    expect(log.compact(replace(['e2'], summary('S')))).toBeUndefined()
    expect(log.build().problems.map(({ code }) => code)).toEqual(['orphan-result'])
  })

  it('commits what it saw although the thread has grown [ALWAYS-02]', () => {
    const log = sample()
    const basedOn = log.context.version
    log.append(answer('meanwhile'))
    expect(log.compact(replace(ALL, summary('S')), 'background', basedOn)).toBeUndefined()
    expect(log.context.items.toArray().map((item) => item.id)).toEqual(['c10.0', 'e8', 'e9'])
  })

  it('refuses what another compaction has taken away meanwhile [ALWAYS-02]', () => {
    const log = sample()
    log.compact(replace(['e1'], summary('first')))
    expect(log.compact(replace(ALL, summary('S')))).toBe('stale')
  })

  it('hides thinking before the open round, and nothing in it', () => {
    const log = new TestLog()
    log.append([
      user('go'),
      ...thoughtAnswer('old thought', 'one'),
      user('more'),
      ...thoughtAnswer('now', 'two', 'a'),
    ])
    log.compact(replace(['e1'], summary('S')))
    expect(log.context.items.toArray().map((item) => item.hide ?? 'shown')).toEqual([
      'shown',
      ['thinking'],
      'shown',
      'shown',
    ])
  })

  it('hides nothing of the round whose results no answer has taken up yet, whatever else was said', () => {
    const log = new TestLog()
    log.append([user('go'), ...thoughtAnswer('old', 'one'), user('more')])
    log.append(thoughtAnswer('now', 'two', 'a'))
    log.append([result('a', 'x'), user('hurry')])
    log.compact(replace(['e1'], summary('S')))
    const hidden = () => log.context.items.toArray().flatMap((item) => (item.hide ? item.id : []))
    expect(hidden()).toEqual(['e2'])
    log.append([...thoughtAnswer('later', 'done')])
    log.undo()
    expect(hidden()).toEqual(['e9']) // it saw the summary, which is gone
  })

  it('hides the thinking of a rewritten answer with that of the others', () => {
    const log = new TestLog()
    log.append([user('go'), ...thoughtAnswer('why', 'one'), user('more')])
    const [, thought] = log.events
    if (thought?.type !== 'AGENT_MESSAGE') throw new Error('an answer')
    const rewrite: NewEntry = {
      type: 'AGENT_MESSAGE',
      data: thought.data,
      label: 'repaired',
      of: 'e2',
    }
    log.compact(replace(['e2'], rewrite))
    expect(log.build().messages[1]?.parts.map(({ type }) => type)).toEqual(['text'])
  })

  it('lets a result that came too late stay too late when what stood before it is deleted', () => {
    const log = new TestLog()
    log.append([...answer('reading', 'a')])
    log.append(
      [result('a', 'in time'), reminder('careful'), result('a', 'late', 'denied')],
      'leave',
    )
    const before = log.build().messages
    expect(log.compact(replace(['e4']))).toBeUndefined()
    expect(log.build().messages[1]?.parts[0]).toEqual(before[1]?.parts[0])
  })

  it('does not weigh files that were asked for against what they replace', () => {
    const files: NewEntry = { type: 'USER_MESSAGE', data: LONG.repeat(9), label: 'files' }
    expect(sample().compact(replace(ALL, files, summary('S')))).toBeUndefined()
  })

  it('summarises again what an earlier compaction kept, and loses none of it [ALWAYS-03]', () => {
    const log = sample()
    log.compact(replace(ALL, summary('S1'), { keep: 'e7' }))
    expect(log.context.items.toArray().map((item) => item.id)).toEqual(['c9.0', 'e7', 'e8'])
    expect(log.compact(replace(['c9.0', 'e8'], summary('skips e7')))).toBe('stale')
    expect(log.compact(replace(['c9.0', 'e7'], summary('S2')))).toBeUndefined()
    log.undo()
    expect(log.context.items.toArray().map((item) => item.id)).toEqual(['c9.0', 'e7', 'e8'])
  })
})

/** Pinned texts as they stand in a context: a list that says it is no request. */
function listed(...texts: string[]): string {
  return pinnedText(texts.map((text, at) => ({ pinId: `p${at}`, text }))) ?? ''
}

describe('pins at the gate', () => {
  it('stand outside of a round whose calls wait for results [ALWAYS-04, ALWAYS-21]', () => {
    const cut = (id: string, of: EntryId): Edit => {
      const data = { id, content: [{ type: 'text', text: '[cut]' }], status: 'completed' } as const
      return { covers: [of], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of }] }
    }
    const log = new TestLog()
    log.append([...answer('reading', 'a'), result('a', LONG)])
    log.append([...answer('reading more', 'b', 'c'), result('b', LONG)])
    log.pin({ text: 'Never push.' })
    expect(log.compact({ edits: [cut('a', 'e3'), cut('b', 'e7')] })).toBeUndefined()
    expect([...log.context.open]).toEqual(['c'])
    log.append([result('c', 'done')])
    expect(log.build().problems).toEqual([])
    const kinds = log.context.items.toArray().map(({ kind }) => kind)
    expect(kinds).toEqual(['answer', 'result', 'user', 'answer', 'result', 'result'])
  })

  it('keep a pinned entry as it is, right after what replaces the rest [ALWAYS-21]', () => {
    const log = sample()
    log.pin({ entries: ['e1'] })
    expect(log.compact(replace(ALL, summary('S')))).toBeUndefined()
    const ids = log.context.items.toArray().map((item) => item.id)
    // The note says that what is pinned is answered.
    expect(ids).toEqual(['c10.0', 'e1', 'c10.1', 'e8'])
  })

  it('keep the whole round for a pin on any part of it [ALWAYS-21]', () => {
    for (const part of ['e2', 'e5', 'e6'] as const) {
      const log = sample()
      log.pin({ entries: [part] })
      expect(log.compact(replace(ALL, summary('S')))).toBeUndefined()
      expect(log.context.items.toArray().map((item) => item.id)).toEqual([
        'c10.0',
        'e2',
        'e5',
        'e6',
        'e8',
      ])
    }
  })

  it('stay with what a strategy keeps, in the order of the context [ALWAYS-21]', () => {
    const log = sample()
    log.pin({ entries: ['e1'] })
    log.compact(replace(ALL, summary('S'), { keep: 'e7' }))
    expect(log.context.items.toArray().map((item) => item.id)).toEqual(['c10.0', 'e1', 'e7', 'e8'])
  })

  it('are never rewritten, while what is not pinned is [ALWAYS-21]', () => {
    const log = sample()
    log.append([...answer('once more', 'c')])
    log.append([result('c', LONG)])
    log.pin({ entries: ['e5'] })
    const cut = (of: 'e5' | 'e6' | 'e11', id: string): Edit => ({
      covers: [of],
      put: [
        {
          type: 'TOOL_RESULT',
          data: { id, content: [], status: 'completed' },
          label: 'trimmed',
          of,
        },
      ],
    })
    const before = log.items
    expect(log.compact({ edits: [cut('e5', 'a'), cut('e6', 'b'), cut('e11', 'c')] })).toBe(
      undefined,
    )
    expect(log.items.slice(0, -1)).toEqual(before.slice(0, -1))
    expect(log.context.items.last?.id).toBe('c13.0')
    expect(newEntryAt('c13.0', log.eventAt)?.of).toBe('e11')
  })

  it('are put in where results are only rewritten, if nobody said them, and once', () => {
    const log = sample()
    const trimmed = (of: 'e5' | 'e6', id: string): Proposal => {
      const data = { id, content: [], status: 'completed' } as const
      return replace([of], { type: 'TOOL_RESULT', data, label: 'trimmed', of })
    }
    const texts = () =>
      log.context.items
        .toArray()
        .flatMap(({ id }) => newEntryAt(id, log.eventAt) ?? [])
        .flatMap((entry) => (entry.label === 'pins' ? [entry.data] : []))
    log.pin({ text: 'go on' }) // stands where it was said
    expect(log.compact(trimmed('e5', 'a'))).toBeUndefined()
    expect(texts()).toEqual([])
    log.pin({ text: 'Use pnpm.' })
    expect(log.compact(trimmed('e6', 'b'))).toBeUndefined()
    expect(texts()).toEqual([listed('go on', 'Use pnpm.')])
    expect(log.context.items.toArray().at(-1)?.id).toBe('e8') // what was said last stays last
    expect(log.compact({ edits: [] })).toBeUndefined()
    expect(texts()).toEqual([listed('go on', 'Use pnpm.')])
    log.pin({ text: 'Ask first.' })
    expect(log.compact({ edits: [] }, 'auto')).toBe('no-edits')
    expect(log.compact({ edits: [] })).toBeUndefined()
    expect(texts()).toEqual([listed('go on', 'Use pnpm.', 'Ask first.')])
    for (let undone = 0; undone < 4; undone += 1) log.undo()
    expect(log.context.items.toArray().map(({ id }) => id)).toEqual([...ALL, 'e8'])
  })

  it('refuse a rewrite that names the pinned entry in an unusual way [ALWAYS-21]', () => {
    const log = sample()
    log.pin({ entries: ['e5'] })
    const before = log.items
    const data = { id: 'a', content: [], status: 'completed' } as const
    const rewrite: NewEntry = { type: 'TOOL_RESULT', data, label: 'trimmed', of: 'e5' }
    expect(log.compact(replace([['e5', 'e5', 1]], rewrite))).toBe('loses-pin')
    expect(log.items).toEqual(before)
  })

  it('are checked again on what would stand afterwards [ALWAYS-21]', () => {
    const log = sample()
    log.pin({ entries: ['e1'] })
    log.pin({ text: 'Use pnpm.' })
    const pins = reducedBy(log.state, pinsReducer)
    const check = (...put: Put[]) => {
      const { edits } = replace(ALL, ...put)
      const before = log.context.items.toArray()
      const seq = log.context.version + 1
      const applied = applyChange(before, { edits }, seq, 'forward', log.eventAt)
      if (!applied.ok) throw new Error(applied.message)
      const draft = {
        before,
        after: applied.items,
        placed: applied.placed,
        open: new Set<string>(),
      }
      return checkPins(draft, pins, log.eventAt)?.message
    }
    const text = (data: string): NewEntry => ({ type: 'USER_MESSAGE', data, label: 'pins' })
    expect(check(summary('S'), { keep: 'e1' }, text(listed('Use pnpm.')))).toBeUndefined()
    expect(check(summary('S'), text(listed('Use pnpm.')))).toContain('e1')
    expect(check(summary('S'), { keep: 'e1' })).toContain('text')
    expect(check(summary('S'), { keep: 'e1' }, text(listed('Use npm.')))).toContain('text')
    expect(check({ ...text(listed('Use pnpm.')), label: 'summary' }, { keep: 'e1' })).toContain(
      'text',
    )
  })

  it('are content with a text that stands already, and not with another [ALWAYS-21]', () => {
    const log = sample()
    log.pin({ text: 'Use pnpm.' })
    log.compact(replace(['e1'], summary('S')))
    const standing = () =>
      log.context.items
        .toArray()
        .map((item) => newEntryAt(item.id, log.eventAt))
        .flatMap((entry) => (entry?.label === 'pins' ? [entry.data] : []))
    expect(standing()).toEqual([listed('Use pnpm.')])
    expect(log.compact(replace(['e7'], summary('T')))).toBeUndefined()
    expect(standing()).toEqual([listed('Use pnpm.')])
    log.pin({ text: 'Ask first.' })
    expect(log.compact(replace(['e8'], summary('U')))).toBeUndefined()
    expect(standing()).toContain(listed('Use pnpm.', 'Ask first.'))
  })

  it('hold pinned texts in one extra user entry, once, through every compaction [ALWAYS-21]', () => {
    const log = sample()
    log.pin({ text: 'Never touch migrations/.' })
    log.pin({ text: 'Use pnpm.' })
    const pinned = () =>
      log
        .build()
        .messages.flatMap(({ parts }) => parts)
        .flatMap((part) => (part.type === 'text' && part.text.includes('pnpm') ? [part.text] : []))
    log.compact(replace(ALL, summary('S')))
    expect(pinned()).toEqual([listed('Never touch migrations/.', 'Use pnpm.')])
    for (let cycle = 0; cycle < 5; cycle += 1) {
      log.append([user(`turn ${cycle}`), ...answer(LONG)])
      const items = log.context.items.toArray()
      const covers = items.map((item) => item.id)
      expect(log.compact(replace(covers, summary(`S${cycle}`)))).toBeUndefined()
      expect(pinned()).toEqual([listed('Never touch migrations/.', 'Use pnpm.')])
    }
  })

  it('stay before what is to be done next', () => {
    const log = sample()
    log.pin({ entries: ['e1'] })
    log.pin({ text: 'Use pnpm.' })
    const next: NewEntry = { type: 'USER_MESSAGE', data: 'now test it', label: 'continuation' }
    log.compact(replace([...ALL, 'e8'], summary('S'), next))
    const labels = log.context.items.toArray().map((item) => {
      const entry = newEntryAt(item.id, log.eventAt)
      return entry?.label ?? item.id
    })
    expect(labels).toEqual(['summary', 'e1', 'pins', 'carried', 'continuation'])
  })

  it('keep a pinned call open although the proposal would close it', () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('compacting', 'x')])
    log.pin({ entries: ['e2'] })
    expect(log.compact({ ...replace(['e1', 'e2'], summary('S')), closes: ['x'] })).toBeUndefined()
    expect([...log.context.open]).toEqual(['x'])
    expect(log.events.at(-1)?.data).not.toHaveProperty('closes')
  })

  it('leave a gap beside them where a range is deleted', () => {
    const log = sample()
    log.pin({ entries: ['e1'] })
    log.compact(replace(ALL))
    expect(log.context.items.toArray().map((item) => `${item.id} ${item.kind}`)).toEqual([
      'c10.0 gap',
      'e1 user',
      'e8 user',
    ])
    log.undo()
    expect(log.context.items.toArray().map((item) => item.id)).toEqual([
      'e1',
      'e2',
      'e5',
      'e6',
      'e7',
      'e8',
    ])
  })
})
