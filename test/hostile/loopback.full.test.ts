// Hostile callers: other users and programs of the same machine, who reach the loopback as well.
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { localToken } from '../../src/server/accounts/local-token.ts'
import { addToken, revokeToken } from '../../src/server/accounts/tokens.ts'
import { temporaryFolder } from '../server/folder.ts'
import { operationsOf } from '../server/operations.ts'
import { type ServeChild, startServe, writeHome } from '../server/serve-child.ts'
import { BASE_URL, setUpApp } from '../server/setup.ts'
import { until } from '../wait.ts'

function setUpHome(): {
  folder: string
  file: string
  serve(...args: string[]): Promise<ServeChild>
} {
  const folder = temporaryFolder()
  writeHome(folder, 'http://127.0.0.1:9')
  return {
    folder,
    file: join(folder, 'home', 'serve-token'),
    async serve(...args) {
      const child = await startServe(folder, args)
      onTestFinished(async () => void (await child.end('SIGKILL')))
      return child
    },
  }
}

const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

describe('precis serve on the loopback', () => {
  it('answers nothing without the token, which lies in a file of its owner', async () => {
    const { file, serve } = setUpHome()
    const child = await serve()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = readFileSync(file, 'utf8').trim()
    expect(child.pageUrl).toBe(`${child.url}/#token=${token}`)
    const ask = (path: string, init: RequestInit = {}) => fetch(`${child.url}/api${path}`, init)
    for (const path of ['/health', '/ready', '/openapi.json'])
      expect((await ask(path)).status, path).toBe(200)
    const operations = await operationsOf(ask)
    expect(operations.length).toBeGreaterThan(25)
    for (const { method, path } of operations) {
      if (path === '/health' || path === '/ready') continue
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      for (const headers of [
        {},
        { authorization: 'Bearer precis_no' },
        { cookie: `precis-${new URL(child.url).port}=x` },
      ])
        expect((await ask(url, { method, headers })).status, `${method} ${path}`).toBe(401)
    }
    const { threadId } = await child.client.createThread({ title: 'mine' })
    // The next process, and commands, find the same.
    expect(await child.end('SIGTERM')).toBe(0)
    const next = await serve()
    expect(next.headers).toEqual(child.headers)
    expect((await next.client.thread(threadId)).title).toBe('mine')
    expect((await next.client.threads()).items).toHaveLength(1)
  })

  it('hands the page a cookie that ends with the process', async () => {
    const { serve } = setUpHome()
    const child = await serve()
    const session = { method: 'POST', headers: child.headers }
    const begun = await fetch(`${child.url}/api/session`, session)
    expect(begun.status).toBe(204)
    const { port } = new URL(child.url)
    expect(begun.headers.get('set-cookie')).toMatch(
      new RegExp(`^precis-${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/api$`),
    )
    const cookie = cookieOf(begun)
    expect(String(child.headers.authorization)).not.toContain(cookie.split('=')[1])
    const status = async (url: string, headers: Record<string, string>) =>
      (await fetch(`${url}/api/threads`, { headers: { cookie, ...headers } })).status
    expect(await status(child.url, {})).toBe(200)
    expect(await status(child.url, { 'sec-fetch-site': 'same-origin', origin: child.url })).toBe(
      200,
    )
    // Pages of other ports are the same site to a browser, which sends them the cookie.
    expect(await status(child.url, { 'sec-fetch-site': 'same-site' })).toBe(401)
    expect(await status(child.url, { 'sec-fetch-site': 'none' })).toBe(401)
    expect(await status(child.url, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status(child.url, { origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await status(child.url, { authorization: 'Bearer no' })).toBe(401)
    // Whoever listened on the port in between learned nothing that opens anything.
    expect(await child.end('SIGTERM')).toBe(0)
    const next = await serve('--port', port)
    expect(await status(next.url, {})).toBe(401)
  })

  it('says what --no-token means, and then answers everybody', async () => {
    const { file, serve } = setUpHome()
    const child = await serve('--no-token')
    expect(child.pageUrl).toBe(child.url)
    expect((await fetch(`${child.url}/api/threads`)).status).toBe(200)
    expect(() => statSync(file)).toThrow('ENOENT')
    await child.end('SIGTERM')
    expect((await child.ended).stderr).toMatch(
      /^Warning: --no-token lets every user .* run commands/,
    )
  })

  it('does not take a token that others could have written or read', async () => {
    const { folder, file, serve } = setUpHome()
    const child = await serve()
    const token = readFileSync(file, 'utf8')
    await child.end('SIGTERM')
    const refused = async (words: string) =>
      expect(serve(), words).rejects.toThrow(new RegExp(`${words}[\\s\\S]*Delete the file`))
    chmodSync(file, 0o644)
    await refused('can be read by other users')
    rmSync(file)
    writeFileSync(join(folder, 'other'), token, { mode: 0o600 })
    symlinkSync(join(folder, 'other'), file)
    await refused('is not a file')
    rmSync(file)
    writeFileSync(file, 'guess\n', { mode: 0o600 })
    await refused('does not hold a token')
  })
})

describe('the token of a machine', () => {
  it('is one, however many make it at once', async () => {
    const folder = temporaryFolder()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => localToken(folder)))
    expect(new Set(tokens).size).toBe(1)
    expect(await localToken(folder)).toBe(tokens[0])
  })
})

describe('a session of the page', () => {
  it('opens what its token opens, and ends with it', async () => {
    const { ask, home } = await setUpApp({ hasTokens: true })
    const token = await addToken(home, 'ada', 'ada')
    await until(
      'a caller without a token to be refused',
      async () => (await ask('')).status === 401,
    )
    const headers = { authorization: `Bearer ${token}`, origin: BASE_URL, 'idempotency-key': 'k' }
    const cookies = []
    for (let times = 0; times < 2; times += 1)
      cookies.push(cookieOf(await ask('/session', { method: 'POST', headers })))
    expect(new Set(cookies).size).toBe(2) // kept under no key
    const [cookie = ''] = cookies
    expect((await ask('', { headers: { cookie } })).status).toBe(200)
    expect((await ask('/session', { method: 'POST' })).status).toBe(401)
    await revokeToken(home, 'ada')
    await until(
      'the revoked token to be refused',
      async () => (await ask('', { headers: { cookie } })).status === 401,
    )
  })

  it('is not needed in process', async () => {
    const { ask } = await setUpApp()
    expect((await ask('/threads')).status).toBe(200)
    const begun = await ask('/session', { method: 'POST' })
    expect([begun.status, begun.headers.get('set-cookie')]).toEqual([204, null])
  })
})
