// The sessions of this machine through a server: listed, opened, followed while somebody looks, and for its owner alone.
import { appendFileSync, cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Client, StreamItem } from '../../src/protocol/client.ts'
import { within } from '../wait.ts'
import { temporaryFolder } from './folder.ts'
import { startServe, writeHome } from './serve-child.ts'
import { followUntil } from './setup.ts'

const CLAUDE = '.claude/projects/-kettle/5a3c9e10-0000-4000-8000-000000000001.jsonl'
const CODEX = '.codex/sessions/2026/03/rollout-c0de0000-0000-4000-8000-000000000001.jsonl'
const SESSION = '5a3c9e10-0000-4000-8000-000000000001'

function homeWithSessions(): string {
  const folder = temporaryFolder()
  writeHome(folder, 'http://127.0.0.1:9')
  put(folder, CODEX, 'codex', '2026-03-02T10:00:00Z')
  put(folder, CLAUDE, 'claude-code', '2026-03-03T10:00:00Z')
  return folder
}

function put(folder: string, name: string, from: string, at: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  cpSync(fileURLToPath(new URL(`../../samples/sessions/${from}.jsonl`, import.meta.url)), path)
  utimesSync(path, new Date(at), new Date(at))
}

async function serveHome(folder: string, ...args: string[]) {
  const child = await startServe(folder, args)
  onTestFinished(async () => {
    if (child.process.exitCode === null) await child.end('SIGKILL')
  })
  return child
}

/** A message as Claude Code writes it, behind the record of that id. */
function said(uuid: string, text: string, parentUuid = 'a8'): string {
  const timestamp = '2026-03-01T10:00:00.000Z'
  const head = { parentUuid, isSidechain: false, userType: 'external', cwd: '/kettle' }
  const message = { role: 'user', content: text }
  return `${JSON.stringify({ ...head, sessionId: SESSION, type: 'user', uuid, timestamp, message })}\n`
}

const isSaid = (text: string) => (item: StreamItem) =>
  item.kind === 'event' && item.event.type === 'USER_MESSAGE' && item.event.data === text

async function status(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => 'answered',
    (thrown: { readonly code?: string }) => thrown.code,
  )
}

const both = async (client: Client) => [
  await status(client.sessions()),
  await status(client.openSession('anything')),
]

it('lists the sessions newest first, finds words in them, and imports only what is new', async () => {
  const folder = homeWithSessions()
  writeFileSync(join(folder, dirname(CLAUDE), 'empty.jsonl'), '')
  const { client } = await serveHome(folder)
  expect(await client.hello()).toMatchObject({ hasSessions: true })
  const { items, total } = await client.sessions()
  expect(items.map(({ agent }) => agent)).toEqual(['claude-code', 'codex'])
  expect(total).toBe(2)
  expect(items[0]).toMatchObject({
    project: '/kettle',
    title: expect.stringContaining('Why does the kettle controller overshoot?'),
    updatedAt: new Date('2026-03-03T10:00:00Z'),
  })
  expect(JSON.stringify(items)).not.toContain(folder)
  expect(await client.sessions({ search: 'KETTLE heat.ts' })).toEqual({
    items: [items[0]],
    total: 1,
  })
  expect(await client.sessions({ search: 'no such words' })).toEqual({ items: [], total: 0 })
  expect(await client.sessions({ limit: 1 })).toEqual({ items: [items[0]], total: 2 })

  const id = items[0]?.id ?? ''
  const thread = await client.openSession(id)
  expect(thread).toMatchObject({
    title: expect.stringContaining('kettle'),
    file: { agent: 'claude-code', state: 'followed' },
    importedAt: expect.any(Date),
  })
  expect((await client.openSession(id)).threadId).toBe(thread.threadId)
  appendFileSync(join(folder, CLAUDE), said('u9', 'And the lid?'))
  const grown = await client.openSession(id)
  expect(grown).toMatchObject({ threadId: thread.threadId, version: thread.version + 1 })
  const again = await client.sessions()
  expect(again.items.map(({ threadId }) => threadId)).toEqual([thread.threadId, undefined])
  expect(await status(client.openSession('/etc/passwd'))).toBe('not-found')
})

