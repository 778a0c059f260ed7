// Page sessions, the token of this machine, its owner, and rate limits: each rule allowed and refused.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compose } from '../../compose.ts'
import type { Clock } from '../../core/ports.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { systemClock } from '../../system.ts'
import { guard, isFromMachine, isLoopback, RateLimit } from '../http/guard.ts'
import type { TokenHolder } from '../ports.ts'
import { localToken, withLocalToken } from './local-token.ts'
import { maySee } from './owners.ts'
import { PageSessions } from './page-sessions.ts'
import { addToken, listTokens, revokeToken, TokenBook } from './tokens.ts'

/** What `read` makes of a request with these headers. */
async function inRequest<T>(
  headers: Record<string, string>,
  read: (c: Context) => T,
  url = 'http://localhost:4000/api',
): Promise<T> {
  const seen: T[] = []
  const app = new Hono().all('*', (c) => {
    seen.push(read(c))
    return c.text('')
  })
  await app.request(url, { headers })
  const [value] = seen
  if (value === undefined) throw new Error('the request was not seen')
  return value
}

describe('a session of the page', () => {
  async function begun(
    sessions: PageSessions,
    token: string,
    headers: Record<string, string> = {},
  ) {
    const cookie = await inRequest({ host: 'localhost:4000', ...headers }, (c) =>
      sessions.begin(c, token),
    )
    return { cookie, pair: cookie.slice(0, cookie.indexOf(';')) }
  }
  const tokenFor = (sessions: PageSessions, headers: Record<string, string>) =>
    inRequest({ host: 'localhost:4000', ...headers }, (c) => sessions.tokenOf(c))

  it('is a cookie for the API alone, and secure where the page is', async () => {
    const sessions = new PageSessions()
    const { cookie } = await begun(sessions, 'a')
    expect(cookie).toMatch(/^precis-4000=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/api$/)
    const plain = await begun(sessions, 'a', { origin: 'http://localhost:4000' })
    expect(plain.cookie).toMatch(/Path=\/api$/)
    const secure = await begun(sessions, 'a', { origin: 'https://precis.example' })
    expect(secure.cookie).toMatch(/Path=\/api; Secure$/)
    const other = await begun(sessions, 'a', { host: 'precis.example' })
    expect(other.cookie).toMatch(/^precis-page=/)
    const without = await inRequest({}, (c) => sessions.begin(c, 'a'), 'http://localhost:41/api')
    expect(without).toMatch(/^precis-41=/)
    expect((await begun(sessions, 'a', { host: 'a:4000.example' })).cookie).toMatch(/^precis-page=/)
  })

  it('gives its token back for its own cookie, to its own page', async () => {
    const sessions = new PageSessions()
    const [ada, bob] = [await begun(sessions, 'ada'), await begun(sessions, 'bob')]
    expect(await tokenFor(sessions, { cookie: ada.pair })).toBe('ada')
    expect(await tokenFor(sessions, { cookie: `x=1;  ${bob.pair} ; y=2` })).toBe('bob')
    expect(await tokenFor(sessions, {})).toBe('')
    expect(await tokenFor(sessions, { cookie: 'precis-4000=none' })).toBe('')
    expect(await tokenFor(sessions, { cookie: `${ada.pair}x` })).toBe('')
    expect(await tokenFor(sessions, { cookie: `x${ada.pair}` })).toBe('')
    expect(await tokenFor(sessions, { cookie: ada.pair, host: 'localhost:4001' })).toBe('')
    const sites = ['same-origin', 'same-site', 'cross-site', 'none']
    const told = sites.map((site) =>
      tokenFor(sessions, { cookie: ada.pair, 'sec-fetch-site': site }),
    )
    expect(await Promise.all(told)).toEqual(['ada', '', '', ''])
    expect(await tokenFor(new PageSessions(), { cookie: ada.pair })).toBe('')
  })

  it('opens what its token opens, unless the request shows another', async () => {
    const sessions = new PageSessions()
    const { pair } = await begun(sessions, 'good')
    const tokens = {
      isRequired: true,
      holderOf: (token: string) => (token === 'good' ? { name: 'laptop' } : undefined),
    }
    const app = new Hono()
      .use(guard({ tokens }, new RateLimit(Number.POSITIVE_INFINITY, systemClock), sessions))
      .all('*', (c) => c.text(''))
    app.onError((_, c) => c.text('', 401))
    const statusOf = async (headers: Record<string, string>) =>
      (await app.request('http://localhost:4000/api', { headers })).status
    expect(await statusOf({ cookie: pair })).toBe(200)
    expect(await statusOf({ cookie: pair, authorization: 'Bearer bad' })).toBe(401)
    expect(await statusOf({ cookie: pair, authorization: '' })).toBe(401)
  })

  it('is forgotten when a thousand others have begun', async () => {
    const sessions = new PageSessions()
    const first = await begun(sessions, 'first')
    const second = await begun(sessions, 'second')
    await inRequest({}, (c) => {
      for (let at = 2; at < 1_000; at += 1) sessions.begin(c, 'other')
      return true
    })
    expect(await tokenFor(sessions, { cookie: first.pair })).toBe('first')
    await begun(sessions, 'last')
    expect(await tokenFor(sessions, { cookie: first.pair })).toBe('')
    expect(await tokenFor(sessions, { cookie: second.pair })).toBe('second')
  })
})

