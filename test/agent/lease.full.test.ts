// One compaction of a thread at a time, in one process and across processes; and none that is half done.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { Clock } from '../../src/core/ports.ts'
import { systemClock } from '../../src/system.ts'
import { within } from '../wait.ts'
import type { ChildOrder } from './child.ts'
import { asksForSummary, Door, IN_SHORT, longPast, runsIn, summaryBehind } from './past.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from './setup.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/** How long an agent sleeps that waits for another process. */
const POLL_MS = 200

/** A thread with something to compact, and summaries that wait behind a door. */
async function withDoor(options: SetupOptions = {}) {
  const { promise: waiting, resolve } = Promise.withResolvers<void>()
  const clock: Clock = {
    now: () => systemClock.now(),
    sleep(ms, signal) {
      if (ms === POLL_MS) resolve()
      return systemClock.sleep(ms, signal)
    },
  }
  const setup = await setUpAgent({ clock, ...options })
  await setup.threads.import(setup.threadId, longPast(2_000))
  const door = new Door()
  setup.dev.script(summaryBehind(door))
  return { ...setup, door, waiting }
}

/** The same, with a turn under way that waits behind another door. */
async function inATurn() {
  const setup = await withDoor()
  const asked = new Door()
  setup.dev.script(async ({ tools }) => {
    await (tools.length > 0 ? asked : setup.door).pass()
    return { text: 'Yes.' }
  })
  const turn = setup.agent.sendMessage(setup.threadId, 'go')
  await asked.reached
  return { ...setup, asked, turn }
}

function startChild(
  { storeUrl, dev, folder, threadId }: AgentSetup,
  order: Pick<ChildOrder, 'does' | 'leaseMs'>,
): { child: ChildProcess; said: string[] } {
  const given = JSON.stringify({ storeUrl, devUrl: dev.url, folder, threadId, ...order })
  const child = spawn(process.execPath, [CHILD, given], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, said }
}

describe('in one process', () => {
  it('a second request joins the compaction that runs [ALWAYS-05]', async () => {
    const { agent, threadId, dev, door, frames, eventsOf } = await withDoor()
    const results = [agent.compact(threadId), agent.compact(threadId)]
    await door.reached
    const third = agent.sendMessage(threadId, '/compact')
    door.open()
    const [first, second] = await Promise.all(results)
    expect(first).toMatchObject({ success: true })
    expect(second?.runId).toBe(first?.runId)
    expect(await third).toMatchObject({ reply: { compaction: { runId: first?.runId } } })
    expect(runsIn(frames)).toHaveLength(1)
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
    expect(dev.requests).toHaveLength(1)
  })

  it('the tool is refused while one runs, with a clear result [ALWAYS-05]', async () => {
    const setup = await withDoor({ preset: 'whole' })
    const { agent, threadId, dev, door, eventsOf } = setup
    const asked = new Door()
    dev.script(async (request) => {
      if (asksForSummary(request)) {
        await door.pass()
        return { text: IN_SHORT }
      }
      if ((await eventsOf('TOOL_RESULT')).length > 1) return { text: 'Then not.' }
      await asked.pass()
      return { calls: [{ name: 'compact', arguments: { summary: 'Mine.' } }] }
    })
    const turn = agent.sendMessage(threadId, 'go')
    await asked.reached
    const byHand = agent.compact(threadId, { strategy: 'summarize' })
    await door.reached
    asked.open()
    expect(await turn).toMatchObject({ status: 'done', text: 'Then not.' })
    const refused = (await eventsOf('TOOL_RESULT')).at(-1)
    expect(refused?.data).toMatchObject({ status: 'failed' })
    expect(refused?.data.content[0]?.text).toMatch(/Another compaction of this thread is running/)
    door.open()
    expect(await byHand).toMatchObject({ success: true, trigger: 'command' })
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
  })

  it('to stop one stops nothing else, and the other way round [ALWAYS-05]', async () => {
    const { agent, threadId, asked, door, frames, turn } = await inATurn()
    const mine = new AbortController()
    const byHand = agent.compact(threadId, { signal: mine.signal })
    await door.reached
    mine.abort()
    expect(await byHand).toMatchObject({ success: false, end: 'aborted' })
    asked.open()
    expect(await turn).toMatchObject({ status: 'done', text: 'Yes.' })
    expect(runsIn(frames)).toHaveLength(1)
    door.open()
  })

  it('to stop the thread also stops a compaction beside its turn [ALWAYS-05]', async () => {
    const { agent, threadId, asked, door, frames, turn } = await inATurn()
    const byHand = agent.compact(threadId)
    await door.reached
    await agent.abort(threadId)
    expect(await byHand).toMatchObject({ success: false, end: 'aborted' })
    expect(await turn).toMatchObject({ status: 'aborted' })
    expect(runsIn(frames)).toHaveLength(1)
    for (const each of [asked, door]) each.open()
  })
})

