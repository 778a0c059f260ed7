// What a thread answers about itself: its usage as the LOG design has it, beside what interfaces draw.
import { describe, expect, it } from 'vitest'
import { sessionResponseSchema } from '../../src/protocol/schemas.ts'
import { MODEL } from '../agent/host.ts'
import { longPast } from '../agent/past.ts'
import { converse, setUpApp } from './setup.ts'

describe('GET /api/threads/:id', () => {
  it('answers the session and its token usage, over what getEvents() gives [LOG-74, LOG-75]', async () => {
    const { client, ask, home } = await setUpApp({ windowTokens: 12_000 })
    const { threadId } = await client.createThread()
    await converse(client, threadId, 'Hello')
    await converse(client, threadId, 'Hello again')
    const response = await ask(`/threads/${threadId}`)
    const { session, tokenUsage, context } = sessionResponseSchema.parse(await response.json())
    expect(session).toMatchObject({ threadId, title: 'Hello' })
    const answers = (await home.threads.getEvents(threadId)).flatMap((event) =>
      event.type === 'AGENT_MESSAGE' && event.data.tokenUsage ? [event.data.tokenUsage] : [],
    )
    expect(answers).toHaveLength(2)
    const sum = (field: 'promptTokens' | 'completionTokens') =>
      answers.reduce((total, usage) => total + usage[field], 0)
    const total = sum('promptTokens') + sum('completionTokens')
    expect(tokenUsage).toEqual({
      totalPromptTokens: sum('promptTokens'),
      totalCompletionTokens: sum('completionTokens'),
      totalTokens: total,
      percentUsed: Math.round((total / 12_000) * 10_000) / 100,
      nearLimit: total > 9_600,
    })
    const last = answers.at(-1)
    expect(context).toMatchObject({ limit: 12_000, by: 'measured' })
    expect(context.tokens).toBe((last?.promptTokens ?? 0) + (last?.completionTokens ?? 0))
  })

  it('is answered where the usage cannot be computed [LOG-76]', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(9_000))
    const { ok, text } = await client.compact(threadId, { strategy: 'trim-tool-results' })
    expect(ok, text).toBe(true)
    const { getEvents } = home.threads
    Object.assign(home.threads, { getEvents: () => Promise.reject(new Error('no')) })
    const thread = await client.thread(threadId)
    Object.assign(home.threads, { getEvents })
    expect(thread.tokenUsage).toBeUndefined()
    expect(thread.context.tokens).toBeGreaterThan(0)
    expect((await client.thread(threadId)).tokenUsage).toMatchObject({ totalTokens: 0 })
  })

  it('counts what waits, without what a fresh session has taken along', async () => {
    const { client, home } = await setUpApp()
    const { threadId, version } = await client.createThread()
    const waiting = (messageId: string) =>
      ({ type: 'MESSAGE_QUEUED', data: { messageId, content: 'later' } }) as const
    await home.threads.append(threadId, [waiting('m1'), waiting('m2')])
    expect((await client.thread(threadId)).queued).toBe(2)
    const from = { threadId, seq: version + 2 }
    const fresh = await home.threads.create({ from, reason: 'fresh-session' }, [waiting('m1')])
    expect((await client.thread(threadId)).queued).toBe(1)
    expect((await client.thread(fresh)).queued).toBe(1)
  })

  it('is answered where the model cannot be had, without a limit [LOG-76]', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    const data = { model: 'nobody/nothing' } as const
    await home.threads.append(threadId, [{ type: 'MODEL_CHANGED', data }])
    const thread = await client.thread(threadId)
    expect(thread.model).toBe('nobody/nothing')
    expect(thread.tokenUsage).toBeUndefined()
    expect(thread.context.limit).toBeUndefined()
  })

  it('counts what was billed, and what it cost, also beyond a compaction', async () => {
    const { client, home } = await setUpApp({ values: { preset: 'log' } })
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(9_000))
    await converse(client, threadId, 'Hello')
    const before = await client.thread(threadId)
    await client.send(threadId, '/compact')
    const after = await client.thread(threadId)
    expect(after.billed.totalTokens).toBeGreaterThan(before.billed.totalTokens)
    expect(after.costUsd).toBeGreaterThan(before.costUsd ?? 0)
    const { promptTokens, completionTokens } = after.billed
    // 1 dollar and 10 dollars for a million, as the catalogue of the test has it.
    expect(after.costUsd).toBeCloseTo((promptTokens + 10 * completionTokens) / 1e6, 9)
    expect(after.context.by).toBe('estimated')
    expect(after.context.tokens).toBeLessThan(before.context.tokens ?? 0)
  })

  it('prices a summary by the model that was asked for it', async () => {
    const fast = 'anthropic/claude-small'
    const sizes = { windowTokens: 200_000, outputTokens: 1_000 }
    const { client, home } = await setUpApp({
      values: {
        models: { default: MODEL, fast },
        catalogue: {
          [MODEL]: { ...sizes, price: { input: 1, output: 10 } },
          [fast]: { ...sizes, price: { input: 1000, output: 1000 } },
        },
      },
    })
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, longPast(90_000))
    await converse(client, threadId, 'Hello')
    const { costUsd: before = 0 } = await client.thread(threadId)
    const { ok, compaction } = await client.compact(threadId, { strategy: 'keep-recent' })
    expect({ ok, model: compaction?.usage?.model }).toEqual({ ok: true, model: fast })
    const paid = ((compaction?.usage?.totalTokens ?? 0) * 1000) / 1e6
    expect(compaction?.costUsd).toBeCloseTo(paid, 9)
    expect((await client.thread(threadId)).costUsd).toBeCloseTo(before + paid, 9)
  })

  it('says whether there is a compaction to take back, or to bring back', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    const possible = async () => {
      const { canUndo, canRedo } = await client.thread(threadId)
      return { canUndo, canRedo }
    }
    expect(await possible()).toEqual({ canUndo: false, canRedo: false })
    await client.compact(threadId, { strategy: 'extract' }) // there is nothing to take out
    expect(await possible()).toEqual({ canUndo: false, canRedo: false })
    await home.threads.append(threadId, longPast(9_000))
    await client.compact(threadId, { strategy: 'summarize' })
    expect(await possible()).toEqual({ canUndo: true, canRedo: false })
    const next = async () => (await client.thread(threadId)).undoes
    expect(await next()).toBe('compaction by summarize')
    const gone = (await client.places(threadId)).find(({ by }) => by !== undefined)?.ref
    await client.send(threadId, `/expand ${gone}`)
    expect(await next()).toBe(`bring back of ${gone}`)
    await client.undo(threadId)
    expect(await next()).toBe('compaction by summarize')
    await client.undo(threadId)
    expect(await next()).toBeUndefined()
    expect(await possible()).toMatchObject({ canRedo: true })
  })

  it('is answered by the model of this server, whatever another tool used before its import', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    const recorded = { type: 'MODEL_CHANGED', data: { model: 'openai/gpt-none' } } as const
    await home.threads.append(threadId, [{ ...recorded, source: { format: 'codex' } }])
    expect((await client.thread(threadId)).model).toBe(MODEL)
    await converse(client, threadId, 'Hello')
    const answers = (await home.threads.getEvents(threadId)).flatMap((event) =>
      event.type === 'AGENT_MESSAGE' ? [event.data.model] : [],
    )
    expect(answers).toEqual([MODEL])
  })

  it('calls a fresh session what it goes on with', async () => {
    const { client } = await setUpApp()
    const { threadId } = await client.createThread({ title: 'The parser', preset: 'fresh' })
    await converse(client, threadId, 'Hello')
    const outcome = await client.compact(threadId)
    const fresh = await client.thread(outcome.threadId ?? '')
    expect(fresh).toMatchObject({ title: 'The parser', reason: 'fresh-session', preset: 'fresh' })
    expect(fresh.parent?.threadId).toBe(threadId)
  })
})

describe('POST /api/threads', () => {
  it('puts the rules of the folder into the system part, where the host trusts them', async () => {
    const rules = 'Rules of the project: tabs only.'
    const { client, dev, home, folder } = await setUpApp({
      rules: (workspace) => (workspace === folder ? rules : undefined),
    })
    const { threadId } = await client.createThread()
    await converse(client, threadId, 'Hello')
    expect(JSON.stringify(Object(dev.requests.at(-1)?.body).system)).toContain(rules)
    await home.threads.append(threadId, longPast(9_000))
    await client.compact(threadId, { strategy: 'extract' })
    const { system, messages } = await home.threads.messages(threadId)
    expect(system.at(-1)).toBe(rules)
    expect(JSON.stringify(messages)).not.toContain(rules)
  })
})