describe('the owner of this machine', () => {
  const mine: TokenHolder = { name: 'this machine', isOwnerOfMachine: true }
  async function isOwner(
    address: string | undefined,
    headers: Record<string, string> = {},
    holder: TokenHolder = mine,
  ): Promise<boolean> {
    const tokens = { isRequired: true, holderOf: () => holder }
    const rate = new RateLimit(Number.POSITIVE_INFINITY, systemClock)
    const app = new Hono()
      .use(guard({ tokens, hosts: ['precis.example'] }, rate, new PageSessions()))
      .all('*', (c) => c.json(isFromMachine(c)))
    const socket = address === undefined ? {} : { remoteAddress: address }
    const response = await app.request(
      'http://localhost/api',
      { headers },
      { incoming: { socket } },
    )
    return (await response.json()) as boolean
  }

  it.each(['127.0.0.1', '127.255.10.1', '::ffff:127.0.0.1', '::1', undefined])(
    'asks from %s',
    async (address) => {
      expect(await isOwner(address)).toBe(true)
    },
  )
  it.each([
    ...['10.0.0.1', '::2', 'x::1', '::1x', '127.0.0', '127.0.0.1.1', '127.0.0.1111', 'x127.0.0.1'],
    ...['::ffff:10.0.0.1', ':ffff:127.0.0.1', '227.0.0.1', '127.a.0.1'],
  ])('does not ask from %s', async (address) => {
    expect(await isOwner(address)).toBe(false)
  })
  it('asks no proxy, by no other name, and with no token of another', async () => {
    expect(await isOwner('::1', { forwarded: 'for=1.2.3.4' })).toBe(false)
    expect(await isOwner('::1', { 'x-forwarded-for': '1.2.3.4' })).toBe(false)
    expect(await isOwner('::1', { host: 'localhost:80' })).toBe(true)
    expect(await isOwner('::1', { host: 'precis.example' })).toBe(false)
    expect(await isOwner('::1', {}, { name: 'this machine', owner: 'local' })).toBe(false)
    expect(await inRequest({}, isFromMachine)).toBe(false)
  })
  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:65535', '127.1.22.255', '[::1]', '[::1]:80'])(
    'may name the loopback %s',
    (host) => {
      expect(isLoopback(host)).toBe(true)
      for (const other of [`x${host}`, `${host}x`, `${host}:1:1`])
        expect(isLoopback(other)).toBe(false)
    },
  )
})

