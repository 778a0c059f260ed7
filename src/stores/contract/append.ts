// Appending: all or nothing, at the expected version, safe to repeat.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
import { LIMITS } from '../rows/limits.ts'
import { brief, expectError, message, messages, on, type StoreFactory } from './place.ts'

export function appendContract(factory: StoreFactory): void {
  describe('append', () => {
    it(
      'makes a thread and numbers its events',
      on(factory, async (store) => {
        const first = await store.append('t', messages('t', 'a', 'b'), { expectedVersion: 0 })
        expect(first).toMatchObject({ version: 2, repeated: false })
        expect(brief(first.rows)).toBe('1a 2b')
        const second = await store.append('t', messages('t', 'c'), { expectedVersion: 2 })
        expect(brief(second.rows)).toBe('3c')
        const rows = await store.read('t')
        expect(rows).toEqual([...first.rows, ...second.rows])
        expect(new Set(rows.map((row) => row.threadId))).toEqual(new Set(['t']))
        expect(await store.info('t')).toMatchObject({ threadId: 't', version: 3 })
      }),
    )
    it(
      'refuses another version than the expected one, and writes nothing',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'a', 'b'), { expectedVersion: 0 })
        for (const expectedVersion of [0, 1, 3]) {
          const late = store.append('t', messages('t', 'x', 'y'), { expectedVersion })
          await expect(late).rejects.toMatchObject({
            code: 'version-conflict',
            retryable: true,
            details: { expected: expectedVersion, actual: 2 },
          })
        }
        await expectError(
          store.append('new', messages('new', 'x'), { expectedVersion: 1 }),
          'version-conflict',
        )
        expect(brief(await store.read('t'))).toBe('1a 2b')
        expect(await store.info('new')).toBeUndefined()
      }),
    )
    it(
      'lets one of two writers win',
      on(factory, async (store) => {
        const outcomes = await Promise.allSettled(
          ['a', 'b', 'c'].map((id) => store.append('t', messages('t', id), { expectedVersion: 0 })),
        )
        const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
        expect(won).toHaveLength(1)
        expect(await store.read('t')).toHaveLength(1)
      }),
    )
    repeatContract(factory)
    emptyContract(factory)
    refusalContract(factory)
  })
}

function repeatContract(factory: StoreFactory): void {
  it(
    'takes the same events again as a success without effect, whatever the version',
    on(factory, async (store) => {
      const events = messages('t', 'a', 'b')
      const first = await store.append('t', events, { expectedVersion: 0 })
      await store.append('t', messages('t', 'c'), { expectedVersion: 2 })
      for (const expectedVersion of [0, 1, 3, 99]) {
        const again = await store.append('t', events, { expectedVersion })
        expect(again).toEqual({ ...first, repeated: true })
      }
      expect(brief(await store.read('t'))).toBe('1a 2b 3c')
    }),
  )
  it(
    'refuses an id that is there with other content, or events of which only some are there',
    on(factory, async (store) => {
      await store.append('t', messages('t', 'a', 'b', 'c'), { expectedVersion: 0 })
      const a = message('t', 'a')
      const cases: Readonly<Record<string, readonly NewEvent[]>> = {
        'other text': [message('t', 'a', 'other')],
        'other time': [{ ...a, timestamp: new Date(0) }],
        'other version': [{ ...a, v: 1 }],
        'other type': [{ ...a, type: 'SYSTEM_REMINDER', data: 'a' }],
        'an origin': [{ ...a, origin: 'typed' }],
        'a source': [{ ...a, source: null }],
        'some new': messages('t', 'a', 'x'),
        'some new first': messages('t', 'x', 'a'),
        'another order': messages('t', 'b', 'a'),
        'not in a row': messages('t', 'a', 'c'),
      }
      for (const [name, events] of Object.entries(cases)) {
        for (const expectedVersion of [1, 3]) {
          const append = store.append('t', events, { expectedVersion })
          await expect(append, name).rejects.toMatchObject({ code: 'id-conflict' })
        }
      }
      await expectError(
        store.append('t', messages('t', 'x', 'x'), { expectedVersion: 3 }),
        'id-conflict',
      )
      expect(brief(await store.read('t'))).toBe('1a 2b 3c')
      await store.append('t', messages('t', 'x'), { expectedVersion: 3 })
      await store.append('other', messages('other', 'a'), { expectedVersion: 0 })
    }),
  )
}

