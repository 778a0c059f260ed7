// The guard, owners and tokens by themselves: who a request is counted for, what it may open, and for how long.
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { until } from '../../../test/wait.ts'
import { compose } from '../../compose.ts'
import { asPrecisError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { systemClock } from '../../system.ts'
import { inheriting, LOCAL_OWNER, maySee, readNames, requireOwn } from '../accounts/owners.ts'
import { PageSessions } from '../accounts/page-sessions.ts'
import { addToken, listTokens, revokeToken, TokenBook } from '../accounts/tokens.ts'
import { shareWith } from '../app.ts'
import type { LogPorts } from '../live/server-log.ts'
import type { Access, TokenHolder } from '../ports.ts'
import { boundConnections } from './connections.ts'
import { guard, holderIn, RateLimit, stillHolds, whoIn } from './guard.ts'

const HOLDERS: Record<string, TokenHolder> = {
  good: { name: 'laptop', owner: 'ada' },
  all: { name: 'root' },
}

/** An app of one answer behind the guard: who asks, and whose token it is. */
function guarded(access: Access = {}, requestsPerMinute = Number.POSITIVE_INFINITY) {
  const sessions = new PageSessions()
  const rate = new RateLimit(requestsPerMinute, systemClock)
  const held: (() => boolean)[] = []
  const app = new Hono()
    .use(shareWith(access.origins ?? []))
    .use(guard(access, rate, sessions))
    .all('*', (c) => {
      held.push(stillHolds(access, c, sessions))
      return c.json({ who: whoIn(c), holder: holderIn(c) ?? null })
    })
  app.onError((thrown, c) => {
    const { code, message, where, hint } = asPrecisError(thrown)
    return c.json({ code, message, where, hint }, 400)
  })
  const ask = async (
    path: string,
    headers: Record<string, string> = {},
    env?: object,
    method = 'GET',
  ) => {
    const init = { method, headers: { host: 'localhost', ...headers } }
    const response = await app.request(`http://localhost${path}`, init, env)
    const text = await response.text()
    return { status: response.status, headers: response.headers, said: text && JSON.parse(text) }
  }
  return { ask, held }
}

const tokens = (isRequired = true) => ({
  isRequired,
  holderOf: (token: string) => HOLDERS[token],
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a request', () => {
  it('is counted for an owner, a token, or an address', async () => {
    const { ask } = guarded({ tokens: tokens(false) })
    const from = { incoming: { socket: { remoteAddress: '10.0.0.9' } } }
    expect((await ask('/', bearer('good'))).said.who).toBe('owner ada')
    expect((await ask('/', bearer('all'))).said.who).toBe('token root')
    expect((await ask('/', bearer('bad'), from)).said.who).toBe('address 10.0.0.9')
    expect((await ask('/')).said.who).toBe('address here')
    expect((await ask('/api/health')).said.who).toBe('here') // counted for none
  })

  it('has a holder where tokens are required, and in the API alone', async () => {
    const { ask } = guarded({ tokens: tokens() })
    expect((await ask('/api', bearer('good'))).said.holder).toEqual(HOLDERS.good)
    expect((await ask('/', bearer('good'))).said.holder).toBeNull()
    expect((await ask('/page')).status).toBe(200)
    expect((await ask('/api/openapi.json')).status).toBe(200)
    for (const path of ['/api/health', '/api/ready'])
      expect((await ask(path, { host: 'evil.example' })).status, path).toBe(200)
    expect((await ask('/api/openapi.jsonx')).said).toEqual({
      code: 'auth-failed',
      message: expect.stringMatching(/token/i),
      where: 'Authorization',
      hint: expect.stringContaining('Authorization: Bearer'),
    })
    const open = guarded({ tokens: tokens(false) })
    expect((await open.ask('/api', bearer('good'))).said.holder).toBeNull()
  })

  it.each(['Bearer good', 'bearer good'])('shows its token as %s', async (authorization) => {
    expect((await guarded({ tokens: tokens() }).ask('/api', { authorization })).status).toBe(200)
  })

  it.each(['Bearer bad', 'Token Bearer good', 'good', 'Bearergood', 'Bearer good x', ''])(
    'shows none with %j',
    async (authorization) => {
      const { said } = await guarded({ tokens: tokens() }).ask('/api', { authorization })
      expect(said.code).toBe('auth-failed')
    },
  )

  it('takes from the share of who asks, but not to learn whether the server is well', async () => {
    const { ask } = guarded({ tokens: tokens() }, 2)
    for (let at = 0; at < 5; at += 1) expect((await ask('/api/health')).status).toBe(200)
    const codes = []
    for (let at = 0; at < 3; at += 1) codes.push((await ask('/api', bearer('good'))).said.code)
    expect(codes).toEqual([undefined, undefined, 'rate-limited'])
    expect((await ask('/api', bearer('all'))).status).toBe(200)
  })

  it('that was let in keeps its connection when there are too many', async () => {
    const server = new EventEmitter()
    boundConnections(server as Server, 1)
    const connect = () => {
      const destroyed = vi.fn()
      const socket = Object.assign(new EventEmitter(), { remoteAddress: '::1', destroy: destroyed })
      server.emit('connection', socket)
      return { socket, destroyed }
    }
    const { ask } = guarded({ tokens: tokens() })
    const [first] = [connect()]
    await ask('/api', bearer('good'), { incoming: first })
    const second = connect()
    expect([first.destroyed, second.destroyed].map(({ mock }) => mock.calls.length)).toEqual([0, 1])
    await ask('/api', bearer('bad'), { incoming: second })
    const third = connect()
    expect(second.destroyed).toHaveBeenCalledTimes(2)
    expect(third.destroyed).not.toHaveBeenCalled()
  })

  it('is refused under another name, which is cut in the answer', async () => {
    const { ask } = guarded({ hosts: ['Precis.example:80', 'any.example'] })
    const statusOf = async (host: string) => (await ask('/', { host })).status
    for (const host of ['precis.example:80', 'any.example', 'any.example:4000', 'ANY.example'])
      expect(await statusOf(host), host).toBe(200)
    for (const host of [
      'precis.example',
      'precis.example:81',
      'any.example:x',
      'x127.0.0.1',
      'any.ex:80ample',
    ])
      expect(await statusOf(host), host).toBe(400)
    for (const host of ['127.0.0', '127.0.0.1:123456', 'localhost:', '127.0.0.1111'])
      expect(await statusOf(host), host).toBe(400)
    const { said } = await ask('/', { host: 'a'.repeat(300) })
    expect(said).toEqual({
      code: 'forbidden',
      message: expect.stringMatching(/^Host a{200} is not allowed\.$/),
      where: 'Host',
      hint: expect.stringMatching(/\w/),
    })
    expect((await ask('/', { origin: `http://${'a'.repeat(300)}` })).said).toEqual({
      code: 'forbidden',
      message: expect.stringMatching(/http:\/\/a{193} /),
      where: 'Origin',
      hint: expect.stringContaining('--origin'),
    })
    expect((await ask('/', { 'sec-fetch-site': 'cross-site' })).said.message).toContain('another')
  })

  it('of a page of the same name and port is its own, whatever its letters', async () => {
    const { ask } = guarded({ hosts: ['any.example'] })
    const statusOf = async (host: string, origin: string) =>
      (await ask('/', { host, origin })).status
    expect(await statusOf('ANY.example:4000', 'https://any.example:4000')).toBe(200)
    expect(await statusOf('any.example:4000', 'https://any.example')).toBe(400)
    for (const origin of ['ftp://any.example', 'xhttp://any.example', 'any.example'])
      expect(await statusOf('any.example', origin), origin).toBe(400)
  })
})

describe('what a token has opened', () => {
  it('stays open while the token is there, and is of the same owner', async () => {
    const holders: Record<string, TokenHolder> = { ...HOLDERS }
    const known = { isRequired: true, holderOf: (token: string) => holders[token] }
    const { ask, held } = guarded({ tokens: known })
    await ask('/api', bearer('good'))
    expect(held[0]?.()).toBe(true)
    holders.good = { name: 'laptop', owner: 'bob' }
    expect(held[0]?.()).toBe(false)
    holders.good = { name: 'other', owner: 'ada' }
    expect(held[0]?.()).toBe(true)
    delete holders.good
    expect(held[0]?.()).toBe(false)
  })

  it('closes when tokens begin to be required, unless it was shown one that opens all', async () => {
    const known = { ...tokens(false) }
    const { ask, held } = guarded({ tokens: known })
    await ask('/api')
    await ask('/api', bearer('all'))
    expect(held.map((holds) => holds())).toEqual([true, true])
    known.isRequired = true
    expect(held.map((holds) => holds())).toEqual([false, true])
    const open = guarded()
    await open.ask('/api')
    expect(open.held[0]?.()).toBe(true) // there are no tokens at all
  })
})

describe('an origin that was allowed', () => {
  const origin = 'http://pages.example'
  it('is answered before it asks, and every answer says so', async () => {
    const { ask } = guarded({ origins: [origin] })
    const question = { origin, 'access-control-request-method': 'POST' }
    const asked = await ask('/api', question, undefined, 'OPTIONS')
    expect([asked.status, asked.said]).toEqual([204, ''])
    expect(asked.headers.get('access-control-max-age')).toBe('600')
    const others = [
      await ask('/api', { origin }, undefined, 'OPTIONS'),
      await ask('/api', question, undefined, 'POST'),
    ]
    for (const { status, headers } of others) {
      expect([status, headers.get('access-control-allow-methods')]).toEqual([200, null])
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-expose-headers')).toBe('Retry-After')
    }
    const site = await ask('/api', { origin, 'sec-fetch-site': 'cross-site' })
    expect(site.status).toBe(200)
    const own = await ask('/api', { origin: 'http://localhost' })
    expect([own.status, own.headers.get('vary')]).toEqual([200, null])
  })
})

describe('an owner', () => {
  it('is that of the thread that another comes from, unless one is named', async () => {
    const store = memoryStore()
    const threads = inheriting(compose({ store }).threads, store)
    const ownerOf = async (threadId: string) => {
      const [first] = await threads.getAllEvents(threadId)
      return first?.type === 'THREAD_STARTED' ? first.data.owner : undefined
    }
    const from = async (threadId: string, owner?: string) =>
      threads.create({
        from: { threadId, seq: 1, reason: 'fresh' } as never,
        ...(owner !== undefined && { owner }),
      })
    const ada = await threads.create({ owner: 'ada' })
    const none = await threads.create()
    expect(await ownerOf(await from(ada))).toBe('ada')
    expect(await ownerOf(await from(ada, 'bob'))).toBe('bob')
    expect(await ownerOf(await from(none))).toBeUndefined()
    expect(await ownerOf(await from('thr_gone'))).toBeUndefined()
    expect(await ownerOf(none)).toBeUndefined()
    await expect(requireOwn(store, ada, 'ada')).resolves.toBeUndefined()
    await expect(requireOwn(store, none, LOCAL_OWNER)).resolves.toBeUndefined()
    await expect(requireOwn(store, ada, undefined)).resolves.toBeUndefined()
    const reads: unknown[] = []
    const watched = {
      read: (...given: Parameters<typeof store.read>) => {
        reads.push(given)
        return store.read(...given)
      },
    }
    await requireOwn(watched, 'thr_gone', undefined) // whoever reads it finds out
    await requireOwn(watched, ada, 'ada')
    expect(reads).toEqual([[ada, { limit: 1 }]])
    for (const [threadId, owner] of [
      [ada, 'bob'],
      [none, 'ada'],
      ['thr_gone', 'ada'],
      ['sys_tokens', undefined],
    ] as const)
      await expect(requireOwn(store, threadId, owner)).rejects.toMatchObject({
        code: 'unknown-thread',
      })
  })

  it('sees no log of the server, and has the threads without a name where it is this machine', () => {
    expect([maySee(undefined, undefined), maySee('ada', undefined)]).toEqual([true, false])
    expect(maySee(LOCAL_OWNER, undefined)).toBe(true)
    expect([readNames(LOCAL_OWNER), readNames('ada')]).toEqual([['local', ''], ['ada']])
  })
})

describe('a token', () => {
  it('is told with a name that is cut, and what to do', async () => {
    const home = compose({ store: memoryStore() })
    const long = 'x'.repeat(300)
    await expect(revokeToken(home, long)).rejects.toMatchObject({
      code: 'not-found',
      message: `There is no token ${'x'.repeat(100)}.`,
      where: 'x'.repeat(100),
      hint: expect.stringContaining('token list'),
    })
    await expect(addToken(home, long, 'ada')).rejects.toMatchObject({
      message: `"${'x'.repeat(100)}" is no name.`,
      where: 'name',
      hint: expect.stringContaining('64'),
    })
    await expect(addToken(home, 'a', ' ')).rejects.toMatchObject({ where: 'owner' })
    for (const name of ['é1', '1', 'a._@-b', 'x'.repeat(64)]) await addToken(home, name, 'ada')
    await expect(addToken(home, '1', 'bob')).rejects.toMatchObject({
      code: 'id-conflict',
      message: 'A token named 1 already exists.',
      where: '1',
      hint: expect.stringContaining('revoke'),
    })
    expect((await listTokens(home)).map(({ name }) => name)).toContain('é1')
    const [started] = await home.threads.getAllEvents('sys_tokens')
    expect(started).toMatchObject({ data: { title: 'Access tokens of the server' } })
  })

  it('counts from the moment it is added, also where the log could not be followed', async () => {
    const home = compose({ store: memoryStore() })
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warned.mockRestore())
    let failures = 1
    const { store: kept } = home
    const store: LogPorts['store'] = {
      append: (...given) => kept.append(...given),
      read: (...given) => kept.read(...given),
      info: (...given) => kept.info(...given),
      follow: (...given) => {
        failures -= 1
        if (failures >= 0) throw new Error('no store')
        return kept.follow(...given)
      },
    }
    // It pauses before it tries again, so that others get their turn.
    const clock: Clock = { ...systemClock, sleep: (_, signal) => systemClock.sleep(1, signal) }
    const book = await TokenBook.open({ store, clock, ids: home.ids })
    expect([book.isRequired, book.count]).toEqual([false, 0])
    const token = await addToken(home, 'laptop', 'ada')
    await until('the token to count', () => book.count === 1)
    expect(warned).toHaveBeenCalledExactlyOnceWith('Error: no store')
    expect(book.holderOf(token)).toEqual({ name: 'laptop', owner: 'ada' })
    expect(book.holderOf(`${token}x`)).toBeUndefined()
    const other = await TokenBook.open(home)
    onTestFinished(() => other.close())
    await book.close()
    await addToken(home, 'phone', 'ada')
    await until('another book to know it', () => other.count === 2)
    expect(book.count).toBe(1) // closed: it follows no more
  })
})
