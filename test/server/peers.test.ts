// Two apps on one store, as two processes have them: each sees what the other does, and is heard by it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { compose } from '../../src/compose.ts'
import { composeApp } from '../../src/compose-app.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { openStore } from '../../src/stores/index.ts'
import { MODEL } from '../agent/host.ts'
import { Door, longPast } from '../agent/past.ts'
import { answer, user } from '../say.ts'
import { BASE_URL, followUntil, isFrame, transportTo } from './setup.ts'

async function setUpPeers(options: DevModelOptions = {}) {
  const dev = await startDevModel(options)
  const folder = mkdtempSync(join(tmpdir(), 'precis-peers-'))
  const settings = resolveSettings([
    {
      origin: 'flag',
      where: 'the test',
      values: { models: { default: MODEL }, providers: { anthropic: { baseUrl: dev.url } } },
    },
  ])
  const environment = { ANTHROPIC_API_KEY: 'test-key-of-nobody' }
  const store = await openStore(`sqlite:${join(folder, 'threads.db')}`)
  const open = () => {
    const home = compose({ store, settings: settings.settings, environment })
    const composed = composeApp(home, {
      settings,
      environment,
      version: '0.0.0',
      hasPeers: true,
      agent: { workspace: folder },
    })
    const { fetch } = composed.app
    const client = createClient(transportTo(fetch, BASE_URL))
    const post = (path: string, key: string, body: object = {}) =>
      fetch(
        new Request(`${BASE_URL}/api${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(body),
        }),
      )
    return { client, post, close: composed.close, threads: home.threads }
  }
  const [here, there] = [open(), open()]
  onTestFinished(async () => {
    await Promise.all([here.close(), there.close()])
    await store.close()
    await dev.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { here, there, dev, store }
}

describe('two processes on one store', () => {
  it('show a turn of the other while it runs, and that it is over', async () => {
    const door = new Door()
    const { here, there } = await setUpPeers({
      script: async () => {
        await door.pass()
        return { text: 'At last.' }
      },
    })
    const thread = await here.client.createThread()
    const { threadId } = thread
    const begun = followUntil(there.client, thread, isFrame('turn-start'))
    const ended = followUntil(there.client, thread, isFrame('turn-end'))
    await here.client.send(threadId, 'Go')
    await door.reached
    await begun
    expect(await there.client.thread(threadId)).toMatchObject({ isWorking: true })
    door.open()
    const items = await ended
    // It comes behind everything that the turn has stored.
    expect(items.at(-1)).toMatchObject({ frame: { end: 'done' } })
    expect(items.at(-2)).toMatchObject({ kind: 'event', event: { type: 'AGENT_MESSAGE' } })
    expect(await there.client.thread(threadId)).toMatchObject({ isWorking: false })
  })

  it('ask there, too, whether a tool may run, and hear the answer', async () => {
    const { here, there } = await setUpPeers({
      script: [
        { calls: [{ name: 'write', arguments: { path: 'new.txt', content: 'x' } }] },
        { text: 'Done.' },
      ],
    })
    const thread = await here.client.createThread()
    const { threadId } = thread
    const asked = followUntil(there.client, thread, isFrame('approval-request'))
    const ended = followUntil(there.client, thread, isFrame('turn-end'))
    await here.client.send(threadId, 'Write it')
    await asked
    const [approval] = (await there.client.thread(threadId)).approvals
    expect(approval).toMatchObject({ name: 'write', subject: 'new.txt' })
    await there.client.decide(threadId, approval?.callId ?? '', 'allow')
    await ended
    expect((await there.client.thread(threadId)).approvals).toEqual([])
    const events = await there.client.events(threadId)
    expect(events.find(({ type }) => type === 'TOOL_RESULT')).toMatchObject({
      data: { status: 'completed' },
    })
  })

  it('do a write with the same key once, whichever is asked', async () => {
    const { here, there, store } = await setUpPeers()
    const first = await here.post('/threads', 'key-1', { title: 'Once' })
    const again = await there.post('/threads', 'key-1', { title: 'Once' })
    expect(again.status).toBe(201)
    expect(await again.json()).toEqual(await first.json())
    expect((await there.post('/threads', 'key-1', { title: 'Other' })).status).toBe(409)
    // At the same time, too.
    const both = await Promise.all(
      [here, there, here, there].map(({ post }) => post('/threads', 'key-2', { title: 'Twice' })),
    )
    const ids = await Promise.all(
      both.map(async (each) => ((await each.json()) as { session: object }).session),
    )
    expect(new Set(ids.map((each) => JSON.stringify(each))).size).toBe(1)
    const { items } = await here.client.threads()
    expect(items.map(({ title }) => title).toSorted()).toEqual(['Once', 'Twice'])
    // What failed may be tried again, also there.
    expect((await here.post('/threads/none/fork', 'key-3')).status).toBe(404)
    expect((await there.post('/threads/none/fork', 'key-3')).status).toBe(404)
    const threadIds = (await store.list()).items.map(({ threadId }) => threadId)
    expect(threadIds.filter((id) => id.startsWith('sys_answers')).length).toBe(1)
  })

  it('forget the answers of an hour that is long over, and keep no more than three logs of them', async () => {
    const { here, there, store } = await setUpPeers()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const threadIds: string[] = []
    for (let hour = 0; hour < 5; hour += 1) {
      vi.setSystemTime(Date.UTC(2030, 0, 1, hour, 30))
      const { session } = (await (await here.post('/threads', 'the-key')).json()) as {
        session: { threadId: string }
      }
      threadIds.push(session.threadId)
      await there.post('/threads', `another-${hour}`)
    }
    // The process itself remembers: only another one shows what the store does.
    expect(new Set(threadIds).size).toBe(1)
    const { session } = (await (await there.post('/threads', 'the-key')).json()) as {
      session: { threadId: string }
    }
    expect(threadIds).not.toContain(session.threadId)
    const all = (await store.list({ limit: 1_000 })).items
    const logs = all.filter(({ threadId }) => threadId.startsWith('sys_answers'))
    expect(logs.length).toBe(3)
    for (const { version } of logs) expect(version).toBeLessThan(6)
  })

  it('apply a preview that the other has made, once', async () => {
    const { here, there } = await setUpPeers()
    const { threadId } = await here.client.createThread({ preset: 'log' })
    await here.threads.append(threadId, [...longPast(20_000), user('And now?'), ...answer('Yes.')])
    const { previewId, strategy } = await here.client.preview(threadId, {
      strategy: 'trim-tool-results',
    })
    const outcome = await there.client.applyPreview(threadId, previewId)
    expect(outcome).toMatchObject({ ok: true, compaction: { strategy } })
    await expect(there.client.applyPreview(threadId, previewId)).rejects.toMatchObject({
      code: 'not-found',
    })
    // Whoever has made it still has it, and the gate lets nothing pass twice.
    expect(await here.client.applyPreview(threadId, previewId)).toMatchObject({
      ok: false,
      compaction: { error: { details: { reason: 'stale' } } },
    })
    await there.client.undo(threadId)
    const dropped = await here.client.preview(threadId, { strategy: 'trim-tool-results' })
    await there.client.dropPreview(threadId, dropped.previewId)
    await expect(here.client.applyPreview(threadId, dropped.previewId)).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
