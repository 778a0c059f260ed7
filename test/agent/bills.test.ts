// What compactions cost is on one bill: once, whoever else looks at the thread, and also after a kill.
import { expect, it } from 'vitest'
import { RunTab } from '../../src/compaction/run-tab.ts'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { billedUsage } from '../../src/core/window/usage.ts'
import { createCascade } from '../../src/strategies/ladder/cascade.ts'
import { threadBills } from '../../src/threads/compaction-progress.ts'
import { until } from '../wait.ts'
import { asksForSummary } from './coder.ts'
import { longPast, runsIn, textOf } from './past.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from './setup.ts'

/** Asks the model once, and puts a summary in the place of the first message; says what it cost. */
function asking(paid: number[], before: () => Promise<void> = async () => undefined): Strategy {
  return {
    id: 'summarize',
    async propose({ context, run }) {
      const answer = await run.provider?.ask({
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Sum up.' }] }],
      })
      paid.push(answer?.usage?.promptTokens ?? 0)
      await before()
      const [first] = context.items.toArray()
      const put = {
        type: 'USER_MESSAGE',
        data: `Summary ${paid.length}.`,
        label: 'summary',
      } as const
      return { edits: first ? [{ covers: [first.id], put: [put] }] : [] }
    },
  }
}

async function talked(options: SetupOptions = {}): Promise<AgentSetup> {
  const setup = await setUpAgent(options)
  await setup.threads.append(setup.threadId, [
    { type: 'USER_MESSAGE', data: 'Rename the port.' },
    { type: 'AGENT_MESSAGE', data: { content: 'Done.', calls: [] } },
  ])
  return setup
}

async function bills({ eventsOf }: AgentSetup): Promise<(number | undefined)[]> {
  return (await eventsOf('COMPACTION')).map(({ data }) => data.usage?.promptTokens)
}

it('a preview bills what it spent, and leaves the bill of a killed run to the next compaction', async () => {
  const setup = await talked()
  const { agent, store, threadId } = setup
  const killed = await RunTab.open(threadBills(store, threadId), 'run_killed', async () => [])
  await killed.add({ promptTokens: 1_000, completionTokens: 1, totalTokens: 1_001 })
  const paid: number[] = []
  const strategy = asking(paid)
  const { prepared } = await agent.preview(threadId, { strategy })
  expect(prepared.proposal.usage?.promptTokens).toBe(paid[0])
  await agent.compact(threadId, { strategy })
  await agent.compact(threadId, { strategy })
  expect(paid.every((tokens) => tokens > 0)).toBe(true)
  expect(await bills(setup)).toEqual([1_000 + (paid[1] ?? 0), paid[2]])
})

