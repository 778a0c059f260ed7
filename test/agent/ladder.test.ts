// The presets of précis in the real agent: the ladder compacts by itself, offline, and says what it did.
import { describe, expect, it } from 'vitest'
import { renderReport } from '../../src/core/edit/report-text.ts'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { answer, result, user } from '../say.ts'
import { runsIn, textOf } from './past.ts'
import { setUpAgent } from './setup.ts'

const WINDOW_TOKENS = 16_000

function work(rounds: number, tokensEach: number) {
  return [
    user('Go through all of it.'),
    ...Array.from({ length: rounds }, (_, at) => [
      ...answer(`Part ${at}.`, `part${at}`),
      result(`part${at}`, textOf(tokensEach, `part ${at} says that much, and no more\n`)),
    ]).flat(),
    ...answer('Read.'),
  ]
}

describe('in the preset precis', () => {
  it('a full window is compacted without a model, to half of it, tools and all [NEED-08]', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent({
      preset: 'precis',
      windowTokens: WINDOW_TOKENS,
    })
    await threads.import(threadId, work(14, 1_000))
    dev.script(() => ({ text: 'Done.' }))
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    const [run, ...more] = runsIn(frames)
    expect(more).toEqual([])
    expect(run).toMatchObject({ strategy: 'cascade', trigger: 'auto', success: true })
    // No other request than the one of the turn, and what the provider counted for that.
    expect(dev.requests).toHaveLength(1)
    const { tokens = Number.NaN, by } = await threads.reading(threadId)
    expect(by).toBe('measured')
    expect(tokens).toBeLessThanOrEqual(WINDOW_TOKENS / 2)
    expect(tokens).toBeGreaterThan(WINDOW_TOKENS / 4)
  })

  it('says what it took out, why, and under which settings', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent({
      preset: 'precis',
      windowTokens: WINDOW_TOKENS,
    })
    await threads.import(threadId, work(14, 1_000))
    dev.script(() => ({ text: 'Done.' }))
    await agent.sendMessage(threadId, 'go')
    const [run] = runsIn(frames)
    const report = run?.report
    expect(report).toMatchObject({
      strategyId: 'cascade',
      settings: { preset: 'precis', windowTokens: WINDOW_TOKENS, threshold: 0.8, targetRatio: 0.5 },
    })
    expect(report?.drops.length).toBeGreaterThan(0)
    expect(report?.before.total).toBe(run?.before?.tokens)
    expect(report?.after.total).toBe(run?.after?.tokens)
    expect(report && renderReport(report)).toContain('Removed')
  })

  it('falls back to `extract`, and says so', async () => {
    const { agent, threadId, threads, frames } = await setUpAgent({ preset: 'precis' })
    await threads.import(threadId, work(10, 1_000))
    const failing: Strategy = {
      id: 'brief',
      propose: async () => {
        throw new TypeError('no summary today')
      },
    }
    threads.register(failing)
    expect(await agent.compact(threadId)).toMatchObject({ success: true, strategy: 'extract' })
    const [run] = runsIn(frames)
    expect(run?.report?.fallback).toEqual({ from: 'brief', reason: 'no summary today' })
  })

  it('pins what the user said that binds, with the compaction', async () => {
    const { agent, threadId, threads } = await setUpAgent({
      preset: 'precis',
      windowTokens: WINDOW_TOKENS,
    })
    await threads.append(threadId, [user('By the way, never push to main.'), ...answer('Fine.')])
    await threads.import(threadId, work(8, 1_000))
    expect((await agent.compact(threadId, { strategy: 'cascade' })).success).toBe(true)
    expect(await threads.pins(threadId)).toMatchObject([
      { text: 'By the way, never push to main.', by: 'detected' },
    ])
  })

  it.each(['cascade', 'extract'])(
    'whoever asks for %s gets it, also where the window has room',
    async (strategy) => {
      const { agent, threadId, threads } = await setUpAgent({ preset: 'precis' })
      await threads.import(threadId, work(10, 1_000))
      const { event, before, after } = await agent.compact(threadId, { strategy })
      expect(event?.data.edits.length).toBeGreaterThan(0)
      expect(after?.tokens).toBeLessThanOrEqual((before?.tokens ?? 0) / 2)
    },
  )

  it.each(['cascade', 'extract'])(
    '/compact by %s says that what is small already stays as it is',
    async (strategy) => {
      const { agent, threadId, threads } = await setUpAgent({ preset: 'precis' })
      await threads.import(threadId, work(1, 500))
      await agent.sendMessage(threadId, `/strategy ${strategy}`)
      expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({
        reply: {
          ok: true,
          text: expect.stringMatching(
            new RegExp(
              `^Nothing was compacted: ${strategy} left the context as it was: what can be compacted \\(\\d+ tokens\\) is within its target of 2,\\d{3}\\. /strategy summarize, then /compact`,
            ),
          ),
        },
      })
    },
  )

  it('a command compacts to what the window wants, and below that as far as the strategy likes', async () => {
    const { agent, threadId, threads } = await setUpAgent({ preset: 'log', windowTokens: 20_000 })
    const targets: (number | undefined)[] = []
    const propose: Strategy['propose'] = async ({ targetTokens }) => {
      targets.push(targetTokens)
      return { edits: [] }
    }
    threads.register({ id: 'looking', propose })
    await threads.import(threadId, work(4, 1_000))
    await agent.compact(threadId, { strategy: 'looking' })
    await threads.import(threadId, work(10, 1_000))
    await agent.compact(threadId, { strategy: 'looking' })
    const [below, above = 0] = targets
    expect(below).toBeUndefined()
    // Half of the window, without the tools.
    expect(above).toBeGreaterThan(7_500)
    expect(above).toBeLessThan(9_500)
  })

  it('a preview goes down the ladder, and ends with what the last rung says', async () => {
    const { agent, threadId, threads, events, frames } = await setUpAgent({ preset: 'log' })
    await threads.import(threadId, work(4, 1_000))
    const before = await events()
    const fail = (id: string, code: 'model-failed' | 'aborted') =>
      threads.register({
        id,
        propose: async () => {
          throw new PrecisError(code, `${id} cannot.`)
        },
      })
    fail('ai-summarize', 'model-failed')
    const preview = await agent.preview(threadId)
    expect(preview.prepared.strategyId).toBe('trim-tool-results')
    expect(preview.change?.edits.length).toBeGreaterThan(0)
    fail('ai-summarize', 'aborted')
    await expect(agent.preview(threadId)).rejects.toMatchObject({ message: 'ai-summarize cannot.' })
    fail('ai-summarize', 'model-failed')
    fail('trim-tool-results', 'model-failed')
    await expect(agent.preview(threadId)).rejects.toMatchObject({
      ...{ code: 'model-failed', message: 'trim-tool-results cannot.' },
    })
    expect([await events(), frames]).toEqual([before, []])
  })

  it('a strategy that nobody knows is told, and no other runs in its place', async () => {
    const { agent, threadId, threads, eventsOf } = await setUpAgent({ preset: 'precis' })
    await threads.import(threadId, work(4, 500))
    const result = await agent.compact(threadId, { strategy: 'nope' })
    expect(result.error?.code).toBe('unknown-strategy')
    expect(await eventsOf('COMPACTION')).toEqual([])
  })
})
