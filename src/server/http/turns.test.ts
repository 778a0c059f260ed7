// Turns of requests, without HTTP around them
import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

const AT_ONCE = 16
const MOST_WAITING = 1_000
const here = () => new AbortController().signal
const settled = () => new Promise(setImmediate)

async function full(turns: Turns): Promise<readonly (() => void)[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, () => turns.take('a', here())))
}

describe('requests of one caller', () => {
  it('take turns in the order in which they came, and keep no others waiting', async () => {
    const turns = new Turns()
    const [first, second] = await full(turns)
    const came: number[] = []
    const waiting = [1, 2].map((at) => turns.take('a', here()).then(() => came.push(at)))
    await turns.take('b', here())
    expect(came).toEqual([])
    first?.()
    first?.()
    await waiting[0]
    await settled()
    expect(came).toEqual([1])
    second?.()
    await waiting[1]
    expect(came).toEqual([1, 2])
  })

  it('are refused where too many wait', async () => {
    const turns = new Turns()
    const held = await full(turns)
    const away = new AbortController()
    const waiting = Array.from({ length: MOST_WAITING }, () => turns.take('a', away.signal))
    await expect(turns.take('a', here())).rejects.toMatchObject({
      code: 'rate-limited',
      details: { retryAfterSeconds: 1 },
    })
    away.abort()
    const ends = await Promise.allSettled(waiting)
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
    for (const leave of held) leave()
    await full(turns)
  })

  it('that has left before its turn gives its place to the next', async () => {
    const turns = new Turns()
    const [first] = await full(turns)
    const away = new AbortController()
    const gone = turns.take('a', away.signal)
    const next = turns.take('a', here())
    away.abort()
    await expect(gone).rejects.toThrow('The connection was lost.')
    first?.()
    await next
  })

  it('that leaves when its turn has come gives the place back', async () => {
    const turns = new Turns()
    const [first] = await full(turns)
    const away = new AbortController()
    const late = turns.take('a', away.signal)
    first?.()
    away.abort()
    const leave = await late
    const next = turns.take('a', here())
    leave()
    await next
  })
})
