// Hostile callers: one person or one address that takes all there is does not lock out the others.
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/protocol/http-client.ts'
import { addToken } from '../../src/server/accounts/tokens.ts'
import { listen } from '../../src/server/http/listen.ts'
import { Shares } from '../../src/server/http/problems.ts'
import { Random } from '../generate/random.ts'
import { SEED } from '../scale.ts'
import { type AppSetupOptions, BASE_URL, setUpApp, transportTo } from '../server/setup.ts'
import { pretendWork, until } from '../wait.ts'

const BOUND_MS = 20_000

async function setUpTeam(options: AppSetupOptions, ...owners: string[]) {
  const setup = await setUpApp({ hasTokens: true, ...options })
  const tokens = new Map<string, string>()
  for (const owner of owners) tokens.set(owner, await addToken(setup.home, owner, owner))
  const asks =
    (owner: string) =>
    (path: string, init: RequestInit = {}) =>
      setup.ask(path, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${tokens.get(owner)}` },
      })
  const last = owners.at(-1) ?? ''
  await until('the last token to count', async () => (await asks(last)('')).status === 200)
  await until(
    'a caller without a token to be refused',
    async () => (await setup.ask('')).status === 401,
  )
  const clientOf = (owner: string) =>
    createClient(transportTo(setup.app.fetch, BASE_URL, tokens.get(owner)))
  return { ...setup, asks, clientOf, tokens }
}

describe('fair shares', () => {
  it('give one all that is its own, and leave some for whoever comes next', () => {
    const random = new Random(SEED)
    for (let round = 0; round < 200; round += 1) {
      const each = random.int(16, 1_000)
      const shares = new Shares(each)
      const taken: (() => void)[] = []
      const greedy = (who: string) => {
        let count = 0
        for (let back = shares.take(who); back; back = shares.take(who)) {
          taken.push(back)
          count += 1
        }
        return count
      }
      const place = `seed ${SEED}, round ${round}`
      expect(greedy('a'), place).toBe(each)
      for (const who of ['b', 'c', 'd', 'e']) expect(greedy(who), place).toBeGreaterThan(0)
      for (const back of taken) back()
      for (const back of taken) back() // a second time changes nothing
      expect(greedy('f'), place).toBe(each)
    }
  })
})

describe('one person with', () => {
  it('every stream leaves streams for the others', async () => {
    const { asks, clientOf } = await setUpTeam({ limits: { streams: 20 } }, 'eve', 'ada', 'bob')
    const follow = async (owner: string, times: number) => {
      const { threadId } = await clientOf(owner).createThread()
      const statuses: number[] = []
      for (let at = 0; at < times; at += 1) {
        const response = await asks(owner)(`/threads/${threadId}/stream`)
        statuses.push(response.status)
        onTestFinished(() => response.body?.cancel())
      }
      return statuses
    }
    const eve = await follow('eve', 50)
    expect(eve.filter((status) => status === 200)).toHaveLength(20)
    expect(eve.at(-1)).toBe(503)
    expect(await follow('ada', 5)).toEqual([200, 200, 200, 200, 200])
    expect(await follow('bob', 2)).toEqual([200, 200])
    expect((await follow('eve', 1))[0]).toBe(503)
  })

  it('slow uploads does not keep the others from theirs', async () => {
    const { asks } = await setUpTeam({}, 'eve', 'ada')
    const stop = new AbortController()
    const slow = Array.from({ length: 4 }, () =>
      asks('eve')('/threads/import', {
        method: 'POST',
        body: new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{'))
            stop.signal.addEventListener('abort', () => controller.close())
          },
        }),
        duplex: 'half',
      } as RequestInit),
    )
    const upload = async (owner: string) =>
      (await asks(owner)('/threads/import', { method: 'POST', body: SESSION })).status
    await until('an upload to be refused', async () => (await upload('eve')) === 503)
    expect(await upload('ada')).toBe(201)
    stop.abort()
    for (const response of await Promise.all(slow)) expect(response.status).toBe(422)
    expect(await upload('eve')).toBe(201)
  })

  it('many large requests leaves memory for the others', async () => {
    const limits = { bodyBytes: 1_000, bodyBytesAtOnce: 1_500 }
    const { asks } = await setUpTeam({ limits }, 'eve', 'ada')
    const stop = new AbortController()
    let taken = 0
    const sendSlowly = (start: string, end: string) => {
      const pieces = [start, end].map((text) => new TextEncoder().encode(text))
      const source = {
        async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
          if (pieces.length === 1) {
            taken += 1 // the server asks for more: it has the first piece
            await pretendWork(60_000, stop.signal)
          }
          const piece = pieces.shift()
          if (piece) controller.enqueue(piece)
          else controller.close()
        },
      }
      return asks('eve')('/threads', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        body: new ReadableStream(source, { highWaterMark: 0 }),
        duplex: 'half',
      } as RequestInit)
    }
    // Those of which little has come take little room, whatever may follow.
    const waiting = Array.from({ length: 20 }, () => sendSlowly('{', '}'))
    const slow = sendSlowly(`{"title":"${'x'.repeat(850)}`, '"}')
    await until('the first pieces to be taken', () => taken === 21)
    const post = async (owner: string) => {
      const body = JSON.stringify({ title: 'x'.repeat(700) })
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
      return (await asks(owner)('/threads', { method: 'POST', headers, body })).status
    }
    expect(await post('eve')).toBe(503)
    expect(await post('ada')).toBe(201)
    stop.abort()
    for (const response of await Promise.all([slow, ...waiting])) expect(response.status).toBe(201)
    expect(await post('eve')).toBe(201)
  })

  it('two tokens has one rate, and the others theirs', async () => {
    const { asks, home, ask } = await setUpTeam({ limits: { requestsPerMinute: 40 } }, 'eve', 'ada')
    const phone = await addToken(home, 'phone', 'eve')
    const second = () => ask('', { headers: { authorization: `Bearer ${phone}` } })
    await until('the second token to count', async () => (await second()).status !== 401)
    for (let at = 0; at < 40; at += 1) await asks('eve')('')
    expect((await second()).status).toBe(429)
    expect((await asks('ada')('')).status).toBe(200)
  })
})

