// Who may ask, how much, and how often the same: hosts, origins, tokens, sizes, keys of repeated writes.
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/protocol/client.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { problemSchema } from '../../src/protocol/schemas.ts'
import { addToken, listTokens, revokeToken } from '../../src/server/accounts/tokens.ts'
import { RateLimit } from '../../src/server/http/guard.ts'
import { idempotency } from '../../src/server/http/idempotency.ts'
import { readPage } from '../../src/server/http/page.ts'
import { answer, result, user } from '../say.ts'
import { until, within } from '../wait.ts'
import { temporaryFolder } from './folder.ts'
import { served } from './served.ts'
import { BASE_URL, setUpApp, transportTo } from './setup.ts'

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const problem = problemSchema.parse(await response.json())
  expect(problem).toMatchObject({
    status: response.status,
    type: `urn:precis:error:${problem.code}`,
    hint: expect.stringMatching(/\w/), // what to do about it
  })
  return problem
}

const refused = (client: Client | undefined) =>
  until('the client to be refused', () =>
    client?.hello().then(
      () => false,
      () => true,
    ),
  )

describe('the guard', () => {
  const HOSTS = [
    ['localhost', 200],
    ['localhost:4000', 200],
    ['127.0.0.1:80', 200],
    ['127.9.9.9', 200],
    ['[::1]:4000', 200],
    ['precis.example', 200], // allowed by name
    ['PRECIS.example', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['127.0.0.1:80@evil.example', 403],
    ['precis.example.evil.example', 403],
    ['192.168.0.2', 403],
    ['', 403],
  ] as const
  it('answers to its own names and to no other', async () => {
    const { ask } = await setUpApp({ access: { hosts: ['precis.example'] } })
    for (const [host, status] of HOSTS) {
      const response = await ask('', { headers: { host } })
      expect(response.status, host).toBe(status)
      if (status === 403) expect(await problemOf(response)).toMatchObject({ where: 'Host' })
    }
  })

  const ORIGINS = [
    [{ origin: 'http://localhost' }, 200],
    [{ origin: 'http://pages.example' }, 200], // allowed by name
    [{ origin: 'http://localhost:3000' }, 403], // another server of this machine
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'http://localhost.evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'file://localhost' }, 403],
    [{ origin: '' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
  ] as const
  it('answers to pages of its own origin and to no other', async () => {
    const { ask } = await setUpApp({ access: { origins: ['http://pages.example'] } })
    for (const [headers, status] of ORIGINS) {
      const response = await ask('', { headers })
      expect(response.status, JSON.stringify(headers)).toBe(status)
      if (status === 403) expect(await problemOf(response)).toMatchObject({ where: 'Origin' })
    }
  })

  it('lets a link from another site open the page, and nothing of the API', async () => {
    const { app } = await setUpApp({ page: readPage(temporaryFolder()) })
    const opened = async (path: string, mode: string) => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode }
      const response = await app.fetch(new Request(`${BASE_URL}${path}`, { headers }))
      return response.status === 403 ? (await problemOf(response)).where : 'open'
    }
    for (const path of ['/', '/index.html', '/assets/none.js'])
      expect(await opened(path, 'navigate'), path).toBe('open')
    for (const path of ['/api', '/api/threads', '/api/openapi.json'])
      expect(await opened(path, 'navigate'), path).toBe('Origin')
    for (const mode of ['no-cors', 'cors', 'websocket', ''])
      for (const path of ['/', '/api']) expect(await opened(path, mode), mode).toBe('Origin')
  })

  it('lets pages of an origin that was allowed ask as browsers do, and read the answer', async () => {
    const origin = 'http://pages.example'
    const { ask, home } = await setUpApp({ access: { origins: [origin] }, hasTokens: true })
    await addToken(home, 'ada', 'ada')
    await until('a token to be asked for', async () => (await ask('')).status === 401)
    const asking = { 'access-control-request-method': 'POST', 'sec-fetch-site': 'cross-site' }
    const preflight = (from: string) =>
      ask('/threads', { method: 'OPTIONS', headers: { ...asking, origin: from } })
    const { status, headers } = await preflight(origin)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-methods')).toMatch(/POST.*PATCH.*DELETE/)
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID'])
      expect(headers.get('access-control-allow-headers')).toContain(name)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    // Also what was refused can be read there: a page is to say why.
    const refused = await ask('/threads', { headers: { origin } })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin)
    expect(refused.headers.get('vary')).toBe('Origin')
    expect(refused.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const foreign = await preflight('http://evil.example')
    expect(foreign.status).toBe(403)
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('refuses a foreign host over HTTP as well: a name that was bent to the loopback', async () => {
    const { app } = await setUpApp()
    const { port } = new URL(await served(app))
    const headers = { host: `evil.example:${port}` }
    const sent = request({ host: '127.0.0.1', port, path: '/api', headers }).end()
    const [response] = await within('an answer', once(sent, 'response'))
    expect(response.resume().statusCode).toBe(403)
  })

  it('wants a token where there are some, or once were', async () => {
    const { app, ask, home } = await setUpApp({ hasTokens: true })
    expect((await ask('')).status).toBe(200)
    const [first, second] = [await addToken(home, 'laptop', 'ada'), await addToken(home, 'b', 'b')]
    await until('a token to be asked for', async () => (await ask('')).status === 401)
    const rows = [
      undefined,
      'Bearer',
      'Bearer ',
      'Bearer third-token',
      first,
      `Bearer ${first}x`,
      `Bearer ${first.slice(0, -1)}`,
      'Basic Zmlyc3Q=',
    ]
    for (const authorization of rows) {
      const response = await ask('', { headers: authorization ? { authorization } : {} })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect(await problemOf(response)).toMatchObject({ code: 'auth-failed' })
    }
    expect((await ask('/openapi.json')).status).toBe(200) // is in every package
    const clients = [first, second].map((token) =>
      createClient(transportTo(app.fetch, BASE_URL, token)),
    )
    for (const client of clients) expect(await client.threads()).toEqual({ items: [] })

    await revokeToken(home, 'laptop')
    await refused(clients[0])
    await expect(clients[1]?.hello()).resolves.toBeDefined()
    await revokeToken(home, 'b')
    await refused(clients[1])
    expect((await ask('')).status).toBe(401) // there are none left: nobody is let in
  })

  it('ends a stream whose token is revoked, and one from before there were tokens', async () => {
    const { ask, app, home } = await setUpApp({ hasTokens: true, limits: { heartbeatMs: 20 } })
    const { threadId } = await createClient(transportTo(app.fetch, BASE_URL)).createThread()
    const open = await ask(`/threads/${threadId}/stream`)
    expect(open.status).toBe(200)
    const token = await addToken(home, 'laptop', 'local')
    await open.text() // it comes to its end
    const headers = { authorization: `Bearer ${token}` }
    await until('the token to count', async () => (await ask('', { headers })).ok)
    const held = await ask(`/threads/${threadId}/stream`, { headers })
    const told = held.text()
    await home.threads.append(threadId, [user('heard')])
    await until('the thread', async () => (await ask(`/threads/${threadId}`, { headers })).ok)
    await revokeToken(home, 'laptop')
    await until('the token to be refused', async () => (await ask('', { headers })).status === 401)
    await home.threads.append(threadId, [user('not for them')])
    const text = await told
    expect(text).toContain('heard')
    expect(text).not.toContain('not for them')
  })

  it('keeps no token, only what it hashes to, and no two of one name', async () => {
    const { home } = await setUpApp()
    const token = await addToken(home, 'laptop', 'ada')
    const rows = await home.store.read('sys_tokens')
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain(token)
    await expect(addToken(home, 'laptop', 'bob')).rejects.toMatchObject({ code: 'id-conflict' })
    await expect(revokeToken(home, 'phone')).rejects.toMatchObject({ code: 'not-found' })
    for (const name of ['', ' ', 'a b', '-a', 'x'.repeat(65), 'a/b'])
      await expect(addToken(home, name, 'ada')).rejects.toMatchObject({ code: 'usage' })
    expect(await listTokens(home)).toMatchObject([{ name: 'laptop', owner: 'ada' }])
    // Several at once: each is there.
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => addToken(home, name, name)))
    const listed = (await listTokens(home)).map(({ name }) => name)
    expect(listed.toSorted()).toEqual([...names, 'laptop'].toSorted())
  })
})

describe('how often', () => {
  it('one may ask is limited for each, and told when to come back', async () => {
    const { ask, home } = await setUpApp({
      hasTokens: true,
      limits: { requestsPerMinute: 5 },
    })
    const token = await addToken(home, 'laptop', 'ada')
    const asked = async (headers: Record<string, string> = {}) => await ask('', { headers })
    const statuses: number[] = []
    for (let at = 0; at < 7; at += 1) statuses.push((await asked()).status)
    expect(statuses.slice(-2)).toEqual([429, 429])
    const refused = await asked()
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(refused)).toMatchObject({ code: 'rate-limited', retryable: true })
    // Others are not held up by it, and whoever watches over the server never is.
    const mine = { authorization: `Bearer ${token}` }
    await until('the token to count', async () => (await asked(mine)).status === 200)
    for (let at = 0; at < 20; at += 1) expect((await ask('/health')).status).toBe(200)
  })

  it('earns new requests as time goes by, and forgets whom it has not heard of', () => {
    let nowMs = 0
    const clock = { now: () => new Date(nowMs), sleep: async () => undefined }
    const rate = new RateLimit(60, clock)
    const takes = (who: string) => {
      try {
        rate.take(who)
        return true
      } catch {
        return false
      }
    }
    expect(Array.from({ length: 61 }, () => takes('a')).filter(Boolean)).toHaveLength(60)
    expect(takes('b')).toBe(true)
    nowMs += 2_000
    expect([takes('a'), takes('a'), takes('a')]).toEqual([true, true, false])
    nowMs += 3_600_000
    expect(Array.from({ length: 61 }, () => takes('a')).filter(Boolean)).toHaveLength(60)
    for (let at = 0; at < 10_001; at += 1) rate.take(`other ${at}`)
    expect(takes('a')).toBe(true)
  })

  it('holds for followers as well', async () => {
    const { ask, client } = await setUpApp({ limits: { streams: 2 } })
    const { threadId } = await client.createThread()
    const path = `/threads/${threadId}/stream`
    const streams = [await ask(path), await ask(path)]
    const third = await ask(path)
    expect(third.status).toBe(503)
    expect(await problemOf(third)).toMatchObject({ code: 'overloaded' })
    for (const { body } of streams) await body?.cancel()
    const again = await ask(path)
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })
})

