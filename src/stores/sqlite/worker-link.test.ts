// The database thread dies, or too much waits for it: every call gets an answer.
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../rows/limits.ts'
import { startWorker } from './worker-link.ts'

const OPTIONS = {
  path: '/nowhere/log.db',
  busyTimeoutMs: 1,
  pollMs: 1,
  mustExist: false,
  readOnly: false,
}

/** A stand-in for the thread, to make it do what a healthy one does not. */
function script(body: string): URL {
  const code = `import { parentPort } from 'node:worker_threads'\n${body}`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}

const READY = 'parentPort.postMessage({ ready: true });'
const DEATHS: Readonly<Record<string, string>> = {
  'by an error': `${READY} parentPort.on('message', () => { throw new Error('out of luck') })`,
  'by leaving': `${READY} parentPort.on('message', () => process.exit(3))`,
}

function start(body: string, onEnd: () => void = () => undefined) {
  return startWorker(OPTIONS, { onEnd, onChanged: () => undefined }, script(body))
}

describe('the link to the database thread', () => {
  it.each(Object.entries(DEATHS))('tells all who wait of its death %s', async (_, body) => {
    let ended = 0
    const link = await start(body, () => {
      ended += 1
    })
    const calls = [1, 2, 3].map(() => link.call({ name: 'info', threadId: 't' }))
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'store-failed' } })
    }
    await expect(link.call({ name: 'info', threadId: 't' })).rejects.toMatchObject({
      code: 'store-failed',
      retryable: true,
      where: OPTIONS.path,
    })
    expect(ended).toBeGreaterThan(0)
    await link.close()
  })

  it.each([
    ['fails before it is open', 'throw new Error("no")'],
    ['leaves before it is open', 'process.exit(0)'],
  ])('rejects the opening where the thread %s', async (_, body) => {
    await expect(start(body)).rejects.toMatchObject({ code: 'store-failed' })
  })

  it('refuses more calls than may wait, and takes them again later', async () => {
    const link = await start(`${READY}
      const held = []
      parentPort.on('message', ({ call, request }) => {
        if (request.name !== 'list') return held.push(call)
        for (const one of [...held.splice(0), call]) parentPort.postMessage({ call: one, answer: one })
        if (request.limit === 0) parentPort.close()
      })`)
    const info = () => link.call({ name: 'info', threadId: 't' })
    const waiting = Array.from({ length: LIMITS.waitingCalls - 1 }, info)
    const last = link.call({ name: 'list', limit: 1 })
    const crowded = { code: 'store-busy', retryable: true }
    await expect(info()).rejects.toMatchObject(crowded)
    await Promise.all([...waiting, last])
    const heavy = { name: 'append', threadId: 't', expectedVersion: 0, rows: [] } as const
    const held = link.call({ ...heavy, length: LIMITS.waitingLength })
    await expect(link.call({ ...heavy, length: 1 })).rejects.toMatchObject(crowded)
    await link.call({ name: 'list', limit: 0 })
    await held
  })
})
