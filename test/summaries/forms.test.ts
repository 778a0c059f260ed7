// The two forms of asking for a summary: in the conversation with its cache, and apart as data.
import { describe, expect, it, onTestFinished } from 'vitest'
import { compose } from '../../src/compose.ts'
import { collectAnswer } from '../../src/core/model.ts'
import { type RecordedRequest, startDevModel } from '../../src/dev-model/index.ts'
import { MODEL } from '../agent/host.ts'
import { textOf } from '../agent/past.ts'
import { lastMessages, setUpAgent } from '../agent/setup.ts'
import { answer, result, system, user } from '../say.ts'
import { sectioned } from './summary-texts.ts'

/** About so many tokens, in turns with tools. */
function past(tokens: number) {
  const turns = Math.ceil(tokens / 5_000)
  return Array.from({ length: turns }, (_, at) => [
    user(`Request ${at}`),
    ...answer('Reading.', `call${at}`),
    result(`call${at}`, textOf(4_900, `line ${at} of the output\n`)),
    ...answer(`Done with ${at}.`),
  ]).flat()
}

function cachedShare({ usage }: RecordedRequest): number {
  return (usage?.readTokens ?? 0) / (usage?.inputTokens ?? 1)
}

const FAST = 'anthropic/fast'
const WITH_FAST = {
  catalogue: { [FAST]: { windowTokens: 200_000, outputTokens: 4_000 } },
  settings: { models: { default: MODEL, fast: FAST } },
}

describe('in the conversation', () => {
  it('a summary of 100,000 tokens is at least 90 % cache reads [LOG-41, NEED-11]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent()
    await threads.import(threadId, [system('Be kind.'), ...past(100_000)])
    dev.script((asked) => ({ text: sectioned(JSON.stringify(asked.turns)) }))
    await agent.sendMessage(threadId, '/thinking low')
    await agent.sendMessage(threadId, 'Go on.')
    await agent.compact(threadId, { strategy: 'summarize' })
    const summary = dev.requests.at(-1) as RecordedRequest
    expect(summary.usage?.inputTokens).toBeGreaterThan(100_000)
    expect(cachedShare(summary)).toBeGreaterThanOrEqual(0.9)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('so it is where the cache has no marks, and tools are forbidden there [LOG-41, NEED-11]', async () => {
    const dev = await startDevModel({ script: () => ({ text: 'S' }) })
    const composed = compose({
      settings: {
        models: { default: 'openai/gpt-5' },
        providers: { openai: { baseUrl: `${dev.url}/v1` } },
      },
      environment: { OPENAI_API_KEY: 'test-key' },
    })
    onTestFinished(async () => {
      await composed.close()
      await dev.close()
    })
    const { threads, model } = composed
    const threadId = await threads.create()
    await threads.import(threadId, [...past(100_000), user('Go on.')])
    const tools = [{ name: 'read', description: 'reads', inputSchema: { type: 'object' } }]
    const { provider, model: name } = await (await composed.models()).resolve()
    const { system, messages } = await threads.messages(threadId)
    const own = { model: name, system, messages, tools, toolChoice: 'auto', cache: true } as const
    await collectAnswer('openai/gpt-5', provider.stream({ ...own, maxOutputTokens: 999 }))
    await threads.import(threadId, answer('S'))
    await threads.prepare(threadId, 'summarize', { provider: model, tools })
    const summary = dev.requests.at(-1) as RecordedRequest
    expect(summary.asked?.toolChoice).toBe('none')
    expect(summary.asked?.tools.map(({ name }) => name)).toEqual(['read'])
    expect(cachedShare(summary)).toBeGreaterThanOrEqual(0.9)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('cannot be where the conversation is longer than the window: then apart, in parts [ALWAYS-12]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent({
      windowTokens: 20_000,
      outputTokens: 2_000,
      settings: { auto: { enabled: false } },
    })
    await threads.import(threadId, past(60_000))
    dev.script((asked) => ({ text: sectioned(JSON.stringify(asked.turns), 'S, so far.') }))
    const ended = await agent.compact(threadId, { strategy: 'summarize' })
    expect(ended).toMatchObject({ success: true, strategy: 'summarize' })
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
    for (const { usage, asked } of dev.requests) {
      expect((usage?.inputTokens ?? 0) + (asked?.maxOutputTokens ?? 0)).toBeLessThanOrEqual(20_000)
      expect(asked?.tools).toEqual([])
    }
  })
})

describe('apart', () => {
  it('is how keep-recent asks: data, results cut, models.fast, its own prompt, no tools [ALWAYS-18]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent({
      ...WITH_FAST,
      outputTokens: 9_000,
    })
    await threads.import(threadId, [system('Be kind.'), ...past(60_000)])
    dev.script((asked) => ({ text: sectioned(JSON.stringify(asked.turns)) }))
    const ended = await agent.compact(threadId, { strategy: 'keep-recent' })
    expect(ended).toMatchObject({ success: true, strategy: 'keep-recent' })
    for (const { asked } of dev.requests) {
      expect(asked).toMatchObject({ model: 'fast', tools: [] })
      expect(asked?.system).toContain('summarization assistant')
      expect(asked?.system).not.toContain('Be kind')
      expect(asked?.turns).toHaveLength(1)
    }
    expect(lastMessages(dev)[0]?.text).toContain('more characters truncated]')
  })

  it('is set for all by summaries.form, and so is the conversation', async () => {
    const forms = async (form: string, strategy: string) => {
      const settings = { ...WITH_FAST.settings, summaries: { form } }
      const setup = await setUpAgent({ ...WITH_FAST, settings, outputTokens: 9_000 })
      const { agent, dev, threads, threadId } = setup
      await threads.import(threadId, past(60_000))
      dev.script((asked) => ({ text: sectioned(JSON.stringify(asked.turns)) }))
      const ended = await agent.compact(threadId, { strategy })
      expect(ended).toMatchObject({ success: true, strategy })
      const { model, tools = [] } = dev.requests.at(-1)?.asked ?? {}
      return { model, hasTools: tools.length > 0 }
    }
    for (const strategy of ['summarize', 'ai-summarize', 'keep-recent']) {
      expect(await forms('apart', strategy)).toEqual({ model: 'fast', hasTools: false })
      expect(await forms('conversation', strategy)).toEqual({ model: 'stand-in', hasTools: true })
    }
  })
})