describe('sizes', () => {
  it('refuses a body that is too large, said or not, and takes longer files', async () => {
    const { ask, client } = await setUpApp({ limits: { bodyBytes: 1_000, uploadBytes: 5_000 } })
    const { threadId } = await client.createThread()
    const content = 'x'.repeat(2_000)
    await expect(client.send(threadId, content)).rejects.toMatchObject({
      code: 'payload-too-large',
    })
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(500)),
    })
    const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit
    const response = await ask(`/threads/${threadId}/messages`, init)
    expect(response.status).toBe(413)
    expect(await problemOf(response)).toMatchObject({ code: 'payload-too-large' })
    const message = JSON.stringify([{ role: 'user', content }])
    expect(await client.importThread(message)).toMatchObject({ reason: 'import' })
    await expect(client.importThread('x'.repeat(6_000))).rejects.toMatchObject({
      code: 'payload-too-large',
    })
  })
})

describe('paths of the disk', () => {
  it('are no folders for threads unless they are allowed', async () => {
    const { client, folder } = await setUpApp()
    for (const workspace of ['/', '/etc', `${folder}/..`])
      await expect(client.createThread({ workspace })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(client.createThread({ workspace: `${folder}/none` })).rejects.toThrow()
    expect(await client.createThread({ workspace: folder })).toMatchObject({ workspace: folder })
    expect((await client.threads()).items).toHaveLength(1)
  })

  it('are not told of: what is outside is refused the same, there or not', async () => {
    const { ask, folder } = await setUpApp()
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'file'), 'x')
    const paths = [
      outside,
      join(outside, 'none'),
      join(outside, 'file'),
      'none',
      '~',
      `${folder}\0`,
    ]
    const told = paths.map(async (workspace) => {
      const body = JSON.stringify({ workspace })
      const headers = { 'content-type': 'application/json' }
      return problemOf(await ask('/threads', { method: 'POST', headers, body }))
    })
    const [first, ...others] = await Promise.all(told)
    expect(first).toMatchObject({ code: 'forbidden', where: 'workspace' })
    for (const other of others) expect(other).toEqual(first)
  })

  it('are not completed, nor worked in, for a thread that was begun in a folder not allowed here', async () => {
    const { client, folder, home, dev } = await setUpApp({ onlyThese: true })
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'secret-plan.txt'), 'x')
    symlinkSync(outside, join(folder, 'way-out'))
    writeFileSync(join(folder, 'own-plan.txt'), 'x')
    const own = await client.createThread()
    // A link is a name in the folder, and no way out of it.
    expect(await client.files(own.threadId, 'plan')).toEqual(['own-plan.txt'])
    expect(await client.files(own.threadId, 'way-out/')).toEqual([])
    const refused = { code: 'forbidden' }
    const workspaces = [outside, join(folder, 'way-out')]
    for (const workspace of workspaces) {
      await expect(client.createThread({ workspace })).rejects.toMatchObject(refused)
      const threadId = await home.threads.create({}, [
        { type: 'THREAD_SETTINGS', data: { workspace } },
      ])
      await expect(client.files(threadId, 'plan')).rejects.toMatchObject(refused)
      await expect(client.send(threadId, 'Read it')).rejects.toMatchObject(refused)
      await expect(client.resume(threadId)).rejects.toMatchObject(refused)
    }
    expect(dev.requests).toHaveLength(0)
  })
})