describe('a thousand requests at once on one connection', () => {
  it('are worked on in turns with those of others', async () => {
    const { app, tokens } = await setUpTeam({}, 'eve', 'ada')
    const listening = await listen(app, { host: '127.0.0.1', port: 0 })
    onTestFinished(() => listening.close())
    const { host, port } = new URL(listening.url)
    const request = `GET /api/threads HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.get('eve')}\r\n\r\n`
    const eve = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void eve.destroy())
    let answers = 0
    eve.setEncoding('latin1').on('data', (text: string) => {
      answers += text.split('HTTP/1.1 200').length - 1
    })
    eve.write(request.repeat(1_000))
    await until('the first answer', () => answers > 0, { everyMs: 1 })
    const headers = { authorization: `Bearer ${tokens.get('ada')}` }
    expect((await fetch(`${listening.url}/api/threads`, { headers })).status).toBe(200)
    expect(answers).toBeLessThan(500)
    await until('all answers', () => answers === 1_000, { withinMs: BOUND_MS })
  })
})

describe('connections that say nothing', () => {
  it('make room for those that do, and streams go on', async () => {
    const { app, clientOf, tokens } = await setUpTeam({}, 'ada')
    const listening = await listen(app, { host: '127.0.0.1', port: 0, connections: 20 })
    onTestFinished(() => listening.close())
    const { threadId } = await clientOf('ada').createThread()
    const headers = { authorization: `Bearer ${tokens.get('ada')}` }
    const ask = (path: string) =>
      fetch(`${listening.url}/api${path}`, { headers, signal: AbortSignal.timeout(BOUND_MS) })
    const stream = await ask(`/threads/${threadId}/stream`)
    const reader = stream.body?.getReader()
    await reader?.read()
    const silent = await Promise.all(
      Array.from({ length: 100 }, () => silentConnection(Number(new URL(listening.url).port))),
    )
    await until(
      'the silent connections to be closed',
      () => silent.filter((socket) => !socket.destroyed).length < 20,
    )
    for (let at = 0; at < 5; at += 1) expect((await ask('/threads')).status).toBe(200)
    await clientOf('ada').pin(threadId, 'still there')
    let told = ''
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      told += new TextDecoder().decode(read.value)
      if (told.includes('still there')) break
    }
    expect(told).toContain('still there')
    await reader?.cancel()
  })
})

function silentConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => socket.destroy())
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.write('GET /api/threads HTTP/1.1\r\n') // and never the rest
      resolve(socket)
    })
    socket.once('close', () => resolve(socket))
  })
}

const SESSION = JSON.stringify({
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello!' },
  ],
})
