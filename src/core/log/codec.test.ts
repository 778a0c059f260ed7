// The codec: old rows read as expected, every content kind survives, nothing undecodable is lost.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { PrecisError } from '../errors.ts'
import { isJson } from '../text/json.ts'
import type { Part } from '../view/content.ts'
import { readEvent, readRow, writeEvent } from './codec.ts'
import { EVENT_VERSION, type EventType, type ThreadEvent, undecodableOf } from './event.ts'
import { DATA_SCHEMAS } from './schema.ts'

type RawRow = Record<string, unknown>

function golden(name: string): RawRow[] {
  const text = readFileSync(new URL(`./golden/${name}.jsonl`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The present version is its own expectation: its rows read and write back unchanged. */
const VERSIONS = [
  { version: 1, expected: 'v1.expected' },
  { version: 2, expected: 'v2' },
]

function row(type: string, data: unknown, more: RawRow = {}): RawRow {
  const timestamp = '2025-01-02T03:04:05.678Z'
  return { v: 2, id: 'evt_1', threadId: 'thread_1', seq: 12, timestamp, type, data, ...more }
}

function read(raw: unknown): ThreadEvent {
  const result = readEvent(raw)
  if (!result.ok) throw result.error
  return result.event
}

function readError(raw: unknown): PrecisError {
  const result = readEvent(raw)
  if (result.ok) throw new Error('the row was read')
  return result.error
}

describe('old rows', () => {
  for (const { version, expected } of VERSIONS) {
    const rows = golden(`v${version}`)
    const wanted = golden(expected)
    it(`reads every golden row of version ${version} to exactly the expected event [LOG-03]`, () => {
      expect(rows).toHaveLength(wanted.length)
      for (const [index, raw] of rows.entries()) {
        const want = wanted[index] as RawRow
        expect(read(raw)).toStrictEqual({ ...want, timestamp: new Date(want.timestamp as string) })
        expect(writeEvent(read(raw))).toStrictEqual(want)
      }
    })
  }

  it('has golden rows of every version and, in the newest, of every type', () => {
    expect(VERSIONS.map(({ version }) => version)).toEqual(
      Array.from({ length: EVENT_VERSION }, (_, index) => index + 1),
    )
    expect(new Set(golden(`v${EVENT_VERSION}`).map(({ type }) => type))).toEqual(
      new Set(Object.keys(DATA_SCHEMAS)),
    )
  })

  it('does not guess at rows of a newer version: they are kept raw and reported', () => {
    const raw = row('AGENT_MESSAGE', { content: 'x', calls: [] }, { v: EVENT_VERSION + 1 })
    expect(readError(raw)).toMatchObject({
      code: 'store-newer',
      where: 'thread thread_1, event 12, v',
    })
    const event = readRow(raw)
    expect(event).toMatchObject({ type: 'FOREIGN', id: 'evt_1', seq: 12, threadId: 'thread_1' })
    expect(undecodableOf(event)?.undecodable).toStrictEqual(raw)
  })
})

describe('rows of this version', () => {
  it('keeps timestamps as dates to the millisecond through writing and reading [LOG-21]', () => {
    const event = read(row('SYSTEM_PROMPT', 'x'))
    expect(event.timestamp).toBeInstanceOf(Date)
    expect(event.timestamp.getTime()).toBe(Date.UTC(2025, 0, 2, 3, 4, 5, 678))
    expect(read(JSON.parse(JSON.stringify(writeEvent(event))))).toStrictEqual(event)
  })

  it('keeps every content kind, and their order inside one answer', () => {
    const model = 'anthropic/claude-opus-5'
    const signature = 'EpMD/+8=\u0000 bytes\uFFFF'
    const parts: Part[] = [
      { type: 'thinking', thinking: '', signature, model },
      { type: 'native', provider: 'anthropic', value: { type: 'server_tool_use', n: [null, 1.5] } },
      { type: 'text', text: 'a\u2028\u0000b' },
      { type: 'tool_call', callId: 'c2' },
      { type: 'redacted_thinking', data: 'xx==', model },
      { type: 'tool_call', callId: 'c1' },
      { type: 'text', text: '', extra: { provider: 'anthropic', fields: { citations: [] } } },
      { type: 'image', media: { mimeType: 'image/png', data: 'AA==', widthPx: 1, heightPx: 1 } },
      { type: 'document', media: { mimeType: 'application/pdf', uri: 'https://example.org/x' } },
      { type: 'thinking', thinking: 'unsigned', model },
    ]
    const raw = row('AGENT_MESSAGE', { content: 'a\u2028\u0000b', parts, calls: ['c2', 'c1'] })
    const again = read(JSON.parse(JSON.stringify(writeEvent(read(raw)))))
    expect(again.data).toStrictEqual(raw.data)
  })

  it('keeps fields it does not know, wherever they stand', () => {
    const data = JSON.parse('{"content":"x","calls":[],"later":{"__proto__":1},"parts":[]}')
    const raw = row('AGENT_MESSAGE', data, { shard: 7 })
    expect(JSON.stringify(writeEvent(read(raw)))).toBe(JSON.stringify(raw))
  })

  it('says that an event without a valid timestamp cannot be written', () => {
    const event = { ...read(row('SYSTEM_PROMPT', 'x')), timestamp: new Date(Number.NaN) }
    expect(() => writeEvent(event)).toThrow(PrecisError)
  })
})

describe('rows that cannot be read', () => {
  const answer = { content: '', calls: [] }
  const edit = { covers: ['e1'], put: [{ type: 'USER_MESSAGE', data: 'x', label: 'brief' }] }
  const change = { basedOn: 1, edits: [edit], inverse: [], of: 1, reverts: 1 }
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['not an object', 7, ''],
    ['an array', [], ''],
    ['no version', row('USER_MESSAGE', 'x', { v: undefined }), 'v'],
    ['a fractional version', row('USER_MESSAGE', 'x', { v: 1.5 }), 'v'],
    ['no id', row('USER_MESSAGE', 'x', { id: 4 }), 'id'],
    ['sequence number 0', row('USER_MESSAGE', 'x', { seq: 0 }), 'seq'],
    ['a time that is none', row('USER_MESSAGE', 'x', { timestamp: 'yesterday' }), 'timestamp'],
    ['month 13', row('USER_MESSAGE', 'x', { timestamp: '2025-13-01T00:00:00Z' }), 'timestamp'],
    ['an unknown type', row('GUESS', 'x'), 'type'],
    ['a type of every object', row('constructor', 'x'), 'type'],
    ['an unknown origin', row('USER_MESSAGE', 'x', { origin: 'god' }), 'origin'],
    ['a source that is no JSON', row('USER_MESSAGE', 'x', { source: () => 1 }), 'source'],
    ['no data', row('SYSTEM_PROMPT', undefined), 'data'],
    ['wrong text', row('AGENT_MESSAGE', { ...answer, content: 3 }), 'data.content'],
    [
      'a wrong part deep inside a union',
      row('USER_MESSAGE', [
        { type: 'text', text: 'a' },
        { type: 'text', text: 4 },
      ]),
      'data[1].text',
    ],
    [
      'a wrong part of an answer',
      row('AGENT_MESSAGE', { ...answer, parts: [{ type: 'tool_call' }] }),
      'data.parts[0].callId',
    ],
    ['an unknown part', row('USER_MESSAGE', [{ type: 'odour' }]), 'data[0].type'],
    [
      'undefined where nothing should be',
      row('AGENT_MESSAGE', { ...answer, parts: undefined }),
      'data.parts',
    ],
    [
      'arguments that are no JSON',
      row('TOOL_CALL', { id: 'a', name: 'b', arguments: 1n, answer: 1 }),
      'data.arguments',
    ],
    ['an unknown status', row('TOOL_RESULT', { content: [], status: 'fine' }), 'data.status'],
    ['a compaction without edits', row('COMPACTION', { strategyId: 'x' }), 'data.basedOn'],
    [
      'an edit that covers nothing',
      row('COMPACTION_UNDONE', { ...change, edits: [{ covers: [], put: [] }] }),
      'data.edits[0].covers',
    ],
    [
      'a made-up entry id',
      row('CONTENT_EXPANDED', { ...change, edits: [{ ...edit, covers: ['x9'] }] }),
      'data.edits[0].covers[0]',
    ],
    [
      'a kept entry that also claims to be new',
      row('CONTENT_EXPANDED', {
        ...change,
        edits: [{ covers: ['e1'], put: [{ keep: 'e1', label: 'x' }] }],
      }),
      'data.edits[0].put[0]',
    ],
  ]
  for (const [name, raw, path] of cases) {
    it(`says where: ${name}`, () => {
      const error = readError(raw)
      expect(error.code).toBe('invalid-input')
      expect(error.details.path).toBe(path)
      if (typeof raw === 'object' && !Array.isArray(raw))
        expect(error.where).toContain('thread thread_1')
      expect(error.message).not.toBe('')
    })
  }

  it('keeps a malformed compaction raw, as an event without effect [LOG-19]', () => {
    const raw = row('COMPACTION', { strategyId: 'x', compactedEvents: 'none' })
    const event = readRow(raw)
    expect(event).toMatchObject({ type: 'FOREIGN', id: 'evt_1', seq: 12, threadId: 'thread_1' })
    expect(event.timestamp.toISOString()).toBe(raw.timestamp)
    expect(undecodableOf(event)).toStrictEqual({
      undecodable: raw,
      error: {
        message: expect.stringContaining('data.basedOn'),
        where: 'thread thread_1, event 12, data.basedOn',
      },
    })
    expect(read(writeEvent(event))).toStrictEqual(event)
  })

  it('never throws and always gives a storable event, whatever the row [LOG-19]', () => {
    const types = fc.constantFrom<EventType | 'X'>(
      ...(Object.keys(DATA_SCHEMAS) as EventType[]),
      'X',
    )
    const rows = fc.oneof(
      fc.anything(),
      fc.record({
        v: fc.constantFrom(1, 2, 3, 0, '2'),
        id: fc.oneof(fc.string(), fc.integer()),
        threadId: fc.string(),
        seq: fc.integer({ min: -1, max: 9 }),
        timestamp: fc.oneof(fc.constant('2025-01-02T03:04:05.678Z'), fc.string()),
        type: types,
        data: fc.oneof(fc.jsonValue(), fc.anything()),
      }),
    )
    fc.assert(
      fc.property(rows, (raw) => {
        const event = readRow(raw)
        const result = readEvent(raw)
        if (result.ok) expect(event).toStrictEqual(result.event)
        else expect(undecodableOf(event)).toBeDefined()
        if (isJson(raw) || !result.ok) expect(isJson(writeEvent(event))).toBe(true)
      }),
      runs(2_000),
    )
  })
})