describe('secrets', () => {
  it('are in no export, no setting and no problem', async () => {
    const key = 'test-key-of-nobody'
    const github = `ghp_${'a1B2'.repeat(9)}`
    const { client, ask, home } = await setUpApp()
    const { threadId } = await client.createThread({ title: `with ${key}` })
    await home.threads.append(threadId, [
      user(`The key is ${key}, the other ${github}.`),
      ...answer('Seen.', 'c1'),
      result('c1', `ANTHROPIC_API_KEY=${key} GITHUB_TOKEN=${github}`),
      ...answer('Noted.'),
    ])
    const { formats } = await client.hello()
    expect(formats.written.length).toBeGreaterThan(5)
    for (const format of formats.written) {
      const text = await client.exportThread(threadId, format)
      expect(text.length, format).toBeGreaterThan(50)
      expect(text, format).not.toContain(key)
      expect(text, format).not.toContain(github)
    }
    expect(JSON.stringify(await client.settings())).not.toContain(key)
    expect(JSON.stringify(await client.models())).not.toContain(key)
    expect(await (await ask(`/none?${key}`)).text()).not.toContain(key)
  })
})

describe('writes under a key', () => {
  const post = (key: string, body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })

  it('are done once and answered the same, also while the first is under way', async () => {
    const { ask, client } = await setUpApp()
    const answers = await Promise.all(
      [1, 2, 3].map(async () => (await ask('/threads', post('k1', { title: 'one' }))).text()),
    )
    const later = await (await ask('/threads', post('k1', { title: 'one' }))).text()
    expect(new Set([...answers, later]).size).toBe(1)
    expect((await client.threads()).items).toHaveLength(1)
  })

  it('refuse another request under the same key', async () => {
    const { ask } = await setUpApp()
    await ask('/threads', post('k1', { title: 'one' }))
    const response = await ask('/threads', post('k1', { title: 'two' }))
    expect(response.status).toBe(409)
    expect(await problemOf(response)).toMatchObject({ where: 'Idempotency-Key' })
    expect((await ask('/threads', post('x'.repeat(300), {}))).status).toBe(422)
  })

  it('may be tried again where they failed, and the oldest are forgotten', async () => {
    const { ask, client } = await setUpApp({ limits: { idempotencyKeys: 2 } })
    expect((await ask('/threads', post('k1', { preset: 'none' }))).status).toBe(422)
    expect((await ask('/threads', post('k1', { preset: 'log' }))).status).toBe(201)
    for (const key of ['k2', 'k3', 'k1']) await ask('/threads', post(key, { preset: 'log' }))
    expect((await client.threads()).items).toHaveLength(4)
  })

  it('do not fill the memory with long answers: the oldest are forgotten', async () => {
    let done = 0
    const app = new Hono().use(idempotency(1_000)).post('/', (c) => {
      done += 1
      return c.text('x'.repeat(900_000))
    })
    const ask = async (key: number) => {
      const headers = { 'idempotency-key': String(key) }
      await (await app.request('/', { method: 'POST', headers })).text()
    }
    for (let key = 0; key < 20; key += 1) await ask(key)
    await ask(19)
    expect(done).toBe(20)
    await ask(0)
    expect(done).toBe(21)
  })

  it('are repeated by the client where the connection broke, and done once', async () => {
    const { app } = await setUpApp()
    let lost = 0
    const losing = async (request: Request) => {
      const response = await app.fetch(request)
      if (request.method !== 'POST' || lost > 0) return response
      lost += 1
      throw new TypeError('fetch failed') // it was done, and nobody heard of it
    }
    const client = createClient(transportTo(losing, BASE_URL))
    await client.createThread({ title: 'once' })
    expect(lost).toBe(1)
    expect((await client.threads()).items).toHaveLength(1)
    const gone = createClient(transportTo(() => Promise.reject(new TypeError('no')), BASE_URL))
    await expect(gone.createThread()).rejects.toMatchObject({ code: 'unreachable' })
    await expect(gone.hello()).rejects.toMatchObject({ code: 'unreachable' })
  })
})