it('a preview in another process bills nothing of a compaction that is running', async () => {
  const setup = await talked({ onDisk: true })
  const { agent, threadId } = setup
  const other = await setup.elsewhere()
  const [asked, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const paid: number[] = []
  const running = agent.compact(threadId, {
    strategy: asking(paid, () => {
      asked.resolve()
      return looked.promise
    }),
  })
  await asked.promise
  const seen: number[] = []
  const { prepared } = await other.agent.preview(threadId, { strategy: asking(seen) })
  expect(prepared.proposal.usage?.promptTokens).toBe(seen[0])
  looked.resolve()
  expect(await running).toMatchObject({ success: true })
  await agent.compact(threadId, { strategy: asking(paid) })
  expect(await bills(setup)).toEqual(paid)
})

it('a compaction that was stopped before its commit is billed with the next one', async () => {
  const setup = await talked()
  const { agent, threadId, eventsOf } = setup
  const paid: number[] = []
  const stop = new AbortController()
  const stopped = asking(paid, async () => stop.abort())
  expect(await agent.compact(threadId, { strategy: stopped, signal: stop.signal })).toMatchObject({
    end: 'aborted',
  })
  await agent.compact(threadId, { strategy: asking(paid) })
  const failed = (await eventsOf('COMPACTION_FAILED')).map(({ data }) => data.usage?.promptTokens)
  const sum = (tokens: readonly (number | undefined)[]) =>
    tokens.reduce<number>((total, each = 0) => total + each, 0)
  expect(sum([...failed, ...(await bills(setup))])).toBe(sum(paid))
})

it('a cascade is billed for what its rungs asked, also for those that were left out', async () => {
  const setup = await talked()
  const { agent, threads, threadId } = setup
  await threads.append(threadId, [
    { type: 'USER_MESSAGE', data: 'The port of the door is 4321. '.repeat(2_000) },
    { type: 'AGENT_MESSAGE', data: { content: 'Seen.', calls: [] } },
    { type: 'USER_MESSAGE', data: 'Go on.' },
  ])
  const paid: number[] = []
  const failing = asking(paid, () => Promise.reject(new Error('No summary.')))
  const covering: Strategy = {
    id: 'summarize',
    async propose(input) {
      const { edits } = await asking(paid).propose(input)
      const long = input.context.items.toArray().find(({ tokens }) => tokens > 2_000)
      return { edits: edits.map((edit) => ({ ...edit, covers: long ? [long.id] : [] })) }
    },
  }
  const strategy = createCascade([failing, covering].map((rung) => ({ strategy: rung })))
  expect(await agent.compact(threadId, { strategy })).toMatchObject({ success: true })
  expect(paid).toHaveLength(2)
  expect(await bills(setup)).toEqual([(paid[0] ?? 0) + (paid[1] ?? 0)])
})

it('a summary that is taken up again, as nothing smaller can be had, is billed once', async () => {
  const setup = await setUpAgent({ windowTokens: 16_000, outputTokens: 1_500, preset: 'log' })
  const { agent, dev, threads, threadId, frames, eventsOf } = setup
  await threads.append(threadId, longPast(6_000))
  // Nothing takes it out, and with it the context is above the target, but below the trigger.
  await agent.sendMessage(threadId, `Explain this log.\n${textOf(7_500)}`)
  const [run] = runsIn(frames)
  expect(run).toMatchObject({ success: true, strategy: 'ai-summarize' })
  const asked = dev.requests.flatMap((request) =>
    request.asked && asksForSummary(request.asked) ? [request.usage?.inputTokens ?? 0] : [],
  )
  expect(asked.length).toBeGreaterThan(0)
  const failed = (await eventsOf('COMPACTION_FAILED')).map(({ data }) => data.usage?.promptTokens)
  const billed = [...failed, ...(await bills(setup))]
  const sum = (tokens: readonly (number | undefined)[]) =>
    tokens.reduce<number>((total, each = 0) => total + each, 0)
  expect(sum(billed)).toBe(sum(asked))
})

const LONG_ANSWER = 'I read the notes, and this is what they say of the port. '.repeat(12)

it('an answer that breaks off and is asked for again is on the bill', async () => {
  const setup = await talked({ dev: { pieceDelayMs: 2 } })
  const { agent, dev, threads, threadId } = setup
  dev.fail({ kind: 'drop', times: 2 })
  dev.script(() => ({ text: LONG_ANSWER }))
  const outcome = await agent.sendMessage(threadId, 'What is the port?')
  expect(outcome).toMatchObject({ status: 'done' })
  expect(dev.requests).toHaveLength(3)
  const asked = dev.requests.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0)
  const { promptTokens, completionTokens } = billedUsage(await threads.usage(threadId))
  expect(promptTokens).toBe(asked)
  const [answer] = (await setup.eventsOf('AGENT_MESSAGE')).slice(-1)
  const { tokenUsage } = answer?.data ?? {}
  expect(tokenUsage?.promptTokens).toBe(dev.requests.at(-1)?.usage?.inputTokens)
  expect(completionTokens).toBeGreaterThan(tokenUsage?.completionTokens ?? 0)
})

it('an answer that a user stops is on the bill', async () => {
  const setup = await talked({ dev: { pieceDelayMs: 5 } })
  const { agent, dev, threads, threadId, frames } = setup
  dev.script(() => ({ text: LONG_ANSWER }))
  const running = agent.sendMessage(threadId, 'What is the port?')
  await until('some of the answer', () => frames.some(({ type }) => type === 'text-delta'))
  await agent.abort(threadId)
  await running
  const { promptTokens } = billedUsage(await threads.usage(threadId))
  expect(promptTokens).toBe(dev.requests[0]?.usage?.inputTokens)
})
