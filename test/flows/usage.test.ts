// Thirty turns on every wire: what was billed, read from the cache, written to it and paid, computed by hand.
import { afterEach, describe, expect, it } from 'vitest'
import { compose } from '../../src/compose.ts'
import { collectAnswer } from '../../src/core/model.ts'
import type { ModelRef, TokenUsage } from '../../src/core/view/content.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { costOf } from '../../src/providers/costs.ts'
import { ManualClock } from '../dev-model/manual-clock.ts'
import { system, user } from '../say.ts'

/*
 * By hand means: without the counters and the caches of the project. The rules of the stand-in are
 * simple where texts are plain words: a word is one token; the system prompt and each message have four
 * more around them, an answer has three. Nothing below calls anything else that counts.
 */
const WORDS =
  'the file has a line and one more of it in this order then we read what is there to see how they are made so that all can be found again near end start old new short long first last next other same such part place name note page list'.split(
    ' ',
  )
const TURNS = Array.from({ length: 30 }, (_, at) => at + 1)
const SYSTEM_WORDS = 300
const questionWords = (turn: number) => 8 + (turn % 5)
const answerWords = (turn: number) => 50 + ((turn * 7) % 23)

const AROUND_MESSAGE = 4
const AROUND_ANSWER = 3

/** A minute between two turns, but twice somebody was away: just short of what a cache lasts, and longer. */
const MINUTE_MS = 60_000
const CACHE_LIFE_MS = 5 * MINUTE_MS
const pauseBeforeMs = (turn: number) =>
  turn === 20 ? 6 * MINUTE_MS : turn === 25 ? CACHE_LIFE_MS - 1_000 : MINUTE_MS

interface Bill {
  readonly prompt: number
  readonly completion: number
  readonly read: number
  readonly written: number
}

/** What a wire's cache gives, from what it holds of the conversation and what comes now. */
type Cache = (heldTokens: number, promptTokens: number) => Pick<Bill, 'read' | 'written'>

const SHORTEST_CACHED = 1_024

const CACHES = {
  /** The last user message is marked: all up to it is kept, once that is long enough. */
  marked: (held, prompt) => ({ read: held, written: prompt < SHORTEST_CACHED ? 0 : prompt - held }),
  /** Whatever was sent before counts, in steps of 128. */
  automatic: (held) => ({
    read: held < SHORTEST_CACHED ? 0 : Math.floor(held / 128) * 128,
    written: 0,
  }),
  none: () => ({ read: 0, written: 0 }),
} satisfies Record<string, Cache>

/** The bills of all turns. A prompt is everything said before it, and the question. */
function billsByHand(cache: Cache): Bill[] {
  const bills: Bill[] = []
  let said = SYSTEM_WORDS + AROUND_MESSAGE
  let held = 0
  for (const turn of TURNS) {
    if (pauseBeforeMs(turn) >= CACHE_LIFE_MS) held = 0
    const prompt = said + questionWords(turn) + AROUND_MESSAGE
    bills.push({ prompt, completion: answerWords(turn) + AROUND_ANSWER, ...cache(held, prompt) })
    held = prompt < SHORTEST_CACHED ? 0 : prompt
    said = prompt + answerWords(turn) + AROUND_MESSAGE
  }
  return bills
}

/** US dollars for a million tokens: figures that a person can check. */
const PRICE = { input: 4, cacheRead: 0.4, cacheWrite5m: 5, output: 20 }

