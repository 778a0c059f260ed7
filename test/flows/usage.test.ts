// Thirty turns against the stand-in: what was billed, read from the cache and paid, computed by hand here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compose } from '../../src/compose.ts'
import type { TokenUsage } from '../../src/core/content.ts'
import { collectAnswer, type ModelRequest } from '../../src/core/model.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { costOf } from '../../src/providers/costs.ts'
import { system, user } from '../say.ts'

const MODEL = 'anthropic/claude-opus-5-5'
const TURNS = 30
/** US dollars for a million tokens, as an override of the catalogue: figures that a person can check. */
const PRICE = { input: 4, cacheRead: 0.4, cacheWrite5m: 5, output: 20 }
const ANSWER = 'The parser reads the file line by line and keeps the order of the keys. '.repeat(4)

let server: DevModel
beforeAll(async () => {
  server = await startDevModel({ minCacheTokens: 1, script: () => ({ text: ANSWER }) })
})
afterAll(() => server.close())

describe('a conversation of thirty turns', () => {
  it('is billed, cached and priced as computed by hand', async () => {
    const catalogue = { [MODEL]: { windowTokens: 200_000, price: PRICE } }
    const { threads, models, close } = compose({
      settings: { models: {}, providers: { anthropic: { baseUrl: server.url } }, catalogue },
      environment: { ANTHROPIC_API_KEY: 'test' },
    })
    const id = await threads.create()
    await threads.append(id, [system('You are a careful engineer. '.repeat(40))])
    const { provider, model, ref, info } = await (await models()).resolve(MODEL)
    const turns: { counted: number; usage: TokenUsage }[] = []
    for (let turn = 1; turn <= TURNS; turn += 1) {
      await threads.append(id, [
        user(`Question ${turn}: what does the parser do with line ${turn}?`),
      ])
      const { system: prompts, messages } = await threads.messages(id)
      const request: ModelRequest = {
        model,
        system: prompts,
        messages,
        tools: [],
        toolChoice: 'auto',
        maxOutputTokens: 1_000,
        cache: true,
      }
      const counted = (await provider.countTokens?.(request)) ?? 0
      const { answer } = await collectAnswer(ref, provider.stream(request))
      await threads.append(id, [{ type: 'AGENT_MESSAGE', data: answer }])
      if (!answer.tokenUsage) throw new Error('the provider reported no usage')
      turns.push({ counted, usage: answer.tokenUsage })
    }
    await close()

    // Each prompt is what the counter says. All of the one before it, up to its last mark, is read from
    // the cache; what is new up to the last mark is written to it.
    turns.forEach(({ counted, usage }, at) => {
      expect(usage.promptTokens).toBe(counted)
      const before = turns[at - 1]?.counted ?? 0
      expect(usage.cacheReadTokens ?? 0).toBe(before)
      expect(usage.cacheWriteTokens ?? 0).toBe(counted - before)
      expect(usage.totalTokens).toBe(usage.promptTokens + usage.completionTokens)
    })
    const output = new Set(turns.map(({ usage }) => usage.completionTokens))
    expect(output.size).toBe(1)

    // Billed: every prompt and every answer. Paid: what was read costs a tenth, what was written more.
    const [answerTokens = 0] = output
    const prompts = turns.reduce((sum, { counted }) => sum + counted, 0)
    const last = turns.at(-1)?.counted ?? 0
    const read = prompts - last
    const dollars =
      (read * PRICE.cacheRead + last * PRICE.cacheWrite5m + TURNS * answerTokens * PRICE.output) /
      1e6
    const paid = turns.reduce((sum, { usage }) => sum + (costOf(usage, info) ?? Number.NaN), 0)
    expect(paid).toBeCloseTo(dollars, 10)
    const { conversation } = await billed(turns.map(({ usage }) => usage))
    expect(conversation).toEqual({
      promptTokens: prompts,
      completionTokens: TURNS * answerTokens,
      totalTokens: prompts + TURNS * answerTokens,
      cacheReadTokens: read,
      cacheWriteTokens: last,
      eventCount: TURNS,
    })
  })
})

/** The same usages in a thread of their own: what its reducer makes of them. */
async function billed(usages: readonly TokenUsage[]) {
  const { threads, close } = compose()
  const id = await threads.create()
  for (const tokenUsage of usages)
    await threads.append(id, [
      { type: 'AGENT_MESSAGE', data: { content: 'x', calls: [], tokenUsage } },
    ])
  const usage = await threads.usage(id)
  await close()
  return usage
}
