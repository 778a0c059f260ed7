// Whose threads are whose: on every route, in lists, and for whatever comes of a thread.
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/protocol/client.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { addToken } from '../../src/server/accounts/tokens.ts'
import { until } from '../wait.ts'
import { operationsOf } from './operations.ts'
import { type AppSetup, BASE_URL, converse, setUpApp, transportTo } from './setup.ts'

interface Team extends AppSetup {
  readonly ada: Client
  readonly bob: Client
  readonly local: Client
  readonly tokens: Record<'ada' | 'bob', string>
}

async function setUpTeam(): Promise<Team> {
  const { setup, tokens } = await withTokens()
  const clientOf = (token: string) => createClient(transportTo(setup.app.fetch, BASE_URL, token))
  const local = clientOf(await addToken(setup.home, 'me', 'local'))
  const [ada, bob] = [clientOf(tokens.ada), clientOf(tokens.bob)]
  await until('the last token to count', () => local.hello().catch(() => undefined))
  return { ...setup, ada, bob, local, tokens }
}

async function withTokens() {
  const setup = await setUpApp({ hasTokens: true })
  const [ada, bob] = [
    await addToken(setup.home, 'ada', 'ada'),
    await addToken(setup.home, 'bob', 'bob'),
  ]
  return { setup, tokens: { ada, bob } }
}

async function titles(client: Client, search?: string): Promise<string[]> {
  const { items } = await client.threads(search === undefined ? {} : { search })
  return items.map(({ title }) => title).toSorted()
}

describe('threads of several owners', () => {
  it('are listed and found only by their own', async () => {
    const { ada, bob, local, home } = await setUpTeam()
    await ada.createThread({ title: 'engine of Ada' })
    await bob.createThread({ title: 'engine of Bob' })
    await home.threads.create({ title: 'engine of this machine' })
    for (const search of [undefined, 'engine']) {
      expect(await titles(ada, search)).toEqual(['engine of Ada'])
      expect(await titles(bob, search)).toEqual(['engine of Bob'])
      expect(await titles(local, search)).toEqual(['engine of this machine'])
    }
    expect(await titles(ada, 'Bob')).toEqual([])
  })

  it('are paged through without a gap, whoever else has threads between', async () => {
    const { ada, bob } = await setUpTeam()
    for (let at = 0; at < 12; at += 1) {
      await (at % 3 === 0 ? ada : bob).createThread({ title: `thread ${at}` })
    }
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await bob.threads({ limit: 3, ...(after !== undefined && { after }) })
      expect(page.items.length).toBeLessThanOrEqual(3)
      seen.push(...page.items.map(({ title }) => title))
      after = page.next
    } while (after !== undefined)
    expect(seen).toEqual([11, 10, 8, 7, 5, 4, 2, 1].map((at) => `thread ${at}`))
  })

  it('are answered to others like threads that are not there, on every route', async () => {
    const { ada, bob, ask, tokens } = await setUpTeam()
    const { threadId, version } = await ada.createThread({ title: 'private' })
    const about = (await operationsOf(ask, tokens.bob)).filter(({ path }) =>
      path.includes('{threadId}'),
    )
    expect(about.length).toBeGreaterThan(20)
    const answerOf = async (id: string, { method, path }: (typeof about)[number]) => {
      const url = path.replace('{threadId}', id).replaceAll(/\{\w+\}/g, '7')
      const headers = { authorization: `Bearer ${tokens.bob}`, 'content-type': 'application/json' }
      const init = method === 'GET' ? {} : { body: '{}' }
      const response = await ask(url, { method, headers, ...init })
      return { status: response.status, text: (await response.text()).replaceAll(id, 'ID') }
    }
    for (const operation of about) {
      const where = `${operation.method} ${operation.path}`
      const others = await answerOf(threadId, operation)
      expect(others.status, where).toBe(404)
      expect(others, where).toEqual(await answerOf('thr_none', operation))
    }
    expect((await ada.thread(threadId)).version).toBe(version)
    await expect(bob.thread(threadId)).rejects.toMatchObject({ code: 'unknown-thread' })
  })

  it('hand their owner on: to forks and fresh sessions; imports have that of whoever sends them', async () => {
    const { ada, bob, home } = await setUpTeam()
    const { threadId } = await ada.createThread({ title: 'first', preset: 'chat' })
    await converse(ada, threadId, 'Hello')
    const fork = await ada.fork(threadId)
    const upload = await ada.importThread(JSON.stringify([{ role: 'user', content: 'Imported' }]))
    const reply = await ada.send(threadId, '/compact')
    const fresh = reply.status === 'command' ? (reply.threadId ?? '') : ''
    expect(fresh).toMatch(/^thr_/)
    for (const id of [fork.threadId, upload.threadId, fresh]) {
      await expect(ada.thread(id)).resolves.toBeDefined()
      await expect(bob.thread(id)).rejects.toMatchObject({ code: 'unknown-thread' })
    }
    // Also where that from which it came is gone.
    await ada.deleteThread(threadId)
    await expect(ada.thread(fresh)).resolves.toBeDefined()
    await expect(bob.thread(fresh)).rejects.toMatchObject({ code: 'unknown-thread' })
    const [first] = await home.store.read(fresh, { limit: 1 })
    expect(first?.data).toMatchObject({ owner: 'ada', reason: 'fresh-session' })
  })

  it('do not share the answers to repeated writes', async () => {
    const { ask, tokens, ada, bob } = await setUpTeam()
    for (const token of [tokens.ada, tokens.bob]) {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'the same',
      }
      await ask('/threads', { method: 'POST', headers, body: '{"title":"one"}' })
    }
    expect(await titles(ada)).toEqual(['one'])
    expect(await titles(bob)).toEqual(['one'])
  })

  it('leave out what servers keep for themselves, also where nobody is told apart', async () => {
    const { client, home, ask } = await setUpApp()
    await addToken(home, 'ada', 'ada')
    await client.createThread({ title: 'mine' })
    expect(await titles(client)).toEqual(['mine'])
    for (const path of ['', '/events', '/stream', '/export?format=markdown'])
      expect((await ask(`/threads/sys_tokens${path}`)).status).toBe(404)
    expect((await ask('/threads/sys_tokens', { method: 'DELETE' })).status).toBe(404)
    expect((await ask('/threads/sys_tokens/fork', { method: 'POST' })).status).toBe(404)
    expect(await home.store.info('sys_tokens')).toBeDefined()
  })
})
