// Content: any JSON is read back unchanged.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import { message, on, type StoreFactory } from './place.ts'

const CONTENT: Readonly<Record<string, Json>> = {
  nothing: null,
  numbers: [0, -1, 1.5, 1e300, 5e-324, Number.MAX_SAFE_INTEGER],
  'an empty text': '',
  emoji: '👩‍👩‍👧‍👦 🇨🇭 ✅',
  CJK: '圧縮しても失われない 不会丢失 잃지 않는다',
  'lone surrogates': ['\ud800', 'x\udc00y', '\udfff\ud83d'],
  'NUL and control characters': 'a\u0000b\u0001\u001f\u007f\u0085\u2028',
  'a byte order mark': '\ufeffx',
  quotes: `'"\`\\ %s $1 ?1 :x -- ; DROP TABLE events`,
  'odd keys': JSON.parse('{"__proto__":{"a":1},"":0,"\\u0000":1,"\\ud800":2,"constructor":null}'),
  'no objects lost': { a: {}, b: [], c: [[]], d: [null, false] },
  deep: nested(1000),
  '5 MB': 'é'.repeat(2_500_000),
  '5 MB in parts': Array(50).fill('0123456789'.repeat(10_000)),
}

export function contentContract(factory: StoreFactory): void {
  describe('content', () => {
    it.each(Object.entries(CONTENT))('%s', (_, content) =>
      on(factory, async (store) => {
        const event: NewEvent = { ...message('t', 'a'), type: 'FOREIGN', data: content }
        const withSource = { ...event, id: 'b', source: content, origin: 'typed' as const }
        const { rows } = await store.append('t', [event, withSource], { expectedVersion: 0 })
        const read = await store.read('t')
        for (const both of [rows, read]) {
          expect(both[0]?.data).toStrictEqual(content)
          expect(both[1]?.source).toStrictEqual(content)
          expect(JSON.stringify(both[1]?.source)).toBe(JSON.stringify(content))
          expect(both[0]).not.toHaveProperty('source')
          expect(both[0]).not.toHaveProperty('origin')
          expect(both[1]?.origin).toBe('typed')
        }
        const again = await store.append('t', [event, withSource], { expectedVersion: 0 })
        expect(again.repeated).toBe(true)
      })(),
    )
    it(
      'times keep their milliseconds',
      on(factory, async (store) => {
        const times = [0, 1, 999, -1, 1_767_355_200_123, 253_402_300_800_001, -62_198_755_200_001]
        const events = times.map((time, index) => ({
          ...message('t', `e${index}`),
          timestamp: new Date(time),
        }))
        await store.append('t', events, { expectedVersion: 0 })
        const rows = await store.read('t')
        expect(rows.map((row) => new Date(row.timestamp).getTime())).toEqual(times)
        const info = await store.info('t')
        expect(info?.createdAt).toEqual(new Date(0))
        expect(info?.updatedAt).toEqual(new Date(times.at(-1) ?? 0))
      }),
    )
    it(
      'ids of any script keep threads and events apart',
      on(factory, async (store) => {
        const ids = [
          'é',
          'e\u0301',
          'É',
          '线',
          '🧵',
          "o'neill",
          '%',
          '_',
          'a b',
          'lace_20260102_abc.1',
        ]
        for (const id of ids) {
          const events = ids.map((name) => message(id, name))
          await store.append(id, events, { expectedVersion: 0 })
        }
        for (const id of ids) {
          const rows = await store.read(id)
          expect(rows.map((row) => row.id)).toEqual(ids)
          expect(rows[0]?.threadId).toBe(id)
        }
      }),
    )
    it(
      'events of types and versions that nobody knows are kept [LOG-03]',
      on(factory, async (store) => {
        const old = { ...message('t', 'a'), v: 1, type: 'AGENT_MESSAGE', data: 'a bare string' }
        const usage = { promptTokens: 100, completionTokens: 50, totalTokens: 150 }
        const data = { content: 'x', calls: [], tokenUsage: usage }
        const today = { ...message('t', 'b'), type: 'AGENT_MESSAGE', data }
        const later = { ...message('t', 'c'), v: 99, type: 'NOT_YET', data: [1] }
        await store.append('t', [old, today, later] as never, { expectedVersion: 0 })
        const rows = await store.read('t')
        expect(rows.map(({ v, type, data }) => [v, type, data])).toEqual([
          [1, 'AGENT_MESSAGE', 'a bare string'],
          [2, 'AGENT_MESSAGE', data],
          [99, 'NOT_YET', [1]],
        ])
      }),
    )
  })
}

function nested(depth: number): Json {
  let value: Json = 0
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { in: value }
  return value
}
