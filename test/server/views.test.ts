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

  it('are found again from the originals: each is there, or something stands for it', async () => {
    const { client, home } = await setUpApp()
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { log } = generateThread(seed, 60)
      const { threadId } = await client.createThread()
      await home.threads.delete(threadId)
      const events = log.events.map(({ seq: _, ...event }) => ({ ...event, threadId }))
      await home.store.append(threadId, events, { expectedVersion: 0 })
      const { items } = await client.contextEntries(threadId, { limit: 1_000 })
      const refs = items.map(({ ref }) => ref)
      const places = [
        ...(await client.places(threadId, { limit: 31 })),
        ...(await client.places(threadId, { from: 32, limit: 2_000 })),
      ]
      const expected = new Map(
        log.context.items
          .toArray()
          .flatMap(({ id }) => covered(id, log.eventAt).map((original) => [original, id] as const)),
      )
      expect(places.length, `seed ${seed}`).toBeGreaterThanOrEqual(expected.size)
      for (const { ref, place, by, tokens } of places) {
        const id = expected.get(ref as `e${number}`)
        const where = `seed ${seed}, ${ref}`
        expect(by ?? (place === undefined ? undefined : ref), where).toBe(id)
        if (place !== undefined) expect(refs[place], where).toBe(id)
        expect(tokens, where).toBeGreaterThanOrEqual(0)
      }
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

describe('the figures of a compaction', () => {
  it.each([
    ['half as much again, and 5,000 beside it', [14_000, 23_000]],
    ['less than is estimated', [3_000, 10_000]],
  ])('have one base everywhere where a provider counts %s', async (_, [first = 0, last = 0]) => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    const usage = (tokens: number) => ({
      promptTokens: tokens,
      completionTokens: 0,
      totalTokens: tokens,
    })
    await home.threads.append(threadId, [...longPast(6_000), measuredAnswer('a', usage(first))])
    await home.threads.append(threadId, [...longPast(6_000, 'b'), measuredAnswer('c', usage(last))])
    const pictureOf = async () => {
      const { categories, context } = await client.contextPicture(threadId)
      const used = categories.filter(({ name }) => name !== 'free')
      return {
        sum: used.reduce((sum, { tokens }) => sum + tokens, 0),
        tokens: context.tokens,
        tools: used.find(({ name }) => name === 'tools')?.tokens ?? 0,
      }
    }
    const was = await pictureOf()
    const preview = await client.preview(threadId, { strategy: 'trim-tool-results' })
    const outcome = await client.applyPreview(threadId, preview.previewId)
    expect(outcome.ok).toBe(true)
    const is = await pictureOf()
    for (const { sum, tokens } of [was, is]) expect(Math.abs(sum - (tokens ?? 0))).toBeLessThan(8)
    expect(Math.abs(was.tools - is.tools)).toBeLessThan(8)
    const seq = outcome.compaction?.event?.seq ?? 0
    const { figures } = await client.report(threadId, seq)
    const point = (await client.timeline(threadId)).find(({ compaction }) => compaction)
    const sizes = { before: was.tokens, after: is.tokens }
    expect([preview.before.tokens, preview.after.tokens]).toEqual([was.tokens, is.tokens])
    expect(preview.figures).toMatchObject(sizes)
    expect(figures).toMatchObject(sizes)
    expect(point?.compaction).toMatchObject(sizes)
    const freed = figures.drops.reduce((sum, { tokens }) => sum + tokens, 0)
    expect(Math.abs(freed - ((was.tokens ?? 0) - (is.tokens ?? 0)))).toBeLessThan(8)
  })

  it('count each pin once, in the preview, the report and its words', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, [
      user('Never touch the migrations folder. Use port 4711 only.'),
      ...longPast(6_000),
      ...longPast(6_000, 'b'),
    ])
    await client.pin(threadId, 'The berth is C2.')
    const preview = await client.preview(threadId, { strategy: 'trim-tool-results' })
    const outcome = await client.applyPreview(threadId, preview.previewId)
    const pins = await client.pins(threadId)
    const { text, figures } = await client.report(threadId, outcome.compaction?.event?.seq ?? 0)
    const counted = { kept: 1, added: pins.length - 1 }
    expect(counted.added).toBeGreaterThan(0)
    expect([preview.figures?.pins, figures.pins]).toEqual([counted, counted])
    expect(text).toContain(`Pins kept: ${pins.length} texts`)
  })

  it('pair what was removed with what stands for it, each with a reason', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, [...longPast(3_000), ...longPast(3_000, 'b')])
    await home.threads.compact(threadId, HALVING)
    const { version } = await client.thread(threadId)
    const { before, after, changes } = await client.diff(threadId, version)
    const removed = before.filter(({ state }) => state === 'removed')
    const added = after.filter(({ state }) => state === 'added')
    expect(changes).toEqual([
      { removed: removed.map(({ ref }) => ref), added: added.map(({ ref }) => ref) },
    ])
    expect(removed.map(({ why }) => why)).toEqual(removed.map(() => 'halving'))
    expect(before.filter(({ state }) => state === 'kept').every(({ why }) => !why)).toBe(true)
  })

  it('count what each model was asked for, and its cost', async () => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, [
      ...longPast(500),
      measuredAnswer('a', {
        promptTokens: 1_000,
        completionTokens: 10,
        totalTokens: 1_010,
        cacheReadTokens: 400,
      }),
    ])
    const [only, ...others] = await client.cost(threadId)
    expect(others).toEqual([])
    expect(only).toMatchObject({ requests: 1, promptTokens: 1_000, cacheReadTokens: 400 })
    expect(only?.costUsd).toBe((await client.thread(threadId)).costUsd)
    expect((await client.timeline(threadId)).at(-1)?.costUsd).toBe(only?.costUsd)
  })
})

describe('the title of a thread', () => {
  it.each([
    [['/mode', 'The order page is slow.'], 'The order page is slow.'],
    [['<bash-input>ls</bash-input>', 'Why so many?'], 'Why so many?'],
    [['<bash-input>ls -la</bash-input>'], 'ls -la'],
    [['/clear'], '/clear'],
    [['/etc/hosts is broken', 'Well?'], '/etc/hosts is broken'],
  ])('of %j is what was said first to the agent', async (said, title) => {
    const { client, home } = await setUpApp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, said.map(user))
    expect((await client.thread(threadId)).title).toBe(title)
  })
})
