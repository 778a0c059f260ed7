// Previews of compactions: looked at, changed, applied through the gate, or refused because time has passed.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { longPast } from '../agent/past.ts'
import { user } from '../say.ts'
import { until } from '../wait.ts'
import type { AppSetup } from './setup.ts'
import { converse, followUntil, isFrame, setUpApp } from './setup.ts'

async function withPast({ client, home }: AppSetup, preset: string): Promise<string> {
  const { threadId } = await client.createThread({ preset })
  await home.threads.append(threadId, [...longPast(8_000), ...longPast(8_000, 'more')])
  return threadId
}

describe('a preview', () => {
  it('puts each result beside its own note, where several stand beside each other', async () => {
    const { client } = await setUpApp()
    const sample = await readFile('samples/session.jsonl', 'utf8')
    const { threadId } = await client.importThread(sample)
    const { previewId } = await client.preview(threadId, { strategy: 'cascade' })
    const { before, after, changes } = await client.previewDiff(threadId, previewId)
    const named = (refs: readonly string[], side: typeof before) =>
      side.filter(({ ref }) => refs.includes(ref))
    const reads = changes.filter(
      ({ removed }) => removed.includes('e13') || removed.includes('e14'),
    )
    expect(reads.map(({ removed }) => removed)).toEqual([['e13'], ['e14']])
    for (const { removed, added } of changes) {
      expect(added).toHaveLength(1)
      const [was, is] = [named(removed, before), named(added, after)]
      expect(was.map(({ role }) => role)).toEqual(is.map(({ role }) => role))
      expect(is[0]?.text).toContain(`ref:${removed[0]}`)
    }
  })

  it('of what covers what changed since is refused as stale, and nothing happens', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const threadId = await withPast(setup, 'log')
    const preview = await client.preview(threadId, { strategy: 'trim-tool-results' })
    await client.compact(threadId, { strategy: 'trim-tool-results' })
    const { version } = await client.thread(threadId)
    const outcome = await client.applyPreview(threadId, preview.previewId)
    expect(outcome).toMatchObject({ ok: false, compaction: { end: 'refused' } })
    expect(outcome.compaction?.error?.details).toEqual({ reason: 'stale' })
    const events = await client.events(threadId, { from: version + 1 })
    expect(events.map(({ type }) => type)).toEqual(['COMPACTION_FAILED'])
  })

  it('is applied to what it saw, where the conversation went on', async () => {
    const setup = await setUpApp()
    const { client, home } = setup
    const threadId = await withPast(setup, 'log')
    const preview = await client.preview(threadId, { strategy: 'trim-tool-results' })
    await home.threads.append(threadId, [user('One more thing')])
    expect(await client.applyPreview(threadId, preview.previewId)).toMatchObject({ ok: true })
    const { messages } = await home.threads.messages(threadId)
    expect(JSON.stringify(messages)).toContain('One more thing')
  })

  it('has its start and its end in the stream when it is applied, and none before', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const threadId = await withPast(setup, 'log')
    const following = followUntil(
      client,
      await client.thread(threadId),
      isFrame('COMPACTION_COMPLETE'),
    )
    const preview = await client.preview(threadId, { strategy: 'trim-tool-results' })
    await client.applyPreview(threadId, preview.previewId)
    const frames = (await following).flatMap((item) => (item.kind === 'frame' ? [item.frame] : []))
    const starts = frames.filter(({ type }) => type === 'COMPACTION_START')
    expect(starts).toMatchObject([{ strategy: 'trim-tool-results', trigger: 'command' }])
  })

  it('of a fresh session can be changed, and opens it with these words', async () => {
    const setup = await setUpApp()
    const { client, home } = setup
    const { threadId } = await client.createThread({ preset: 'chat' })
    await converse(client, threadId, 'Hello')
    const { version } = await client.thread(threadId)
    const preview = await client.preview(threadId)
    expect(preview).toMatchObject({ strategy: 'fresh-session', texts: [{ isEditable: true }] })
    const [text] = preview.texts
    const texts = { [text?.key ?? '']: 'We said hello, and the port is 4711.' }
    const outcome = await client.applyPreview(threadId, preview.previewId, texts)
    expect(outcome).toMatchObject({ ok: true, compaction: { strategy: 'fresh-session' } })
    const { messages } = await home.threads.messages(outcome.threadId ?? '')
    expect(JSON.stringify(messages)).toContain(
      '<summary>\\nWe said hello, and the port is 4711.\\n</summary>',
    )
    expect((await client.thread(threadId)).version).toBe(version)
  })

  it('of a fresh session is stale once something was said', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const { threadId } = await client.createThread({ preset: 'chat' })
    await converse(client, threadId, 'Hello')
    const preview = await client.preview(threadId)
    await converse(client, threadId, 'Something that must not be lost')
    const outcome = await client.applyPreview(threadId, preview.previewId)
    expect(outcome).toMatchObject({ ok: false })
    expect(outcome.compaction?.error?.details).toEqual({ reason: 'stale' })
    expect((await client.threads()).items).toHaveLength(1)
  })

  it('where the agent itself compacts shows what it would write', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const threadId = await withPast(setup, 'whole')
    const preview = await client.preview(threadId)
    expect(preview.strategy).toBe('whole-summary')
    expect(await client.applyPreview(threadId, preview.previewId)).toMatchObject({
      ok: true,
      compaction: { strategy: 'whole-summary' },
    })
  })

  it('takes no text that is not its own, none of a tool, and none that is empty', async () => {
    const setup = await setUpApp()
    const { client } = setup
    const threadId = await withPast(setup, 'log')
    const trimmed = await client.preview(threadId, { strategy: 'trim-tool-results' })
    const [result] = trimmed.texts
    expect(result).toMatchObject({ label: 'trimmed', isEditable: false })
    const summary = await client.preview(threadId, { strategy: 'summarize' })
    const own = summary.texts.find(({ isEditable }) => isEditable)?.key ?? ''
    const rows = [
      [trimmed.previewId, { [result?.key ?? '']: 'other words' }],
      [trimmed.previewId, { 'no-such-key': 'words' }],
      [summary.previewId, { [own]: ' \n ' }],
    ] as const
    for (const [previewId, texts] of rows)
      await expect(client.applyPreview(threadId, previewId, texts)).rejects.toMatchObject({
        code: 'invalid-input',
      })
    // They were not used up by that.
    expect(await client.applyPreview(threadId, summary.previewId)).toMatchObject({ ok: true })
  })

  it('is of one thread, and the oldest are forgotten', async () => {
    const setup = await setUpApp({ limits: { previews: 2 } })
    const { client } = setup
    const threadId = await withPast(setup, 'log')
    const other = await client.createThread()
    const make = () => client.preview(threadId, { strategy: 'trim-tool-results' })
    const first = await make()
    const second = await make()
    const gone = { code: 'not-found' }
    await expect(client.applyPreview(other.threadId, second.previewId)).rejects.toMatchObject(gone)
    // The process keeps two of them, the thread eight.
    for (let more = 0; more < 8; more += 1) await make()
    await expect(client.applyPreview(threadId, first.previewId)).rejects.toMatchObject(gone)
  })

  it('says why there is none: too short, no such strategy, an unknown thread', async () => {
    const { client } = await setUpApp()
    const { threadId } = await client.createThread({ preset: 'chat' })
    await expect(client.preview(threadId)).rejects.toThrow(
      'Nothing to compact (need at least one exchange)',
    )
    await expect(client.preview(threadId, { strategy: 'no-such' })).rejects.toMatchObject({
      code: 'unknown-strategy',
    })
    await expect(client.preview('thr_none')).rejects.toMatchObject({ code: 'unknown-thread' })
  })

  it('ends with the thread being aborted', async () => {
    const { client, dev, home } = await setUpApp()
    const { threadId } = await client.createThread({ preset: 'chat' })
    await home.threads.append(threadId, longPast(5_000))
    dev.fail({ kind: 'stall', times: 1 })
    const waiting = client.preview(threadId)
    waiting.catch(() => undefined)
    await until('a request to the model', () => dev.requests.length > 0)
    await client.abort(threadId)
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  })
})
