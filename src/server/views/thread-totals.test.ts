// A tally that is counted on is what one reading of the whole log gives, whatever happened to the thread.
import { describe, expect, it } from 'vitest'
import { LiveWorld } from '../../../test/generate/live.ts'
import { seeds } from '../../../test/scale.ts'
import { isChange, type NewEvent, type ThreadEvent } from '../../core/log/event.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { type Context, calibrationOf, emptyContext, foldEvent } from '../../core/view/context.ts'
import { readContext } from '../../core/window/reading.ts'
import { aggregateTokenUsage } from '../../core/window/usage.ts'
import { memoryStore } from '../../stores/index.ts'
import type { AppModels } from '../ports.ts'
import { thinned } from './count-event.ts'
import { Tallies } from './thread-totals.ts'

const SEEDS = seeds(25, 5)
const STEPS = 20

/** A dollar for a token of the answer. */
const MODELS: AppModels = {
  resolve: async () => ({ ref: 'any/model', costOf: (usage) => usage.completionTokens }),
  list: async () => [],
}

const NEW = { v: 2, threadId: 'thr_priced', timestamp: new Date(0) } as const

function plain({ items, open, ...context }: Context) {
  return { ...context, items: items.toArray(), open: [...open] }
}

/** The same by the book: all events in memory, folded one by one. */
function byTheBook(log: readonly ThreadEvent[]) {
  let context = emptyContext()
  let usd = 0
  const sizes: [seq: number, tokens: number | undefined][] = []
  for (const event of log) {
    context = foldEvent(context, event, (seq) => log[seq - 1])
    if (event.type === 'AGENT_MESSAGE' || event.type === 'TOOL_RESULT')
      usd += event.data.tokenUsage?.completionTokens ?? 0
    if (event.type === 'COMPACTION' && event.data.usage?.model !== undefined)
      usd += event.data.usage.completionTokens
    if (event.type !== 'AGENT_MESSAGE' && !isChange(event)) continue
    sizes.push([event.seq, readContext(context, calibrationOf(context)).tokens])
  }
  return { context: plain(context), usd, sizes }
}

async function checkWorld(seed: number): Promise<void> {
  const world = await LiveWorld.begin(seed, memoryStore())
  const tallies = new Tallies(world.store, MODELS)
  for (let step = 0; step < STEPS; step += 1) {
    await world.step()
    const { context, usd = 0, points, usage } = await tallies.of(world.threadId)
    const sizes = points.map(({ seq, tokens }) => [seq, tokens])
    const book = byTheBook(await world.log())
    const where = `seed ${seed}, ${world.did.join(', ')}`
    expect({ context: plain(context), usd, sizes }, where).toEqual(book)
    const [threads] = world.processes
    const working = aggregateTokenUsage((await threads?.getEvents(world.threadId)) ?? [])
    if (usage) expect(usage, where).toEqual(working)
    else tallies.set(world.threadId, context.version, working)
  }
}

describe('Tallies', () => {
  it('count on what a replay of the log gives, undo, redo and expansions among it', async () => {
    for (const seed of SEEDS) await checkWorld(seed)
  })

  it('price a summary by the model that made it, and not at all where none is named', async () => {
    const store = memoryStore()
    const tallies = new Tallies(store, {
      resolve: async (name) => ({
        ref: name ?? 'none/named',
        costOf: ({ completionTokens }) => completionTokens * (name === 'a/small' ? 1 : 100),
      }),
      list: async () => [],
    })
    const tokens = (completionTokens: number) => ({
      promptTokens: 0,
      completionTokens,
      totalTokens: completionTokens,
    })
    const failed = (id: string, usage: TokenUsage): NewEvent => ({
      ...NEW,
      id,
      type: 'COMPACTION_FAILED',
      data: { runId: id, strategyId: 'any', reason: 'none', usage },
    })
    const answer: NewEvent = {
      ...NEW,
      id: 'e1',
      type: 'AGENT_MESSAGE',
      data: { content: 'x', calls: [], model: 'a/large', tokenUsage: tokens(3) },
    }
    const small = failed('e2', { ...tokens(7), model: 'a/small' })
    await store.append(NEW.threadId, [answer, small, failed('e3', tokens(50))], {
      expectedVersion: 0,
    })
    expect(await tallies.of(NEW.threadId)).toMatchObject({ usd: 307, model: 'a/large' })
  })

  it('begin anew where a thread was deleted and begun again under its name', async () => {
    const store = memoryStore()
    const tallies = new Tallies(store, MODELS)
    const say = (id: string, data: string): NewEvent => ({
      v: 2,
      id,
      threadId: 'thr_again',
      timestamp: new Date(0),
      type: 'USER_MESSAGE',
      data,
    })
    await store.append('thr_again', [say('e1', 'one'), say('e2', 'two')], { expectedVersion: 0 })
    expect((await tallies.of('thr_again')).seq).toBe(2)
    await store.delete('thr_again')
    await store.append('thr_again', [say('e3', 'three')], { expectedVersion: 0 })
    expect(await tallies.of('thr_again')).toMatchObject({ seq: 1, lastId: 'e3' })
    await store.delete('thr_again')
    expect((await tallies.of('thr_again')).seq).toBe(0)
  })

  it('of a long log are not waited for, and there when it is asked again', async () => {
    const store = memoryStore()
    const tallies = new Tallies(store, MODELS)
    const events = Array.from(
      { length: 20_001 },
      (_, at): NewEvent => ({
        v: 2,
        id: `e${at}`,
        threadId: 'thr_long',
        timestamp: new Date(0),
        type: 'USER_MESSAGE',
        data: 'x',
      }),
    )
    for (let at = 0; at < events.length; at += 10_000)
      await store.append('thr_long', events.slice(at, at + 10_000), { expectedVersion: at })
    expect(await tallies.soon('thr_long', events.length)).toBeUndefined()
    await expect.poll(() => tallies.soon('thr_long', events.length)).toBeDefined()
    expect((await tallies.of('thr_long')).seq).toBe(events.length)
  })
})

describe('thinned', () => {
  it('keeps every compaction, the largest of each stretch and the last', () => {
    const points = Array.from({ length: 9_001 }, (_, at) => ({
      seq: at + 1,
      tokens: at % 100,
      by: 'measured' as const,
      ...(at % 1_000 === 7 && { compaction: { strategy: 'any' } }),
    }))
    const kept = thinned(points)
    expect(kept.length).toBeLessThan(2_020)
    expect(kept.filter(({ compaction }) => compaction)).toHaveLength(9)
    expect(Math.max(...kept.map(({ tokens }) => tokens))).toBe(99)
    expect(kept.at(-1)).toBe(points.at(-1))
    expect(thinned(kept.slice(0, 50))).toEqual(kept.slice(0, 50))
  })
})
