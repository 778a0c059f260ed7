// Requests over HTTP that are refused: strangers, foreign pages and names, paths outside, bodies without end.
import { mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/protocol/http-client.ts'
import { problemSchema } from '../../src/protocol/schemas.ts'
import { addToken } from '../../src/server/accounts/tokens.ts'
import { readPage } from '../../src/server/http/page.ts'
import { until } from '../wait.ts'
import { temporaryFolder } from './folder.ts'
import { served } from './served.ts'
import { setUpApp, transportTo } from './setup.ts'

const GIGABYTE = 1_000_000_000

interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** As it stands on the wire: no client corrects the path, the host or the length. */
function ask(
  address: string,
  path: string,
  options: {
    readonly method?: string
    readonly headers?: Record<string, string>
    /** Called until the answer is there, or it gives no more. */
    readonly body?: () => Uint8Array | undefined
  } = {},
): Promise<Answered & { readonly sentBytes: number }> {
  const { hostname, port } = new URL(address)
  const { method = 'GET', headers = {}, body } = options
  let sentBytes = 0
  return new Promise((resolve, reject) => {
    let isAnswered = false
    const asking = request({ hostname, port, path, method, headers }, (response) => {
      isAnswered = true
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => {
        asking.destroy()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, sentBytes })
      })
    })
    asking.on('error', (error) => {
      if (!isAnswered) reject(error)
    })
    const send = () => {
      const piece = isAnswered ? undefined : body?.()
      // Where more was promised than comes, the request stays open: the answer does not wait for it.
      if (!piece) return 'content-length' in headers ? undefined : void asking.end()
      sentBytes += piece.length
      if (asking.write(piece)) setImmediate(send)
      else asking.once('drain', send)
    }
    if (body) {
      asking.flushHeaders()
      send()
    } else asking.end()
  })
}

function expectProblem(answer: Answered, status: number, code: string): void {
  expect(answer.status).toBe(status)
  expect(problemSchema.parse(JSON.parse(answer.text))).toMatchObject({
    code,
    status,
    hint: expect.stringMatching(/\w/), // what to do about it
  })
}