it('counts all sessions that have the words, also behind the limit', async () => {
  const folder = homeWithSessions()
  put(folder, CODEX.replace('c0de', 'd0de'), 'codex', '2026-03-01T10:00:00Z')
  const { client } = await serveHome(folder)
  const found = await client.sessions({ search: '/kettle', limit: 1 })
  expect(found).toMatchObject({ items: [{ agent: 'claude-code' }], total: 3 })
  expect(found.isPartial).toBeUndefined()
})

it('adds what the agent writes while somebody follows the thread, never half a line', async () => {
  const folder = homeWithSessions()
  const { client } = await serveHome(folder)
  const { items } = await client.sessions({ search: 'claude-code' })
  const thread = await client.openSession(items[0]?.id ?? '')
  const { items: threads } = await client.threads()
  const connected = Promise.withResolvers<void>()
  const first = followUntil(client, thread, isSaid('And the lid?'), connected.resolve)
  await within('the stream', connected.promise)
  const next = said('u10', 'And the base?', 'u9')
  appendFileSync(join(folder, CLAUDE), said('u9', 'And the lid?') + next.slice(0, 40))
  await first
  const second = followUntil(client, thread, isSaid('And the base?'), () =>
    appendFileSync(join(folder, CLAUDE), next.slice(40)),
  )
  const events = (await second).filter(({ kind }) => kind === 'event')
  expect(events).toHaveLength(2)
  expect((await client.threads()).items).toHaveLength(threads.length)
})

it('says that a thread in which somebody went on here has parted from its file', async () => {
  const folder = homeWithSessions()
  const { client } = await serveHome(folder, '--model', 'dev')
  const { items } = await client.sessions({ search: 'claude-code' })
  const { threadId } = await client.openSession(items[0]?.id ?? '')
  const connected = Promise.withResolvers<void>()
  const before = await client.thread(threadId)
  const ended = followUntil(
    client,
    before,
    (item) => item.kind === 'frame' && item.frame.type === 'turn-end',
    connected.resolve,
  )
  await within('the stream', connected.promise)
  await client.send(threadId, 'Something of my own')
  await ended
  appendFileSync(join(folder, CLAUDE), said('u9', 'And the lid?'))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const { version } = await client.thread(threadId)
  const follow = client.follow(threadId, version, stop.signal)[Symbol.asyncIterator]()
  follow.next().catch(() => undefined)
  await expect
    .poll(async () => (await client.thread(threadId)).file, { timeout: 20_000 })
    .toEqual({ agent: 'claude-code', state: 'parted' })
  expect((await client.thread(threadId)).version).toBe(version)
  // Opened again, the session is a thread of its own.
  const fresh = await client.openSession(items[0]?.id ?? '')
  expect(fresh.threadId).not.toBe(threadId)
})

it('refuses everybody but the owner of the machine, and team servers altogether', async () => {
  const folder = homeWithSessions()
  const { url, headers, clientWith } = await serveHome(folder)
  const ask = (more: Readonly<Record<string, string>>) =>
    fetch(`${url}/api/machine/sessions`, { headers: { ...headers, ...more } })
  expect((await ask({})).status).toBe(200)
  expect((await ask({ authorization: '' })).status).toBe(401)
  expect((await ask({ 'x-forwarded-for': '10.0.0.1' })).status).toBe(403)
  expect(await both(clientWith('precis_none'))).toEqual(['auth-failed', 'auth-failed'])

  const open = await serveHome(homeWithSessions(), '--no-token')
  expect(await both(open.client)).toEqual(['forbidden', 'forbidden'])
  expect(await open.client.hello()).not.toHaveProperty('hasSessions')
})
