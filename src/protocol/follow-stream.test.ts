// Following over connections that break, stall, skip and lie: events without a gap, or a clear end.
import { describe, expect, it } from 'vitest'
import { PrecisError } from '../core/errors.ts'
import type { StreamItem } from './client.ts'
import { followStream } from './follow-stream.ts'
import type { Transport } from './http-requests.ts'
import { writeSse } from './sse.ts'
import { toProblem } from './wire.ts'

function eventAt(seq: number): string {
  const row = {
    v: 2,
    id: `evt_${seq}`,
    threadId: 'thr_1',
    seq,
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'USER_MESSAGE',
    data: `say ${seq}`,
  }
  return writeSse({ event: 'event', id: String(seq), data: JSON.stringify(row) })
}

/** One connection: what it sends, and then whether it ends, or goes silent. */
interface Connection {
  readonly text: string
  readonly isSilent?: boolean
  readonly error?: PrecisError
}

interface Recorded {
  readonly asked: string[] // Last-Event-ID of each connection
  readonly waited: number[]
}

function transportOf(connections: readonly Connection[]): Transport & Recorded {
  const asked: string[] = []
  const waited: number[] = []
  return {
    asked,
    waited,
    baseUrl: 'http://localhost',
    async fetch(request) {
      const connection = connections[asked.length]
      asked.push(request.headers.get('last-event-id') ?? '')
      if (!connection) throw new TypeError('fetch failed')
      if (connection.error) {
        const problem = toProblem(connection.error)
        return new Response(JSON.stringify(problem), { status: problem.status })
      }
      return new Response(readBody(connection))
    },
    // Pauses are over at once; so is the time that a silent connection is given.
    random: () => 0,
    async sleep(ms) {
      waited.push(ms)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

function readBody({ text, isSilent = false }: Connection): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (!isSilent) controller.close()
    },
  })
}

async function followed(transport: Transport, count: number, afterSeq = 0): Promise<StreamItem[]> {
  const stop = new AbortController()
  const items: StreamItem[] = []
  for await (const item of followStream(transport, 'thr_1', afterSeq, stop.signal)) {
    items.push(item)
    if (items.length === count) stop.abort()
  }
  return items
}

function shown(items: readonly StreamItem[]): (string | number)[] {
  return items.map((item) => (item.kind === 'event' ? item.event.seq : item.kind))
}

describe('followStream', () => {
  it('comes back with the last number it has', async () => {
    const transport = transportOf([
      { text: eventAt(1) + eventAt(2) },
      { text: '' },
      { text: eventAt(3) },
    ])
    expect(shown(await followed(transport, 5))).toEqual([1, 2, 'reconnected', 'reconnected', 3])
    expect(transport.asked).toEqual(['0', '2', '2'])
  })

  it('leaves out what it has, and asks again for what is missing', async () => {
    const transport = transportOf([
      { text: eventAt(1) + eventAt(1) + eventAt(3) }, // 2 is missing
      { text: eventAt(1) + eventAt(2) + eventAt(3) },
    ])
    expect(shown(await followed(transport, 4))).toEqual([1, 'reconnected', 2, 3])
    expect(transport.asked).toEqual(['0', '1'])
  })

  it('gives a silent connection up', async () => {
    const transport = transportOf([
      { text: eventAt(1), isSilent: true },
      { text: eventAt(2), isSilent: true },
    ])
    expect(shown(await followed(transport, 3))).toEqual([1, 'reconnected', 2])
  })

  it('waits longer after each failure, up to a bound, and starts short again', async () => {
    const failing = { error: new PrecisError('overloaded', 'later') } as const
    const down: Connection[] = Array.from({ length: 8 }, () => ({ text: '', ...failing }))
    const transport = transportOf([...down, { text: eventAt(1) }, ...down, { text: eventAt(2) }])
    await followed(transport, 20)
    const pauses = transport.waited.filter((ms) => ms < 30_000)
    expect(pauses.slice(0, 8)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
    expect(pauses[8]).toBe(250)
  })

  it('waits up to a second longer by chance, so that not all come back together', async () => {
    const transport = transportOf([{ text: '' }, { text: '' }, { text: eventAt(1) }])
    const draws = [0.2, 0.9]
    await followed({ ...transport, random: () => draws.shift() ?? 0 }, 3)
    expect(transport.waited.filter((ms) => ms < 30_000).slice(0, 2)).toEqual([450, 1_400])
  })

  const later = { text: '', error: new PrecisError('overloaded', 'Too many followers.') } as const
  it('says each time why it is not connected, and how long it waits', async () => {
    const transport = transportOf([later, later, { text: eventAt(1) }])
    const items = await followed(transport, 4)
    expect(items).toMatchObject([
      { kind: 'waiting', failures: 1, delayMs: 250, error: { code: 'overloaded' } },
      { kind: 'waiting', failures: 2, delayMs: 500, error: { message: 'Too many followers.' } },
      { kind: 'reconnected' },
      { kind: 'event' },
    ])
  })

  it('ends with the last error after 360 failures in a row, not counting those before a success', async () => {
    const refusals = (count: number) => Array.from({ length: count }, () => later)
    const transport = transportOf([...refusals(300), { text: eventAt(1) }, ...refusals(500)])
    await expect(followed(transport, Infinity)).rejects.toMatchObject({ code: 'overloaded' })
    expect(transport.asked).toHaveLength(300 + 1 + 360)
  })

  const FINAL = ['unknown-thread', 'auth-failed', 'forbidden', 'version-conflict'] as const
  it.each(FINAL)('ends with %s: to try again would end the same way', async (code) => {
    const transport = transportOf([{ text: '', error: new PrecisError(code, 'no') }])
    await expect(followed(transport, 1)).rejects.toMatchObject({ code })
  })

  it('skips what is no frame that it knows the shape of', async () => {
    const transport = transportOf([
      {
        text:
          writeSse({ event: 'later-kind', data: '"what"' }) +
          writeSse({ event: 'notice', data: '{"type":"notice"}' }) +
          eventAt(1),
      },
    ])
    expect(shown(await followed(transport, 1))).toEqual([1])
  })

  it('does nothing more once its signal has fired', async () => {
    const transport = transportOf([{ text: eventAt(1) }])
    const items = []
    for await (const item of followStream(transport, 'thr_1', 0, AbortSignal.abort()))
      items.push(item)
    expect(items).toEqual([])
    expect(transport.asked).toEqual([])
  })
})
