// Every request for a summary is on a bill, whatever becomes of the summary: each strategy, each way to fail.
import { describe, expect, it } from 'vitest'
import { billedUsage } from '../../src/core/window/usage.ts'
import type { Asked, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { Door, runsIn } from '../agent/past.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { folding, pastOf, type SmallAgent } from '../fold/small-agent.ts'

const STRATEGIES = [
  'summarize',
  'ai-summarize',
  'whole-summary',
  'keep-recent',
  'brief',
  'fresh-session',
  'chunked-fold',
] as const

const WORDS = 'I looked at what was said, and I write down what matters of it. '.repeat(8)

/** What the model does in place of a summary. */
const WAYS: readonly (readonly [string, ScriptedAnswer])[] = [
  ['a refusal', { text: 'No.', stopReason: 'refusal' }],
  ['an excuse', { text: "I'm sorry, but I can't help with that." }],
  ['blanks', { text: ' \n ' }],
  ['the longest answer', { text: WORDS, stopReason: 'length' }],
  ['far too much', { text: WORDS.repeat(400) }],
  ['a connection that breaks off', { text: WORDS, fault: { kind: 'drop' } }],
  [
    'an error of the server in the middle',
    { text: WORDS, fault: { kind: 'server-error', at: 'middle' } },
  ],
  ['calls alone', { calls: [{ name: 'list', arguments: {} }] }],
  ['thinking alone', { parts: [{ type: 'thinking', thinking: 'Hm.' }] }],
]

async function longThread(options: Parameters<typeof setUpAgent>[0] = {}): Promise<AgentSetup> {
  const setup = await setUpAgent({
    windowTokens: 16_000,
    outputTokens: 2_000,
    auto: { enabled: false },
    // Piece by piece, so that what comes before a break is read.
    dev: { pieceDelayMs: 2 },
    ...options,
  })
  await setup.threads.import(setup.threadId, pastOf(4, 1_500))
  return setup
}

/** Input tokens of every request that the stand-in has begun to answer. */
function asked({ dev }: AgentSetup): number {
  const begun = dev.requests.filter(({ usage }) => usage !== undefined)
  return begun.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0)
}

/** What the thread was billed, and what opens a new session. */
async function billed({ threads }: AgentSetup, ...threadIds: string[]): Promise<number> {
  let tokens = 0
  for (const threadId of threadIds) {
    const usage = await threads.usage(threadId)
    tokens += billedUsage(usage).promptTokens + (usage.opening?.promptTokens ?? 0)
  }
  return tokens
}

describe.each(STRATEGIES)('%s', (strategy) => {
  it.each(WAYS)('that gets %s is on the bill', async (_, does) => {
    const setup = await longThread()
    const { agent, dev, threadId } = setup
    dev.script(() => does)
    const { success, fresh } = await agent.compact(threadId, { strategy })
    expect(asked(setup)).toBeGreaterThan(0)
    // Nothing is written to the old thread (FRESH-30): its next compaction has the cost.
    if (strategy === 'fresh-session' && !success) {
      expect(await billed(setup, threadId)).toBe(0)
      await agent.compact(threadId, { strategy: 'extract' })
    }
    const threadIds = [threadId, ...(success && fresh ? [fresh.threadId] : [])]
    expect(await billed(setup, ...threadIds)).toBe(asked(setup))
  })
})

it('a fold that is stopped in its second chunk is on the bill with the first', async () => {
  const setup = await longThread({ preset: 'fold' })
  const { agent, dev, threadId, frames } = setup
  const door = new Door()
  const fold: SmallAgent = async ({ chunk }) => {
    if (chunk > 1) await door.pass()
    return undefined
  }
  dev.script(folding({ fold }))
  const running = agent.compact(threadId)
  await door.reached
  await agent.abort(threadId)
  door.open()
  expect(await running).toMatchObject({ end: 'aborted' })
  const answered = dev.requests.filter(({ outcome }) => outcome === 'answered')
  const spent = answered.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0)
  expect(spent).toBeGreaterThan(0)
  expect(await billed(setup, threadId)).toBe(spent)
  expect(runsIn(frames)).toHaveLength(1)
})

it('what the agent was asked for in vain is on the bill, in range and whole', async () => {
  for (const preset of ['range', 'whole'] as const) {
    const setup = await longThread({ preset })
    const { agent, dev, threadId } = setup
    let times = 0
    dev.script((_: Asked): ScriptedAnswer => {
      times += 1
      return times === 1 ? { text: 'Why?' } : { text: WORDS, fault: { kind: 'drop' } }
    })
    await agent.sendMessage(threadId, '/compact')
    expect(times).toBe(2)
    expect(await billed(setup, threadId)).toBe(asked(setup))
  }
})
