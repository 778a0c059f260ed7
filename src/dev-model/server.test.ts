// The server itself: what it lets in, what it keeps, and that nothing can hang or kill it.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until, within } from '../../test/wait.ts'
import { type DevModelOptions, startDevModel } from './index.ts'
import { Recorder } from './recorder.ts'

async function start(options: DevModelOptions = {}) {
  const dev = await startDevModel(options)
  onTestFinished(() => dev.close())
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${dev.url}${path}`, {
      method: 'POST',
      body,
      headers: {
        'x-api-key': 'k',
        authorization: 'Bearer k',
        'anthropic-version': '1',
        ...headers,
      },
    })
  return { dev, post }
}

const PATHS = ['/v1/messages', '/v1/chat/completions', '/v1/responses', '/api/chat']

describe.each(PATHS)('%s', (path) => {
  it.each<[string, string, number]>([
    ['no JSON', '{', 400],
    ['no object', '[]', 400],
    ['nothing', '{}', 400],
    ['fields of any type', '{"model":1,"messages":{"a":1},"input":7,"tools":"x","system":9}', 400],
    ['lone halves of characters', '{"model":"\\ud800","messages":"\\udc00"}', 400],
    ['deep nesting', `{"model":"m","messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400],
  ])('answers %s with an error, and lives on', async (_, body, status) => {
    const { post, dev } = await start()
    const answer = await post(path, body)
    expect([400, 500]).toContain(answer.status)
    expect(Math.floor(answer.status / 100)).toBe(Math.floor(status / 100))
    expect(await answer.json()).toHaveProperty('error')
    expect((await fetch(`${dev.url}/api/version`)).status).toBe(200)
  })

  it('answers a body that is too large with 413', async () => {
    const { post } = await start({ maxBodyBytes: 1_000 })
    expect((await post(path, JSON.stringify({ model: 'x'.repeat(2_000) }))).status).toBe(413)
  })

  it('answers 401 without a key, or with a wrong one, where one is asked for', async () => {
    const { dev, post } = await start({ apiKey: 'right' })
    expect((await post(path, '{}')).status).toBe(401)
    expect((await fetch(`${dev.url}${path}`, { method: 'POST', body: '{}' })).status).toBe(401)
    const body = JSON.stringify({ model: 'm' })
    const right = { 'x-api-key': 'right', authorization: 'Bearer right' }
    expect((await post(path, body, right)).status).not.toBe(401)
  })
})

describe('the server', () => {
  it('listens on this machine alone', async () => {
    const elsewhere = startDevModel({ host: '0.0.0.0' })
    await expect(elsewhere).rejects.toMatchObject({ code: 'usage' })
    const { dev } = await start()
    await expect(startDevModel({ port: dev.port })).rejects.toMatchObject({ code: 'usage' })
  })

  it.each([
    ['under another name', { host: 'attacker.example' }],
    ['from a page on the web', { origin: 'https://attacker.example' }],
  ])('answers no request that came %s', async (_, headers) => {
    const { dev } = await start()
    const { hostname, port } = new URL(dev.url)
    const sent = httpRequest({ hostname, port, path: '/api/tags', headers }).end()
    const [response] = await within('an answer', once(sent, 'response'))
    expect(response.resume().statusCode).toBe(403)
  })

  it('outlives a client that goes away in the middle of its request', async () => {
    const { dev } = await start()
    const half = connect(dev.port, '127.0.0.1')
    const closed = new Promise((resolve) => half.on('close', resolve))
    half.write(
      'POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"model"',
      () => half.destroy(),
    )
    await within('the client to be gone', closed)
    await dev.idle()
    expect((await fetch(`${dev.url}/api/version`)).status).toBe(200)
  })

  it('knows no other paths, and says so in the words of whose they are', async () => {
    const { dev, post } = await start()
    expect(await (await post('/v1/messages/batches', '{}')).json()).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    })
    expect(await (await post('/api/pull', '{}')).json()).toEqual({ error: expect.any(String) })
    expect(
      (await fetch(`${dev.url}/v1/embeddings`, { headers: { authorization: 'Bearer k' } })).status,
    ).toBe(404)
  })

  it('tells what failed in a script, and answers 500', async () => {
    const { dev, post } = await start({
      script: () => {
        throw new Error('the script is broken')
      },
    })
    const body = JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 5,
    })
    expect((await post('/v1/messages', body)).status).toBe(500)
    expect(dev.requests[0]).toMatchObject({ outcome: 'refused', failure: 'the script is broken' })
  })

  it('records bodies and a few headers, never a key', async () => {
    const { dev, post } = await start()
    const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
    await post('/v1/chat/completions', JSON.stringify(body), {
      authorization: 'Bearer secret-1',
      'x-api-key': 'secret-2',
      'openai-organization': 'secret-3',
      'anthropic-beta': 'a,b',
    })
    expect(dev.requests).toMatchObject([
      {
        wire: 'openai-chat',
        body,
        headers: { 'anthropic-beta': 'a,b' },
        outcome: 'answered',
        status: 200,
      },
    ])
    expect(JSON.stringify(dev.requests)).not.toContain('secret')
  })

  it('keeps the latest thousand requests', () => {
    const recorder = new Recorder()
    for (let sent = 0; sent < 1_010; sent += 1) {
      recorder.start('ollama', `/${sent}`, new Date(0), {}, { value: {}, chars: 2 })
    }
    expect(recorder.requests).toHaveLength(1_000)
    expect(recorder.requests[0]?.path).toBe('/10')
  })

  it('closes under a request that waits and a connection that says nothing, twice', async () => {
    const { dev, post } = await start()
    dev.fail({ kind: 'stall', ms: 600_000 })
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
    const waiting = post('/v1/chat/completions', body).catch(() => 'ended')
    const silent = connect(dev.port, '127.0.0.1')
    const closed = new Promise((resolve) => silent.on('close', resolve))
    silent.on('error', () => silent.destroy())
    await until('a request to the model', () => dev.requests.length > 0)
    await Promise.all([dev.close(), dev.close()])
    expect(await waiting).toBe('ended')
    await closed
  })
})