describe('who asks', () => {
  it('is refused without a token, with a wrong one, and for a thread of another', async () => {
    const { app, home } = await setUpApp({ hasTokens: true })
    const ada = await addToken(home, 'ada', 'ada')
    const bob = await addToken(home, 'bob', 'bob')
    const address = await served(app)
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    await until('the token to count', async () => {
      return (await ask(address, '/api', bearer(bob))).status === 200
    })
    expectProblem(await ask(address, '/api/threads'), 401, 'auth-failed')
    expectProblem(await ask(address, '/api/threads', bearer('precis_no')), 401, 'auth-failed')
    for (const path of ['/%61pi/threads', '//api/threads', '/api//threads', '/API/threads'])
      expect([401, 404], path).toContain((await ask(address, path)).status)
    const mine = createClient(transportTo((asked) => fetch(asked), address, ada))
    const { threadId } = await mine.createThread()
    const path = `/api/threads/${threadId}`
    expect((await ask(address, path, bearer(ada))).status).toBe(200)
    expectProblem(await ask(address, path, bearer(bob)), 404, 'unknown-thread')
    expectProblem(await ask(address, `${path}/stream`, bearer(bob)), 404, 'unknown-thread')
  })

  it('is refused from a page of another origin, and under a name that is not its own', async () => {
    const { app } = await setUpApp()
    const address = await served(app)
    const { port } = new URL(address)
    const rows = [
      { origin: 'https://evil.example' },
      { origin: `http://localhost:${Number(port) + 1}` },
      { 'sec-fetch-site': 'cross-site' },
      { host: 'evil.example' },
      { host: `evil.example:${port}` }, // a name that was bent to the loopback
    ]
    for (const headers of rows) {
      expectProblem(await ask(address, '/api/threads', { headers }), 403, 'forbidden')
      const write = { method: 'POST', headers }
      expectProblem(await ask(address, '/api/threads', write), 403, 'forbidden')
    }
    expect(JSON.parse((await ask(address, '/api/threads')).text)).toEqual({ items: [] })
  })

  it('is answered by nothing that a browser would run or share', async () => {
    const { app } = await setUpApp()
    const { headers } = await ask(await served(app), '/api')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('paths outside', () => {
  const PATHS = [
    '/../package.json',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '//secret.txt',
    '/..\\secret.txt',
    '/assets/',
    '/assets',
    '/secret.txt%00.html',
    '/constructor',
  ]
  it('lead to no file, though it lies beside the page', async () => {
    const folder = temporaryFolder()
    const web = join(folder, 'web')
    mkdirSync(join(web, 'assets'), { recursive: true })
    writeFileSync(join(folder, 'secret.txt'), 'a secret')
    writeFileSync(join(web, 'index.html'), '<!doctype html><title>page</title>')
    const { app } = await setUpApp({ page: readPage(web) })
    const address = await served(app)
    for (const path of PATHS) {
      const { status, text } = await ask(address, path)
      expect([400, 404], path).toContain(status)
      expect(text, path).not.toContain('a secret')
    }
    expect((await ask(address, '/')).text).toContain('<title>page</title>')
  })

  it('are no folders for threads, and no completions', async () => {
    const { app, folder } = await setUpApp()
    const address = await served(app)
    const client = createClient(transportTo((asked) => fetch(asked), address))
    for (const workspace of ['/', '/etc', `${folder}/..`, '..'])
      await expect(client.createThread({ workspace })).rejects.toMatchObject({ code: 'forbidden' })
    const { threadId } = await client.createThread({ workspace: folder })
    for (const typed of ['../', '/etc/', '~/', 'a/../../b'])
      await expect(client.files(threadId, typed)).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

describe('a body of a gigabyte', () => {
  const piece = new Uint8Array(64_000).fill(32)

  it('that is declared is refused before it comes', async () => {
    const { app, client } = await setUpApp()
    const { threadId } = await client.createThread()
    const address = await served(app)
    for (const path of [`/api/threads/${threadId}/messages`, '/api/threads/import']) {
      const headers = {
        'content-type': 'application/json',
        'content-length': String(GIGABYTE),
        expect: '100-continue', // what a client that waits would send
      }
      const answer = await ask(address, path, { method: 'POST', headers, body: () => undefined })
      expectProblem(answer, 413, 'payload-too-large')
      expect(answer.sentBytes).toBe(0)
    }
  })

  it('that comes without a length is refused when it has become too long', async () => {
    const limits = { bodyBytes: 1_000_000, uploadBytes: 3_000_000 }
    const { app, client } = await setUpApp({ limits })
    const { threadId } = await client.createThread()
    const address = await served(app)
    const before = process.memoryUsage().rss
    for (const path of [`/api/threads/${threadId}/messages`, '/api/threads/import']) {
      let left = GIGABYTE
      const body = () => {
        left -= piece.length
        return left > 0 ? piece : undefined
      }
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
      const answer = await ask(address, path, { method: 'POST', headers, body })
      expectProblem(answer, 413, 'payload-too-large')
      expect(answer.sentBytes).toBeLessThan(GIGABYTE / 2)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
    expect((await client.threads()).items).toHaveLength(1)
  })

  it('is not waited for when too many others are read in', async () => {
    const { app } = await setUpApp({ limits: { uploadsAtOnce: 1 } })
    const address = await served(app)
    const slow = request({ ...hostOf(address), path: '/api/threads/import', method: 'POST' })
    slow.on('error', () => undefined)
    slow.write('{')
    let answer = await ask(address, '/api/threads/import', { method: 'POST' })
    for (; answer.status !== 503; )
      answer = await ask(address, '/api/threads/import', { method: 'POST' })
    expectProblem(answer, 503, 'overloaded')
    slow.destroy()
    for (; answer.status === 503; )
      answer = await ask(address, '/api/threads/import', { method: 'POST' })
    expectProblem(answer, 422, 'invalid-input') // it is empty, and that is all
  })
})

function hostOf(address: string) {
  const { hostname, port } = new URL(address)
  return { hostname, port }
}
