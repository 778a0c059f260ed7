// Every question that an interface has, through the real client: in this process, and over HTTP on the loopback.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PrecisError } from '../../src/core/errors.ts'
import { PROTOCOL_VERSION, type StreamItem } from '../../src/protocol/client.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { longPast } from '../agent/past.ts'
import { served } from './served.ts'
import {
  type AppSetupOptions,
  converse,
  followUntil,
  isFrame,
  setUpApp,
  transportTo,
} from './setup.ts'

async function inProcess(options?: AppSetupOptions) {
  return setUpApp(options)
}
async function overHttp(options?: AppSetupOptions) {
  const setup = await setUpApp(options)
  const baseUrl = await served(setup.app)
  return { ...setup, client: createClient(transportTo((request) => fetch(request), baseUrl)) }
}
const WAYS = [
  ['in process', inProcess],
  ['over HTTP', overHttp],
] as const

describe.each(WAYS)('the client %s', (_way, setUp) => {
  it('shakes hands, and says what there is', async () => {
    const { client } = await setUp()
    const hello = await client.hello()
    expect(hello).toMatchObject({ protocol: PROTOCOL_VERSION, defaultModel: 'anthropic/stand-in' })
    expect(hello.presets).toContain('chat')
    expect(hello.strategies).toContain('fresh-session')
    expect(hello.formats.written).toContain('markdown')
    const models = await client.models()
    expect(models).toContainEqual({ ref: 'dev', isConfigured: true })
    expect(models.find(({ ref }) => ref === 'anthropic/stand-in')).toMatchObject({
      isConfigured: true,
      windowTokens: 200_000,
    })
    expect(models.find(({ ref }) => ref.startsWith('openai/'))?.isConfigured).toBe(false)
    const settings = await client.settings()
    expect(settings).toContainEqual({ key: 'gate.minTokens', value: 1000, origin: 'default' })
  })

  it('begins, lists, finds, changes, forks and deletes threads', async () => {
    const { client, folder } = await setUp()
    const first = await client.createThread({ title: 'The parser', preset: 'log' })
    expect(first).toMatchObject({ title: 'The parser', preset: 'log', workspace: folder })
    expect(first).toMatchObject({ isWorking: false, isCompacting: false, queued: 0, approvals: [] })
    const second = await client.createThread()
    await converse(client, second.threadId, 'Tell me about the lexer')
    const page = await client.threads({ limit: 1 })
    expect(page.items.map(({ title }) => title)).toEqual(['Tell me about the lexer'])
    const { next = '' } = page
    const rest = await client.threads({ limit: 5, after: next })
    expect(rest.items.map(({ title }) => title)).toEqual(['The parser'])
    expect(rest.next).toBeUndefined()
    const found = await client.threads({ search: 'PARSER the' })
    expect(found.items.map(({ threadId }) => threadId)).toEqual([first.threadId])
    expect(found.items[0]?.createdAt).toBeInstanceOf(Date)

    const changed = await client.change(first.threadId, {
      model: 'dev',
      thinking: 'high',
      preset: 'fold',
      strategy: 'summarize',
    })
    expect(changed).toMatchObject({
      model: 'dev/dev',
      thinking: 'high',
      preset: 'fold',
      strategy: 'summarize',
    })
    const fork = await client.fork(second.threadId)
    expect(fork).toMatchObject({ reason: 'fork', title: 'Tell me about the lexer' })
    expect(fork.parent).toMatchObject({ threadId: second.threadId })
    await client.deleteThread(first.threadId)
    await expect(client.thread(first.threadId)).rejects.toMatchObject({ code: 'unknown-thread' })
  })

  it('says something, and follows what becomes of it in order', async () => {
    const { client } = await setUp()
    const thread = await client.createThread()
    const following = followUntil(client, thread, isFrame('turn-end'))
    expect(await client.send(thread.threadId, 'Hello there')).toEqual({ status: 'started' })
    const items = await following
    expect(items.map(nameOf).filter((name, at, all) => name !== all[at - 1])).toEqual([
      'turn-start',
      'USER_MESSAGE',
      'text-delta',
      'AGENT_MESSAGE',
      'answer-end',
      'reading',
      'turn-end',
    ])
    const events = await client.events(thread.threadId, { from: thread.version + 1 })
    const followed = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []))
    expect(followed).toEqual(events)
    expect(events[0]?.timestamp).toBeInstanceOf(Date)
    const after = await client.thread(thread.threadId)
    expect(after.billed.totalTokens).toBeGreaterThan(0)
    expect(after.costUsd).toBeGreaterThan(0)
    expect(after.context.by).toBe('measured')
  })

  it('answers a command with its reply', async () => {
    const { client } = await setUp()
    const { threadId } = await client.createThread()
    const reply = await client.send(threadId, '/strategy')
    expect(reply).toMatchObject({ status: 'command', command: 'strategy', ok: true })
    const wrong = await client.send(threadId, '/undo')
    expect(wrong).toMatchObject({ status: 'command', ok: false })
  })

  it('queues what is said meanwhile, stops, and goes on', async () => {
    const { client, dev } = await setUp({ dev: { pieceDelayMs: 40 } })
    const thread = await client.createThread()
    const { threadId } = thread
    dev.script([{ text: 'word '.repeat(400) }])
    const stopped = followUntil(client, thread, isFrame('turn-end'))
    await client.send(threadId, 'Talk for long')
    expect(await client.thread(threadId)).toMatchObject({ isWorking: true })
    expect(await client.send(threadId, 'And then this')).toMatchObject({ status: 'queued' })
    expect(await client.thread(threadId)).toMatchObject({ queued: 1 })
    await client.abort(threadId)
    const names = (await stopped).map(nameOf)
    expect(names).toContain('message-queued')
    expect(names).toContain('messages-returned')
    const after = await client.thread(threadId)
    expect(after).toMatchObject({ isWorking: false, queued: 0 })
    const resumed = followUntil(client, after, isFrame('turn-end'))
    await client.resume(threadId)
    expect((await resumed).map(nameOf)).toContain('AGENT_MESSAGE')
  })

  it('allows and denies what a tool wants to do', async () => {
    const { client, folder } = await setUp()
    const thread = await client.createThread()
    const { threadId } = thread
    for (const decision of ['deny', 'allow'] as const) {
      const before = await client.thread(threadId)
      const asked = followUntil(client, before, isFrame('approval-request'))
      const ended = followUntil(client, before, isFrame('turn-end'))
      await client.send(threadId, `write ${decision}.txt: hello`)
      await asked
      const [approval] = (await client.thread(threadId)).approvals
      expect(approval).toMatchObject({ name: 'write', subject: `${decision}.txt` })
      await client.decide(threadId, approval?.callId ?? '', decision)
      const results = (await ended).flatMap((item) =>
        item.kind === 'event' && item.event.type === 'TOOL_RESULT' ? [item.event.data.status] : [],
      )
      expect(results).toEqual([decision === 'allow' ? 'completed' : 'denied'])
    }
    await expect(client.decide(threadId, 'no-call', 'allow')).rejects.toMatchObject({
      code: 'not-found',
    })
    expect(await client.files(threadId, 'allow')).toEqual(['allow.txt'])
    expect(readFileSync(join(folder, 'allow.txt'), 'utf8')).toBe('hello\n')
  })

  it('compacts, shows the difference and the report, takes it back and brings it back', async () => {
    const { client, home } = await setUp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(20_000))
    const outcome = await client.compact(threadId, { strategy: 'trim-tool-results' })
    expect(outcome).toMatchObject({ command: 'compact', ok: true })
    const { event } = outcome.compaction ?? {}
    expect(event?.type).toBe('COMPACTION')
    expect(event?.timestamp).toBeInstanceOf(Date)
    const compaction = event?.seq ?? 0
    const diff = await client.diff(threadId, compaction)
    expect(diff.before.filter(({ state }) => state === 'removed')).toHaveLength(1)
    expect(diff.after.filter(({ state }) => state === 'added')).toHaveLength(1)
    expect(diff.before.filter(({ state }) => state === 'kept').length).toBe(
      diff.after.filter(({ state }) => state === 'kept').length,
    )
    expect(diff.unified).toMatch(/^-.*a line of output/m)
    expect((await client.report(threadId, compaction)).text).toContain('trim-tool-results')
    const smaller = (await client.thread(threadId)).context.tokens ?? 0
    await client.undo(threadId, compaction)
    expect((await client.thread(threadId)).context.tokens).toBeGreaterThan(smaller + 10_000)
    await client.redo(threadId)
    expect((await client.thread(threadId)).context.tokens).toBe(smaller)
    await expect(client.diff(threadId, 1)).rejects.toMatchObject({ code: 'not-found' })
    await expect(client.redo(threadId)).rejects.toMatchObject({ code: 'nothing-to-redo' })
  })

  it('previews a compaction, changes its words, applies it once', async () => {
    const { client, home } = await setUp({ values: { preset: 'log' } })
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, [...longPast(8_000), ...longPast(8_000, 'more')])
    const before = await client.thread(threadId)
    const preview = await client.preview(threadId, { strategy: 'summarize' })
    expect(preview.after.tokens).toBeLessThan(preview.before.tokens ?? 0)
    expect(preview.report).toContain('summarize')
    expect((await client.thread(threadId)).version).toBe(before.version)
    const editable = preview.texts.find(({ isEditable }) => isEditable)
    const words = `${editable?.text}\nAnd the port is 4711.`
    const texts = { [editable?.key ?? '']: words }
    const outcome = await client.applyPreview(threadId, preview.previewId, texts)
    expect(outcome).toMatchObject({
      ok: true,
      compaction: { strategy: 'summarize', end: 'committed' },
    })
    const view = await home.threads.messages(threadId)
    expect(JSON.stringify(view.messages)).toContain('And the port is 4711.')
    await expect(client.applyPreview(threadId, preview.previewId)).rejects.toMatchObject({
      code: 'not-found',
    })
    const dropped = await client.preview(threadId, { strategy: 'trim-tool-results' })
    await client.dropPreview(threadId, dropped.previewId)
    await expect(client.dropPreview(threadId, dropped.previewId)).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('says that there was nothing to do, and commits nothing by that', async () => {
    const { client, home } = await setUp({ values: { preset: 'precis' } })
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(300))
    const { ok, text, compaction } = await client.compact(threadId, { strategy: 'cascade' })
    expect({ ok, end: compaction?.end }).toEqual({ ok: true, end: 'nothing' })
    expect(text).toMatch(/^Nothing was compacted: /)
    expect(compaction).toMatchObject({ success: true, tokensSaved: 0 })
  })

  it('pins, recalls, and draws the window', async () => {
    const { client, home } = await setUp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(5_000, 'harbour'))
    const pin = await client.pin(threadId, 'The port is 4711.')
    expect(await client.pins(threadId)).toEqual([pin])
    await client.unpin(threadId, pin.pinId)
    expect(await client.pins(threadId)).toEqual([])
    const { hits, text } = await client.recall(threadId, { query: 'harbour' })
    expect(hits[0]?.timestamp).toBeInstanceOf(Date)
    expect(text).toContain(`[ref:${hits[0]?.ref}]`)
    const whole = await client.recall(threadId, { ref: hits[0]?.ref ?? '' })
    expect(whole.text).toContain('harbour')
    const { categories, context, largest } = await client.contextPicture(threadId)
    const sum = categories.reduce((tokens, each) => tokens + each.tokens, 0)
    expect(sum).toBe(context.limit)
    expect(categories.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['system', 'user', 'tool results', 'free']),
    )
    expect(largest[0]?.tokens).toBeGreaterThan(4_000)
  })

  it('writes a thread in a format and reads it again', async () => {
    const { client } = await setUp()
    const { threadId } = await client.createThread({ title: 'Out and in' })
    await converse(client, threadId, 'My key is sk-ant-REDACTED, hello')
    const markdown = await client.exportThread(threadId, 'markdown')
    expect(markdown).toContain('hello')
    expect(markdown).not.toContain('abcdefghijklmnopqrstuvwxyz0123456789')
    const session = await client.exportThread(threadId, 'claude-code')
    const imported = await client.importThread(session)
    expect(imported).toMatchObject({ reason: 'import' })
    expect(imported.threadId).not.toBe(threadId)
    const said = (await client.events(imported.threadId)).filter(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said).toHaveLength(1)
    await expect(client.exportThread(threadId, 'morse')).rejects.toMatchObject({
      code: 'unknown-format',
    })
    await expect(client.importThread('nothing like a session')).rejects.toBeInstanceOf(PrecisError)
  })

  it('completes paths of the folder, and none outside', async () => {
    const { client, folder } = await setUp()
    mkdirSync(join(folder, 'src'))
    for (const name of ['src/parse.ts', 'README.md', 'src/unparse.ts'])
      writeFileSync(join(folder, name), '')
    const { threadId } = await client.createThread()
    expect(await client.files(threadId, 'src/p')).toEqual(['src/parse.ts'])
    expect(await client.files(threadId, 'parse')).toEqual(['src/parse.ts', 'src/unparse.ts'])
    for (const typed of ['/etc', '../', '~/'])
      await expect(client.files(threadId, typed)).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

function nameOf(item: StreamItem): string {
  if (item.kind === 'reconnected' || item.kind === 'waiting') return item.kind
  return item.kind === 'event' ? item.event.type : item.frame.type
}
