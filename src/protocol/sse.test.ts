// Server-sent events: whatever the pieces are in which they come, and however long they get.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/scale.ts'
import { readSse, type ServerSentEvent, SSE_HEARTBEAT, writeSse } from './sse.ts'

async function* pieces(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.slice(at, at + size)
    at += size
  }
}

async function read(text: string, sizes: readonly number[] = [7], maxEventChars?: number) {
  const events: ServerSentEvent[] = []
  for await (const event of readSse(pieces(text, sizes), undefined, maxEventChars))
    events.push(event)
  return events
}

describe('readSse', () => {
  const ROWS = [
    ['data: a\n\n', [{ event: 'message', data: 'a' }]],
    ['event: x\ndata: a\nid: 7\n\n', [{ event: 'x', data: 'a', id: '7' }]],
    [
      'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
      ['a', 'b', 'c'].map((data) => ({ event: 'message', data })),
    ],
    ['data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
    ['data:a\ndata:  b\n\n', [{ event: 'message', data: 'a\n b' }]],
    ['data\n\n', [{ event: 'message', data: '' }]],
    [': comment\n\nevent: x\n\nid: 9\n\n', []],
    ['unknown: x\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
    ['data: cut off', []],
    ['id: a\0b\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
  ] as const
  it.each(ROWS)('reads %j', async (text, expected) => {
    for (const size of [1, 2, 3, 100]) expect(await read(text, [size])).toEqual(expected)
  })

  it('gives back what was written, in whatever pieces it comes', async () => {
    const event = fc.record(
      {
        event: fc.stringMatching(/^[a-zA-Z_-]{1,12}$/),
        data: fc.json(),
        id: fc.nat().map(String),
      },
      { requiredKeys: ['event', 'data'] },
    )
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(event), sizes, async (events, given) => {
        const text = events.map((each) => writeSse(each) + SSE_HEARTBEAT).join('')
        expect(await read(text, given)).toEqual(events)
      }),
      runs(),
    )
  })

  it('refuses an event without end, in time that grows with it alone', async () => {
    const endless = `data: ${'x'.repeat(2_000_000)}`
    expect(await read(`${endless}\n\n`, [1_000])).toHaveLength(1)
    await expect(read(endless, [1_000], 100_000)).rejects.toMatchObject({
      code: 'payload-too-large',
    })
    await expect(read('data: x\n'.repeat(1_000), [100], 500)).rejects.toMatchObject({
      code: 'payload-too-large',
    })
  })
})
