// Hostile callers: bodies that would take all memory or all time are refused, and others are answered meanwhile.
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../server/folder.ts'
import { operationsOf } from '../server/operations.ts'
import { type ServeChild, startServe, writeHome } from '../server/serve-child.ts'
import { setUpApp } from '../server/setup.ts'

const many = (item: string, times: number) => Array<string>(times).fill(item).join(',')
const MILLION = 1_000_000

/** Each is small beside what a server takes, and large when it is parsed or checked. */
const BODIES: Readonly<Record<string, () => string>> = {
  numbers: () => `{"content":[${many('1', MILLION)}]}`,
  objects: () => `{"content":[${many('{}', MILLION)}]}`,
  'a million parts': () => `{"content":[${many('{"type":"text","text":"a"}', MILLION)}]}`,
  'a million fields': () => `{"texts":{${many('"a":"b"', MILLION)}}}`,
  'another field': () => `{"other":[${many('1', MILLION)}]}`,
  'a list': () => `[${many('1', MILLION)}]`,
  'deep lists': () => '['.repeat(MILLION) + ']'.repeat(MILLION),
  'deep objects': () => `${'{"content":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'only opened': () => '['.repeat(MILLION),
  'behind escapes': () => `{"content":"\\\\","other":[${many('"\\""', MILLION)}]}`,
}

const json = { 'content-type': 'application/json' }

describe('a body with too many values', () => {
  it('is refused by every route that takes one', async () => {
    const { client, ask } = await setUpApp()
    const { threadId } = await client.createThread()
    const writing = (await operationsOf(ask)).filter(({ hasBody }) => hasBody)
    expect(writing.length).toBeGreaterThan(8)
    for (const { method, path } of writing) {
      const url = path.replace('{threadId}', threadId).replaceAll(/\{\w+\}/g, '7')
      for (const [name, body] of Object.entries(BODIES)) {
        const response = await ask(url, { method, headers: json, body: body() })
        expect(response.status, `${method} ${path}: ${name}`).toBe(413)
        expect(await response.json()).toMatchObject({ code: 'payload-too-large' })
      }
    }
  })

  it('is refused where its bytes are no text, and nothing is stored', async () => {
    const { client, ask } = await setUpApp()
    const { threadId } = await client.createThread()
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([
        Buffer.from('{"content":"a'),
        Buffer.from(bytes),
        Buffer.from('b"}'),
      ])
      const url = `/threads/${threadId}/messages`
      const response = await ask(url, { method: 'POST', headers: json, body })
      expect(response.status, `${bytes}`).toBe(400)
      expect(await response.json()).toMatchObject({ detail: 'The body is not valid UTF-8.' })
    }
    const types = (await client.events(threadId)).map(({ type }) => type)
    expect(types).not.toContain('USER_MESSAGE')
  })

  it('leaves what people send', async () => {
    const { client, ask } = await setUpApp()
    const { threadId } = await client.createThread()
    const send = (content: unknown) =>
      ask(`/threads/${threadId}/messages`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ content }),
      })
    const part = { type: 'text', text: 'a [list], "quoted", {with} \\ signs, ' }
    expect((await send(Array(1_000).fill(part))).status).toBe(202)
    expect((await send(Array(1_001).fill(part))).status).toBe(422)
    expect((await send('[{,'.repeat(300_000))).status).toBe(202)
    expect((await send('word '.repeat(MILLION))).status).toBe(413)
  })
})

/** Session files that are none, or none that anybody has had. */
const FILES: Readonly<Record<string, () => string>> = {
  'numbers alone': () => `[${many('1', 3 * MILLION)}]`,
  'a message of numbers': () =>
    `{"messages":[{"role":"user","content":[${many('1', 3 * MILLION)}]}]}`,
  'a message of parts': () =>
    `{"messages":[{"role":"user","content":[${many('{"type":"text","text":"a"}', MILLION)}]}]}`,
  'a million messages': () => `{"messages":[${many('{"role":"user","content":"a"}', MILLION)}]}`,
  'deep lists': () => '['.repeat(3 * MILLION),
  'a deep message': () =>
    `{"messages":[{"role":"user","content":${'['.repeat(MILLION)}${']'.repeat(MILLION)}}]}`,
  'empty records': () => '{}\n'.repeat(3 * MILLION),
  'more values than a session has': () => `[${many('1', 30 * MILLION)}]`,
}

const HEAP_MB = 512
const MOST_RESIDENT_KB = 1_000_000
/** Far more than it takes on a slow machine, far less than it took: half a minute, then the end. */
const OTHERS_WAIT_MS = 8_000

describe('a served body that is made to hold up others', () => {
  it('does not: another caller is answered all the while, in a bounded heap', async () => {
    const folder = temporaryFolder()
    writeHome(folder, 'http://127.0.0.1:9')
    const heap = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` }
    const server = await startServe(folder, ['--rate', '1000000'], heap)
    onTestFinished(async () => void (await server.end('SIGKILL')))
    const { threadId } = await server.client.createThread()
    const other = otherCaller(server)
    const post = async (path: string, body: string, type: string) => {
      const headers = { 'content-type': type, ...server.headers }
      try {
        const response = await fetch(`${server.url}/api${path}`, { method: 'POST', headers, body })
        await response.arrayBuffer()
        return response.status
      } catch (thrown) {
        // Refused before all of it was sent: then the connection is closed.
        const { code } = (thrown as Error).cause as NodeJS.ErrnoException
        expect(['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET']).toContain(code)
        return 413
      }
    }
    const largest = `{"content":[${many('1', 15_900_000)}]}`
    const path = `/threads/${threadId}/messages`
    const hostile = [largest, largest, ...Object.values(BODIES).map((body) => body())]
    for (const body of hostile) expect(await post(path, body, json['content-type'])).toBe(413)
    for (const [name, file] of Object.entries(FILES)) {
      const status = await post('/threads/import', file(), 'application/octet-stream')
      expect([413, 422], name).toContain(status)
    }
    const { answered, failed, longestMs } = await other.end()
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(hostile.length)
    expect(longestMs).toBeLessThan(OTHERS_WAIT_MS)
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(MOST_RESIDENT_KB)
  })
})

interface Answered {
  readonly answered: number
  readonly failed: readonly string[]
  readonly longestMs: number
}

/** Asks again and again, in a thread of its own: what the test itself does must not hold it up. */
function otherCaller({ url, headers }: Pick<ServeChild, 'url' | 'headers'>): {
  end(): Promise<Answered>
} {
  const worker = new Worker(CALLER, { eval: true, workerData: { url, headers: { ...headers } } })
  onTestFinished(async () => void (await worker.terminate()))
  return {
    end: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject)
        worker.postMessage('end')
      }),
  }
}

const CALLER = `
const { parentPort, workerData } = require('node:worker_threads')
const told = { answered: 0, failed: [], longestMs: 0 }
let isOver = false
parentPort.once('message', () => { isOver = true })
const ask = async () => {
  while (!isOver) {
    const begun = performance.now()
    try {
      const response = await fetch(workerData.url + '/api/threads', {
        headers: workerData.headers,
        signal: AbortSignal.timeout(30_000),
      })
      await response.arrayBuffer()
      if (response.status === 200) told.answered += 1
      else told.failed.push(String(response.status))
    } catch (thrown) {
      told.failed.push(String(thrown.cause ?? thrown))
    }
    told.longestMs = Math.max(told.longestMs, performance.now() - begun)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  parentPort.postMessage(told)
}
ask()
`