describe('across processes', () => {
  it('a second request waits for the first and joins it [ALWAYS-05]', async () => {
    const { agent, threadId, door, waiting, elsewhere, eventsOf, dev } = await withDoor()
    const other = (await elsewhere()).agent
    const frames: AgentFrame[] = []
    other.on((frame) => frames.push(frame))
    const first = agent.compact(threadId)
    await door.reached
    const second = other.compact(threadId)
    await waiting
    door.open()
    expect((await second).event?.seq).toBe((await first).event?.seq)
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
    expect(dev.requests).toHaveLength(1)
    expect(runsIn(frames)).toEqual([])
  })

  it('it is refused where that takes too long [ALWAYS-05]', async () => {
    const { agent, threadId, door, elsewhere } = await withDoor()
    const other = (await elsewhere({ limits: { waitMs: 0 } })).agent
    const first = agent.compact(threadId)
    await door.reached
    await expect(other.compact(threadId)).rejects.toMatchObject({ code: 'store-busy' })
    const reply = {
      ok: false,
      text: expect.stringContaining('Another process works on the thread'),
    }
    expect(await other.sendMessage(threadId, '/compact')).toMatchObject({ reply })
    door.open()
    expect(await first).toMatchObject({ success: true })
  })

  it('it waits for one that goes on behind a turn [ALWAYS-05]', async () => {
    const setup = await withDoor({ preset: 'range', windowTokens: 12_000 })
    const { agent, threadId, threads, door, waiting, elsewhere, eventsOf, frames } = setup
    await threads.import(threadId, longPast(5_200, 'more'))
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    await door.reached
    const other = (await elsewhere()).agent
    const second = other.compact(threadId, { strategy: 'summarize' })
    await waiting
    door.open()
    await expect.poll(() => runsIn(frames).length).toBe(1)
    expect(await second).toMatchObject({ success: true })
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
  })

  it('two real processes have one compaction between them [ALWAYS-05]', async () => {
    const setup = await withDoor()
    const { agent, threadId, door, waiting, eventsOf } = setup
    const { child, said } = startChild(setup, { does: { compact: true }, leaseMs: 30_000 })
    await door.reached
    const mine = agent.compact(threadId)
    await waiting
    door.open()
    await within('the end of the child', once(child, 'close'))
    const { seq } = (await mine).event ?? {}
    expect(JSON.parse(said.join(''))).toEqual({ success: true, seq })
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
  })

  it('one that is killed leaves all as it was, and the thread free [ALWAYS-05, ALWAYS-06, NEED-13]', async () => {
    const setup = await withDoor()
    const { agent, threadId, door, events } = setup
    const before = await events()
    const { child } = startChild(setup, { does: { compact: true }, leaseMs: 300 })
    await door.reached
    child.kill('SIGKILL')
    await within('the end of the child', once(child, 'close'))
    door.open()
    expect(await events()).toEqual(before)
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    expect(await agent.sendMessage(threadId, 'go on')).toMatchObject({ status: 'done' })
  })

  it('what waits outlives a kill and is delivered once, in order [ALWAYS-07, NEED-13]', async () => {
    const setup = await setUpAgent()
    const { agent, threadId, dev, eventsOf } = setup
    const door = new Door()
    dev.script(() => door.pass().then(() => undefined))
    const turn = ['one', 'two', 'three']
    const { child, said } = startChild(setup, { does: { turn }, leaseMs: 300 })
    await door.reached
    await expect.poll(() => said.join('').match(/"queued"/g)?.length).toBe(2)
    child.kill('SIGKILL')
    await within('the end of the child', once(child, 'close'))
    door.open()
    dev.script([{ text: 'Yes.' }])
    await expect
      .poll(async () => (await agent.resume(threadId)).status, { interval: 50 })
      .toBe('done')
    const users = await eventsOf('USER_MESSAGE')
    expect(users.map(({ data }) => data)).toEqual(turn)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})
