// Requests that the provider refuses as too long: compacted and tried again, twice at most, then told.
import { describe, expect, it } from 'vitest'
import type { ScriptFunction } from '../../src/dev-model/index.ts'
import { ManualClock } from '../dev-model/manual-clock.ts'
import { answer, system, user } from '../say.ts'
import { HALVING, longPast, runsIn, textOf } from './past.ts'
import { lastMessages, setUpAgent } from './setup.ts'

/** The agent believes in more room than there is. */
const MISJUDGED = { windowTokens: 12_000, believedWindowTokens: 200_000 }

/** Every request with tools is refused as too long; summaries are given. */
const ALWAYS_TOO_LONG: ScriptFunction = ({ tools }) =>
  tools.length > 0 ? { fault: { kind: 'overflow' } } : { text: 'In short.' }

describe('an overflow', () => {
  it('is compacted and tried again, though nobody has answered yet [ALWAYS-08, ALWAYS-09]', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent(MISJUDGED)
    await threads.import(threadId, longPast(11_500))
    dev.script(({ tools }) => (tools.length > 0 ? { text: 'It fits.' } : { text: 'In short.' }))
    const outcome = await agent.sendMessage(threadId, 'go')
    expect(outcome).toMatchObject({ status: 'done', text: 'It fits.' })
    expect(dev.requests.map((request) => request.outcome)).toEqual([
      'refused',
      'answered',
      'answered',
    ])
    expect(runsIn(frames)).toMatchObject([{ trigger: 'overflow', success: true }])
    expect(lastMessages(dev).at(-1)?.text).toMatch(/go$/)
  })

  it('is not held back by the cooldown [LOG-72]', async () => {
    const clock = new ManualClock()
    const { agent, threadId, threads, dev, frames } = await setUpAgent({ clock })
    await threads.import(threadId, longPast(3_000))
    await agent.compact(threadId)
    await threads.import(threadId, longPast(3_000, 'more'))
    clock.advance(1_000)
    dev.script([{ fault: { kind: 'overflow' } }, { text: 'In short.' }, { text: 'It fits.' }])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'It fits.' })
    expect(runsIn(frames).map(({ trigger }) => trigger)).toEqual(['command', 'overflow'])
  })

  it('is compacted for at most twice in a turn, then told with what can be done [ALWAYS-08]', async () => {
    const { agent, threadId, threads, dev, frames, eventsOf } = await setUpAgent()
    threads.register(HALVING)
    await agent.sendMessage(threadId, '/strategy halving')
    for (let round = 0; round < 8; round += 1)
      await threads.import(threadId, [user(textOf(1_500)), ...answer('Yes.')])
    dev.script(ALWAYS_TOO_LONG)
    const outcome = await agent.sendMessage(threadId, 'go')
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'overflow' } })
    expect(outcome.status === 'failed' && outcome.error?.hint).toContain('/new')
    expect(dev.requests).toHaveLength(3)
    // Half of the context is a little more than half of the request: what fits is taken instead.
    expect(runsIn(frames).filter(({ success }) => success)).toHaveLength(2)
    expect(frames.at(-1)).toMatchObject({ type: 'turn-end', end: 'failed' })
    expect((await eventsOf('USER_MESSAGE')).at(-1)?.data).toBe('go')
    dev.script([{ text: 'Now it fits.' }])
    expect(await agent.sendMessage(threadId, 'and now?')).toMatchObject({ text: 'Now it fits.' })
  })

  it.each([
    ['where automatic compaction is off', { auto: { enabled: false } }, /switched off/],
    ['in a preset that never compacts by itself', { preset: 'fresh' as const }, /switched off/],
    [
      'there also where automatic compaction is switched on',
      { preset: 'fresh' as const, auto: { enabled: true } },
      /switched off/,
    ],
  ])('is only told %s [ALWAYS-08]', async (_, options, why) => {
    const { agent, threadId, threads, dev, frames, eventsOf } = await setUpAgent({
      ...MISJUDGED,
      ...options,
    })
    await threads.import(threadId, longPast(11_500))
    const outcome = await agent.sendMessage(threadId, 'go')
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'overflow' } })
    expect(outcome.status === 'failed' && outcome.error?.message).toMatch(why)
    expect(dev.requests).toHaveLength(1)
    expect(runsIn(frames)).toEqual([])
    expect(await eventsOf('COMPACTION')).toEqual([])
  })

  it('of one message is answered with what fits of it, and its ref [ALWAYS-08]', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent(MISJUDGED)
    const text = `Sort these.\n${textOf(13_000)}`
    expect(await agent.sendMessage(threadId, text)).toMatchObject({ status: 'done' })
    expect(runsIn(frames)).toMatchObject([{ success: true, strategy: 'cascade' }])
    expect(lastMessages(dev).at(-1)?.text).toMatch(
      /^Sort these\.[\s\S]*characters left out: \[ref:e/,
    )
  })

  it('is told at once where nothing can be made smaller [ALWAYS-08]', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent(MISJUDGED)
    await threads.append(threadId, [system(textOf(12_500))])
    const outcome = await agent.sendMessage(threadId, 'go')
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'overflow' } })
    expect(outcome.status === 'failed' && outcome.error?.message).toMatch(/cannot be compacted/)
    expect(runsIn(frames)).toEqual([])
    expect(dev.requests.filter(({ asked }) => asked?.tools.length !== 0)).toHaveLength(1)
  })

  it('that was answered all the same is made room for before the next request [ALWAYS-08]', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent(MISJUDGED)
    await threads.import(threadId, longPast(9_000))
    dev.script([
      { calls: [{ name: 'list', arguments: {} }], stopReason: 'window' },
      { text: 'In short.' },
      { text: 'Done.' },
    ])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'Done.' })
    expect(runsIn(frames)).toMatchObject([{ trigger: 'overflow', success: true }])
    const start = frames.find((frame) => frame.type === 'COMPACTION_START')
    expect(start).toMatchObject({
      message: expect.stringMatching(/^\S.+ Compacting conversation\.\.\.$/),
    })
  })
})

describe('a window that is smaller than listed', () => {
  const REAL_TOKENS = MISJUDGED.windowTokens

  it.each(['range', 'whole', 'fold', 'log', 'precis'] as const)(
    'is learned from one refusal, in this thread and in others: %s',
    async (preset) => {
      const clock = new ManualClock()
      const setup = await setUpAgent({ ...MISJUDGED, preset, clock })
      const { agent, threadId, threads, dev, frames } = setup
      const longTalk = async (id: string) => {
        for (let turn = 0; turn < 12; turn += 1) {
          clock.advance(61_000)
          await threads.import(id, longPast(2_500, `${id} ${turn}`))
          expect(await agent.sendMessage(id, `go ${turn}`)).toMatchObject({ status: 'done' })
        }
      }
      await longTalk(threadId)
      const refused = () => dev.requests.filter(({ outcome }) => outcome === 'refused')
      expect(refused()).toHaveLength(1)
      expect(frames.findLast(({ type }) => type === 'reading')).toMatchObject({
        windowTokens: REAL_TOKENS,
      })
      await longTalk(await threads.create())
      expect(refused()).toHaveLength(1)
    },
  )

  it('leaves room for the answer, and nothing is compacted for that alone', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent({
      ...MISJUDGED,
      outputTokens: 16_000,
    })
    dev.script([{ text: 'It fits.' }])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'It fits.' })
    expect(dev.requests.map(({ outcome }) => outcome)).toEqual(['refused', 'answered'])
    expect(runsIn(frames)).toEqual([])
  })
})
