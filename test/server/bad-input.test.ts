// Every route with input that makes no sense, found in the description that the app gives of itself.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PrecisError } from '../../src/core/errors.ts'
import { problemSchema } from '../../src/protocol/schemas.ts'
import { within } from '../wait.ts'
import { documentOf, operationsOf } from './operations.ts'
import { setUpApp } from './setup.ts'

const json = (body: string): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body,
})

async function expectProblem(response: Response, status: number, where: string): Promise<void> {
  expect(response.status, where).toBe(status)
  expect(response.headers.get('content-type'), where).toBe('application/problem+json')
  const problem = problemSchema.parse(await response.json())
  expect(problem.detail, where).not.toBe('')
  // Whoever sends what makes no sense is told what would.
  if (status !== 404) expect(problem.hint, where).toMatch(/\w/)
}

describe('every route', () => {
  it('is described, with its problems', async () => {
    const setup = await setUpApp()
    const document = await documentOf(setup.ask)
    expect(document.openapi).toBe('3.1.0')
    const routes = (await operationsOf(setup.ask)).map(
      ({ method, path }) => `${method} /api${path}`,
    )
    const page = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| `([A-Z]+ \/api\S*)` \|/gm)].map(([, route]) => route)
    expect(listed.toSorted()).toEqual(routes.toSorted())
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        expect(responses).toHaveProperty('default')
    // What is named is there.
    const text = JSON.stringify(document)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(document.components.schemas).toHaveProperty(name)
  })

  it('says that there is no such thread', async () => {
    const setup = await setUpApp()
    const bodies: Record<string, object> = {
      '/threads/{threadId}/messages': { content: 'Hello' },
      '/threads/{threadId}/pins': { text: 'Hello' },
      '/threads/{threadId}/approvals/{callId}': { decision: 'allow' },
    }
    const queries: Record<string, string> = {
      '/threads/{threadId}/recall': '?query=x',
      '/threads/{threadId}/export': '?format=markdown',
    }
    const about = (await operationsOf(setup.ask)).filter(({ path }) => path.includes('{threadId}'))
    expect(about.length).toBeGreaterThan(20)
    for (const { method, path, hasBody } of about) {
      const url = path.replace('{threadId}', 'thr_none').replaceAll(/\{\w+\}/g, '7')
      const body = hasBody ? json(JSON.stringify(bodies[path] ?? {})) : {}
      const response = await setup.ask(`${url}${queries[path] ?? ''}`, { method, ...body })
      await expectProblem(response, 404, `${method} ${path}`)
    }
  })

  it('refuses a body that is no JSON, no object, or has a field that nobody knows', async () => {
    const setup = await setUpApp()
    const { threadId } = await setup.client.createThread()
    const before = (await setup.client.thread(threadId)).version
    const withBody = (await operationsOf(setup.ask)).filter(({ hasBody }) => hasBody)
    expect(withBody.length).toBeGreaterThan(8)
    const rows = [
      [json('{'), 400],
      [json('[]'), 422],
      [json('null'), 422],
      [json('"text"'), 422],
      [json('{"nobody-knows": 1}'), 422],
      [{ headers: { 'content-type': 'text/plain' }, body: '{}' }, 400],
    ] as const
    for (const { method, path } of withBody) {
      const url = path.replace('{threadId}', threadId).replaceAll(/\{\w+\}/g, '7')
      for (const [init, status] of rows)
        await expectProblem(await setup.ask(url, { method, ...init }), status, `${method} ${path}`)
    }
    expect((await setup.client.thread(threadId)).version).toBe(before)
  })

  it('refuses a question that nobody knows, or asks twice', async () => {
    const setup = await setUpApp()
    const { threadId } = await setup.client.createThread()
    const asking = (await operationsOf(setup.ask)).filter(({ query }) => query.length > 0)
    expect(asking.length).toBeGreaterThan(5)
    for (const { method, path, query } of asking) {
      const url = path.replace('{threadId}', threadId)
      const [name = ''] = query
      for (const asked of ['nobody-knows=1', `${name}=1&${name}=2`])
        await expectProblem(
          await setup.ask(`${url}?${asked}`, { method }),
          422,
          `${method} ${path}?${asked}`,
        )
    }
  })

  const VALUES: readonly (readonly [string, string, object | undefined])[] = [
    ['POST', '/threads', { title: 7 }],
    ['POST', '/threads', { preset: 'no-such' }],
    ['POST', '/threads', { workspace: '' }],
    ['PATCH', '/threads/ID', { thinking: 'a lot' }],
    ['PATCH', '/threads/ID', { preset: 'no-such' }],
    ['POST', '/threads/ID/messages', {}],
    ['POST', '/threads/ID/messages', { content: '' }],
    ['POST', '/threads/ID/messages', { content: [] }],
    [
      'POST',
      '/threads/ID/messages',
      { content: [{ type: 'thinking', thinking: 'x', model: 'a/b' }] },
    ],
    ['POST', '/threads/ID/messages', { content: [{ type: 'tool_call', callId: 'c1' }] }],
    ['POST', '/threads/ID/approvals/c1', { decision: 'maybe' }],
    ['POST', '/threads/ID/compactions', { instructions: 7 }],
    ['POST', '/threads/ID/undo', { compaction: -1 }],
    ['POST', '/threads/ID/fork', { seq: 1.5 }],
    ['POST', '/threads/ID/pins', { text: ' ' }],
    ['GET', '/threads?limit=0', undefined],
    ['GET', '/threads?limit=many', undefined],
    ['GET', '/threads/ID/events?from=0', undefined],
    ['GET', '/threads/ID/events?limit=1e9', undefined],
    ['GET', '/threads/ID/recall', undefined],
    ['GET', '/threads/ID/recall?query=a&ref=e1', undefined],
    ['GET', '/threads/ID/compactions/x/diff', undefined],
    ['GET', '/threads/ID/export', undefined],
    ['GET', '/threads/ID/export?format=morse', undefined],
    ['GET', '/threads/ID/files?typed=../', undefined],
    ['POST', '/threads/import?format=morse', undefined],
    ['GET', `/threads/${'x'.repeat(300)}`, undefined],
  ]
  it('refuses values that make no sense, and nothing happens', async () => {
    const { ask, client } = await setUpApp()
    const { threadId } = await client.createThread()
    for (const [method, path, body] of VALUES) {
      const init = body ? json(JSON.stringify(body)) : {}
      const where = `${method} ${path} ${JSON.stringify(body)}`
      await expectProblem(await ask(path.replace('ID', threadId), { method, ...init }), 422, where)
    }
    expect((await client.thread(threadId)).version).toBe(3)
  })

  const MISSING: readonly (readonly [string, string, object | undefined])[] = [
    ['POST', '/threads/ID/compactions', { strategy: 'no-such' }],
    ['PATCH', '/threads/ID', { strategy: 'no-such' }],
    ['PATCH', '/threads/ID', { model: 'nobody/nothing' }],
    ['DELETE', '/threads/ID/pins/pin_none', undefined],
    ['DELETE', '/threads/ID/previews/prv_none', undefined],
    ['POST', '/threads/ID/previews/prv_none/apply', {}],
    ['POST', '/threads/ID/approvals/c1', { decision: 'allow' }],
    ['GET', '/threads/ID/recall?ref=e99', undefined],
    ['GET', '/threads/ID/recall?ref=nothing', undefined],
    ['GET', '/threads/ID/compactions/99/report', undefined],
    ['GET', '/nothing', undefined],
    ['PUT', '/threads/ID', {}],
  ]
  it('says what is not there, and nothing happens', async () => {
    const { ask, client } = await setUpApp()
    const { threadId } = await client.createThread()
    for (const [method, path, body] of MISSING) {
      const init = body ? json(JSON.stringify(body)) : {}
      const where = `${method} ${path} ${JSON.stringify(body)}`
      await expectProblem(await ask(path.replace('ID', threadId), { method, ...init }), 404, where)
    }
    expect((await client.thread(threadId)).version).toBe(3)
  })

  it('leaves no thread behind where an import fails in its middle', async () => {
    const { client } = await setUpApp()
    const line = JSON.stringify({
      type: 'user',
      uuid: 'a',
      sessionId: 's',
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: 'Hello' },
    })
    const files = [
      ['codex', `${line}\n`.repeat(3)],
      ['anthropic', '{"messages": [{"role": "user", "content": "Hello"}, {"role": '],
      ['claude-code', ''],
      [undefined, '\u0000\u0001'],
    ] as const
    for (const [format, file] of files)
      await expect(client.importThread(file, format ? { format } : {})).rejects.toBeInstanceOf(
        PrecisError,
      )
    expect((await client.threads()).items).toEqual([])
    expect(await client.importThread(`${line}\n`)).toMatchObject({ title: 'Hello' })
  })

  it('tells nothing of the inside of a bug', async () => {
    const { ask, home } = await setUpApp()
    const warned = within('a warning', once(process, 'warning'))
    Object.assign(home.store, { list: () => Promise.reject(new Error('secret inside')) })
    const response = await ask('/threads')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret inside')
    expect(String(await warned)).toContain('secret inside')
  })
})