describe('a rate limit', () => {
  function limited(perMinute: number) {
    const time = { ms: 1_000_000 }
    const clock: Clock = { ...systemClock, now: () => new Date(time.ms) }
    const rate = new RateLimit(perMinute, clock)
    const take = (who = 'ada') => {
      try {
        rate.take(who)
        return 'taken'
      } catch (thrown) {
        return thrown
      }
    }
    return { time, take }
  }
  const refused = (seconds: number, perMinute: number) => ({
    code: 'rate-limited',
    message: 'Too many requests.',
    hint: `Rate limit: ${perMinute} requests per minute. Try again in ${seconds} s.`,
    retryable: true,
    details: { retryAfterSeconds: seconds },
  })

  it('lets so many pass at once, then one for each share of a minute', () => {
    const { time, take } = limited(4)
    for (let at = 0; at < 4; at += 1) expect(take()).toBe('taken')
    expect(take()).toMatchObject(refused(15, 4))
    expect(take('bob')).toBe('taken')
    time.ms += 14_999
    expect(take()).toMatchObject(refused(1, 4))
    time.ms += 1
    expect(take()).toBe('taken')
    expect(take()).toMatchObject(refused(15, 4))
    time.ms += 45_000
    for (let at = 0; at < 3; at += 1) expect(take()).toBe('taken')
    expect(take()).toMatchObject(refused(15, 4))
    time.ms += 3_600_000 // no more than a minute's worth
    for (let at = 0; at < 4; at += 1) expect(take()).toBe('taken')
    time.ms -= 3_600_000 // a clock that was set back takes nothing away
    expect(take()).toMatchObject(refused(15, 4))
  })

  it('forgets whom it has not heard of for longest beyond 10,000', () => {
    const { take } = limited(1)
    for (let at = 0; at < 10_000; at += 1) take(`who ${at}`)
    expect(take('who 0')).toMatchObject(refused(60, 1)) // heard of again
    take('another')
    expect(take('who 0')).toMatchObject(refused(60, 1))
    expect(take('who 2')).toMatchObject(refused(60, 1))
    expect(take('who 1')).toBe('taken')
  })

  it('may be none at all', () => {
    const { take } = limited(Number.POSITIVE_INFINITY)
    for (let at = 0; at < 3; at += 1) expect(take()).toBe('taken')
  })
})