function dollarsByHand({ prompt, completion, read, written }: Bill): number {
  const fresh = prompt - read - written
  return (fresh * 4 + read * 0.4 + written * 5 + completion * 20) / 1_000_000
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** So many words, from another place each time: no two texts are alike. */
function words(count: number, from: number): string {
  return Array.from({ length: count }, (_, at) => WORDS[(from + at) % WORDS.length]).join(' ')
}

let server: DevModel | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** The conversation as it really is held: a thread, an adapter, HTTP, the stand-in. */
async function held(provider: string, path: string) {
  const clock = new ManualClock()
  const script = TURNS.map((turn) => ({ text: words(answerWords(turn), turn * 3) }))
  server = await startDevModel({ clock, script, minCacheTokens: SHORTEST_CACHED })
  const name: ModelRef = `${provider}/thirty`
  const { threads, models, close } = compose({
    settings: {
      models: {},
      providers: { [provider]: { baseUrl: server.url + path } },
      catalogue: { [name]: { windowTokens: 100_000, price: PRICE } },
    },
    environment: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' },
  })
  const resolved = await (await models()).resolve(name)
  const id = await threads.create()
  await threads.append(id, [system(words(SYSTEM_WORDS, 0))])
  const usages: TokenUsage[] = []
  for (const turn of TURNS) {
    clock.advance(pauseBeforeMs(turn))
    await threads.append(id, [user(words(questionWords(turn), turn * 5))])
    const { system: prompts, messages } = await threads.messages(id)
    const { answer } = await collectAnswer(
      resolved.ref,
      resolved.provider.stream({
        model: resolved.model,
        system: prompts,
        messages,
        tools: [],
        toolChoice: 'auto',
        maxOutputTokens: 1_000,
        cache: true,
      }),
    )
    if (!answer.tokenUsage) throw new Error('the provider reported no usage')
    usages.push(answer.tokenUsage)
    await threads.append(id, [{ type: 'AGENT_MESSAGE', data: answer }])
  }
  const { conversation } = await threads.usage(id)
  const reading = await threads.reading(id)
  await close()
  const paid = usages.map((usage) => costOf(usage, resolved.info) ?? Number.NaN)
  return { usages, conversation, reading, paid }
}

const asBill = (usage: TokenUsage): Bill => ({
  prompt: usage.promptTokens,
  completion: usage.completionTokens,
  read: usage.cacheReadTokens ?? 0,
  written: usage.cacheWriteTokens ?? 0,
})

describe('a conversation of thirty turns', () => {
  it('is what it is meant to be: cached from some turn on, and lost once', () => {
    const bills = billsByHand(CACHES.marked)
    expect(bills[0]).toEqual({ prompt: 317, completion: 60, read: 0, written: 0 }) // 300 + 4 + 9 + 4
    expect(bills[1]).toEqual({ prompt: 392, completion: 67, read: 0, written: 0 }) // + 57 + 4 + 10 + 4
    const first = bills.findIndex(({ written }) => written > 0)
    expect(first).toBeGreaterThan(5)
    expect(bills[first]?.written).toBe(bills[first]?.prompt)
    expect(bills[19]).toMatchObject({ read: 0, written: bills[19]?.prompt })
    expect(bills[24]?.read).toBe(bills[23]?.prompt)
  })

  it.each([
    ['anthropic', '', CACHES.marked],
    ['openai', '/v1', CACHES.automatic],
    ['openai-chat', '/v1', CACHES.automatic],
    ['ollama', '', CACHES.none],
  ] as const)('is billed, cached and priced on %s as computed by hand', async (...wire) => {
    const [provider, path, cache] = wire
    const bills = billsByHand(cache)
    const { usages, conversation, reading, paid } = await held(provider, path)
    expect(usages.map(asBill)).toEqual(bills)
    expect(usages.map(({ totalTokens }) => totalTokens)).toEqual(
      bills.map(({ prompt, completion }) => prompt + completion),
    )
    paid.forEach((dollars, at) => {
      expect(dollars).toBeCloseTo(dollarsByHand(bills[at] as Bill), 12)
    })
    expect(sum(paid)).toBeCloseTo(sum(bills.map(dollarsByHand)), 10)

    // The thread has the same totals; where a wire tells nothing of a cache, neither does the thread.
    const prompts = sum(bills.map(({ prompt }) => prompt))
    const completions = sum(bills.map(({ completion }) => completion))
    expect(conversation).toMatchObject({
      promptTokens: prompts,
      completionTokens: completions,
      totalTokens: prompts + completions,
      eventCount: 30,
    })
    expect(conversation.cacheReadTokens ?? 0).toBe(sum(bills.map(({ read }) => read)))
    expect(conversation.cacheWriteTokens ?? 0).toBe(sum(bills.map(({ written }) => written)))

    // What is in the window is what was counted last, not what was billed.
    const last = bills.at(-1)
    expect(reading).toMatchObject({
      by: 'measured',
      tokens: (last?.prompt ?? 0) + (last?.completion ?? 0),
    })
  })
})
