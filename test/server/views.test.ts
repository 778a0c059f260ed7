// A thread as it is drawn: what the model sees of it, what each entry stands for, and its size over time.
import { describe, expect, it } from 'vitest'
import { covered } from '../../src/core/view/refs.ts'
import { HALVING, longPast } from '../agent/past.ts'
import { generateThread } from '../generate/thread.ts'
import { answer, measuredAnswer, system, user } from '../say.ts'
import { setUpApp } from './setup.ts'

describe('the entries of a context', () => {
  it('come in order and in pages, the prompt before all others', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, [
      system('Be brief.'),
      user('one'),
      ...answer('two', 'c1'),
      ...longPast(500),
    ])
    const { items, total } = await client.contextEntries(threadId)
    expect(items).toHaveLength(total)
    expect(items[0]).toMatchObject({ role: 'system', text: 'Be brief.', covers: 1 })
    expect(items[1]).toMatchObject({ role: 'user', text: 'one', covers: 1 })
    expect(items[2]?.text).toMatch(/^two\n.*read/)
    expect(items.every(({ tokens }) => tokens > 0)).toBe(true)
    for (const limit of [1, 2, 3, 1_000])
      for (let from = 0; from <= total + 1; from += 1) {
        const page = await client.contextEntries(threadId, { from, limit })
        expect(page).toEqual({ items: items.slice(from, from + limit), total })
      }
  })

  it('say how many originals they stand for, also summaries of summaries', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    for (let round = 0; round < 4; round += 1) {
      await home.threads.append(threadId, [
        ...longPast(3_000, `a${round}`),
        ...longPast(3_000, `b${round}`),
      ])
      await home.threads.compact(threadId, HALVING)
    }
    const { items } = await client.contextEntries(threadId)
    const [, summary] = items
    expect(summary).toMatchObject({ label: 'summary', text: 'Before that, other things.' })
    const prompt = 1
    expect(items.reduce((sum, { covers }) => sum + covers, 0) - prompt).toBe(4 * 8)
  })

  it('of random threads stand for what the log says', async () => {
    const { client, home } = await setUpApp()
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { log } = generateThread(seed, 60)
      const { threadId } = await client.createThread()
      await home.threads.delete(threadId)
      const events = log.events.map(({ seq: _, ...event }) => ({ ...event, threadId }))
      await home.store.append(threadId, events, { expectedVersion: 0 })
      const { items } = await client.contextEntries(threadId, { limit: 1_000 })
      const shown = items.filter(({ role }) => role !== 'system')
      const expected = log.context.items
        .toArray()
        .filter(({ kind }) => kind !== 'gap')
        .map(({ id }) => [id, covered(id, log.eventAt).length])
      expect(
        shown.map(({ ref, covers }) => [ref, covers]),
        `seed ${seed}`,
      ).toEqual(expected)
    }
  })

  it('of a thread that is not there, or a page that is none, are refused', async () => {
    const { client } = await setUpApp()
    const { threadId } = await client.createThread()
    await expect(client.contextEntries('nobody')).rejects.toMatchObject({ code: 'unknown-thread' })
    await expect(client.timeline('nobody')).rejects.toMatchObject({ code: 'unknown-thread' })
    for (const range of [{ from: -1 }, { limit: 0 }, { limit: 5_000 }, { from: 0.5 }])
      await expect(client.contextEntries(threadId, range)).rejects.toMatchObject({
        code: 'invalid-input',
      })
  })
})

describe('the timeline', () => {
  it('has a point for every answer and every change, measured or estimated', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, [
      ...longPast(6_000),
      ...longPast(6_000, 'more'),
      measuredAnswer('done', { promptTokens: 14_000, completionTokens: 10, totalTokens: 14_010 }),
    ])
    await home.threads.compact(threadId, HALVING)
    const before = await client.timeline(threadId)
    expect(before.map(({ by }) => by)).toEqual([
      'estimated',
      'estimated',
      'estimated',
      'estimated',
      'measured',
      'estimated',
    ])
    expect(before.at(-2)?.tokens).toBe(14_010)
    const last = before.at(-1)
    expect(last?.compaction).toMatchObject({ strategy: 'halving' })
    expect(last?.tokens).toBeLessThan(10_000)
    const { context } = await client.thread(threadId)
    expect(last?.tokens).toBe(context.tokens)
    await client.undo(threadId)
    const after = await client.timeline(threadId)
    expect(after).toHaveLength(before.length + 1)
    expect(after.at(-1)?.tokens).toBeGreaterThan(10_000)
  })
})