describe('the token of this machine', () => {
  function temporary(): string {
    const folder = mkdtempSync(join(tmpdir(), 'precis-token-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  it('is made once, whole and private, also by several at once', async () => {
    const folder = temporary()
    const made = await Promise.all([1, 2, 3].map(() => localToken(folder)))
    expect(new Set(made).size).toBe(1)
    expect(made[0]).toMatch(/^precis_[\w-]{43}$/)
    expect(readdirSync(folder)).toEqual(['serve-token'])
    expect(statSync(join(folder, 'serve-token')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'serve-token'), 'utf8')).toBe(`${made[0]}\n`)
    expect(await localToken(folder)).toBe(made[0])
    expect(await localToken(temporary())).not.toBe(made[0])
  })

  const token = `precis_${'a'.repeat(43)}`
  it.each([
    ['is not a file', (file: string) => mkdirSync(file)],
    ['is not a file', (file: string) => symlinkSync('/dev/null', file)],
    [
      'can be read by other users',
      (file: string) => {
        writeFileSync(file, token)
        chmodSync(file, 0o604)
      },
    ],
    [
      'can be read by other users',
      (file: string) => {
        writeFileSync(file, token)
        chmodSync(file, 0o640)
      },
    ],
    ['does not hold a token', (file: string) => writeFileSync(file, `x${token}`, { mode: 0o600 })],
    ['does not hold a token', (file: string) => writeFileSync(file, `${token}a`, { mode: 0o600 })],
    [
      'does not hold a token',
      (file: string) => writeFileSync(file, token.slice(1), { mode: 0o600 }),
    ],
  ])('is refused where its file %s', async (what, prepare) => {
    const file = join(temporary(), 'serve-token')
    prepare(file)
    await expect(localToken(join(file, '..'))).rejects.toMatchObject({
      code: 'file-unreadable',
      message: `The token file ${what}.`,
      where: file,
      hint: 'Delete the file: the next start creates a new one.',
    })
  })

  it('is read with blanks around it, and refused where there is no directory', async () => {
    const folder = temporary()
    writeFileSync(join(folder, 'serve-token'), ` ${token}\n\n`, { mode: 0o600 })
    expect(await localToken(folder)).toBe(token)
    await expect(localToken(join(folder, 'none'))).rejects.toMatchObject({
      code: 'file-unwritable',
      message: 'The token file cannot be created.',
      where: join(folder, 'none', 'serve-token'),
      hint: expect.stringContaining('PRECIS_HOME'),
      cause: { code: 'ENOENT' },
    })
    await expect(localToken(join(folder, 'serve-token'))).rejects.toMatchObject({
      message: 'The token file cannot be looked at.',
      cause: { code: 'ENOTDIR' },
    })
  })

  it('opens all threads until there are others', () => {
    const others = {
      isRequired: false,
      holderOf: (given: string) => (given === 'other' ? { name: 'x', owner: 'ada' } : undefined),
    }
    const tokens = withLocalToken(others, token)
    expect(tokens.isRequired).toBe(true)
    expect(tokens.holderOf(token)).toEqual({ name: 'this machine', isOwnerOfMachine: true })
    expect(tokens.holderOf('other')).toEqual({ name: 'x', owner: 'ada' })
    expect(tokens.holderOf(`${token}x`)).toBeUndefined()
    others.isRequired = true
    expect(tokens.holderOf(token)).toEqual({ name: 'this machine', owner: 'local' })
  })
})

describe('the tokens of a store', () => {
  it('are known by name, owner and date, and are required from the first one on', async () => {
    const home = compose({ store: memoryStore() })
    const before = Date.now()
    const token = await addToken(home, 'laptop', 'ada')
    expect(token).toMatch(/^precis_[\w-]{43}$/)
    await addToken(home, 'phone', 'bob')
    const [laptop, phone] = await listTokens(home)
    expect(laptop).toEqual({ name: 'laptop', owner: 'ada', since: expect.any(Date) })
    expect(laptop?.since.getTime()).toBeGreaterThanOrEqual(before)
    expect(phone).toMatchObject({ name: 'phone', owner: 'bob' })
    await revokeToken(home, 'laptop')
    expect(await listTokens(home)).toMatchObject([{ name: 'phone' }])
    await expect(revokeToken(home, 'laptop')).rejects.toMatchObject({ code: 'not-found' })
    await revokeToken(home, 'phone')
    const book = await TokenBook.open(home)
    onTestFinished(() => book.close())
    expect([book.isRequired, book.count, book.holderOf(token)]).toEqual([true, 0, undefined])
    await addToken(home, 'laptop', 'bob') // its name is free again
    expect(await listTokens(home)).toMatchObject([{ name: 'laptop', owner: 'bob' }])
  })

  it.each(['', ' a', '-a', '.a', '@a', 'a b', 'a/b', 'a\n', 'x'.repeat(65)])(
    'have no name like %j',
    async (name) => {
      const home = compose({ store: memoryStore() })
      await expect(addToken(home, name, 'ada')).rejects.toMatchObject({ code: 'usage' })
      await expect(addToken(home, 'a', name)).rejects.toMatchObject({ where: 'owner' })
      expect(await listTokens(home)).toEqual([])
    },
  )

  it('keep their log to the servers', async () => {
    const { store, threads, ...home } = compose({ store: memoryStore() })
    await addToken({ store, ...home }, 'laptop', 'ada')
    const [first] = await threads.getAllEvents('sys_tokens')
    expect([maySee(undefined, first), maySee('local', first)]).toEqual([false, false])
  })
})