function emptyContract(factory: StoreFactory): void {
  it(
    'without events only checks the version, and makes no thread',
    on(factory, async (store) => {
      const nothing = { version: 0, rows: [], repeated: false }
      expect(await store.append('t', [], { expectedVersion: 0 })).toEqual(nothing)
      expect(await store.info('t')).toBeUndefined()
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      expect(await store.append('t', [], { expectedVersion: 1 })).toMatchObject({ version: 1 })
      await expectError(store.append('t', [], { expectedVersion: 0 }), 'version-conflict')
    }),
  )
}

function refusalContract(factory: StoreFactory): void {
  it(
    'refuses what makes no sense, and writes nothing',
    on(factory, async (store) => {
      const a = message('t', 'a')
      const wrong: readonly (readonly [object, object?])[] = [
        [{ ...a, threadId: 'other' }],
        [{ ...a, id: '' }],
        [{ ...a, id: 'x'.repeat(LIMITS.nameLength + 1) }],
        [{ ...a, id: 'a\u0000b' }],
        [{ ...a, id: '\ud800' }],
        [{ ...a, type: '' }],
        [{ ...a, v: 1.5 }],
        [{ ...a, timestamp: new Date(Number.NaN) }],
        [{ ...a, timestamp: '2026-01-02' }],
        [a, { expectedVersion: -1 }],
        [a, { expectedVersion: 0.5 }],
      ]
      for (const [event, options = { expectedVersion: 0 }] of wrong) {
        await expectError(store.append('t', [event as never], options as never), 'usage')
      }
      for (const threadId of ['', 'a\nb', '\udfff', 'x'.repeat(LIMITS.nameLength + 1)]) {
        const events = messages(threadId, 'a')
        await expectError(store.append(threadId, events, { expectedVersion: 0 }), 'usage')
      }
      const cycle: unknown[] = []
      cycle.push(cycle)
      for (const data of [undefined, 1n, cycle, nested(1_000_000), () => 1]) {
        const event = { ...a, data } as never
        const append = store.append('t', [message('t', 'b'), event], { expectedVersion: 0 })
        await expectError(append, 'invalid-input')
      }
      expect(await store.info('t')).toBeUndefined()
    }),
  )
  it(
    `takes ${LIMITS.appendRows} events at once, and refuses more`,
    on(factory, async (store) => {
      const ids = Array.from({ length: LIMITS.appendRows + 1 }, (_, index) => `e${index}`)
      const events = messages('t', ...ids)
      await expectError(store.append('t', events, { expectedVersion: 0 }), 'invalid-input')
      expect(await store.info('t')).toBeUndefined()
      events.pop()
      const { version } = await store.append('t', events, { expectedVersion: 0 })
      expect(version).toBe(LIMITS.appendRows)
      expect(await store.read('t')).toHaveLength(version)
    }),
  )
  it(
    'refuses a row that is too long, and one append that is',
    on(factory, async (store) => {
      const half = 'x'.repeat(LIMITS.rowLength / 2)
      const long = { ...message('t', 'a', `${half}${half}`) }
      await expectError(store.append('t', [long], { expectedVersion: 0 }), 'invalid-input')
      const count = (2 * LIMITS.appendLength) / LIMITS.rowLength
      const many = Array.from({ length: count }, (_, index) => message('t', `e${index}`, half))
      await expectError(store.append('t', many, { expectedVersion: 0 }), 'invalid-input')
      expect(await store.info('t')).toBeUndefined()
    }),
  )
}

function nested(depth: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
