// Hooks in the real loop: what they can change of a compaction, and what they cannot break.
import { describe, expect, it } from 'vitest'
import type { CompactionHooks, Dropped } from '../../src/agent/hooks.ts'
import type { RunResult } from '../../src/core/agent/frame.ts'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { ManualClock } from '../dev-model/manual-clock.ts'
import { answer, user } from '../say.ts'
import { HALVING, longPast, runsIn } from './past.ts'
import { lastMessages, type SetupOptions, setUpAgent } from './setup.ts'

async function hooked(hooks: readonly CompactionHooks[], options: SetupOptions = {}) {
  const setup = await setUpAgent({ ...options, agent: { hooks } })
  await setup.threads.import(setup.threadId, longPast(3_000))
  return setup
}

describe('before a compaction', () => {
  it('a hook may refuse it, by hand and automatic, and the thread stays [ALWAYS-16, NEED-18]', async () => {
    const hooks = [{ before: () => ({ veto: 'the release is today' }) }]
    const { agent, threadId, threads, dev, frames, eventsOf } = await hooked(hooks, {
      windowTokens: 20_000,
      believedWindowTokens: 4_000,
    })
    const before = await threads.messages(threadId)
    const reply = { ok: false, text: expect.stringContaining('the release is today') }
    expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({ reply })
    expect(await threads.messages(threadId)).toEqual(before)
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    expect(runsIn(frames).length).toBeGreaterThan(1)
    expect(new Set(runsIn(frames).map(({ end }) => end))).toEqual(new Set(['vetoed']))
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect(dev.requests).toHaveLength(1)
  })

  it('a hook may add instructions and pins [ALWAYS-16, NEED-18]', async () => {
    const hooks = [
      { before: () => ({ instructions: ' \n', pins: ['\t'] }) },
      { before: () => ({ instructions: 'Keep the port.', pins: ['Never push to main.'] }) },
    ]
    const { agent, threadId, threads, dev } = await hooked(hooks)
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    expect(lastMessages(dev).at(-1)?.text).toContain('Keep the port.')
    expect(JSON.stringify(await threads.messages(threadId))).toContain('Never push to main.')
    expect((await threads.pins(threadId)).map(({ text }) => text)).toEqual(['Never push to main.'])
    let heard: string | undefined
    const propose: Strategy['propose'] = async ({ instructions }) => {
      heard = instructions
      return { edits: [] }
    }
    await agent.compact(threadId, {
      strategy: { id: 'heeding', propose },
      instructions: 'Be brief.',
    })
    expect(heard).toBe('Be brief.\n\nKeep the port.')
  })

  it('a hook may propose in place of the strategy, through the same gate [ALWAYS-16, NEED-18]', async () => {
    const hooks = [{ name: 'mine', before: () => ({ proposal: HALVING.propose }) }]
    const { agent, threadId, threads, dev, eventsOf } = await hooked(hooks)
    for (const text of ['one', 'two'])
      await threads.import(threadId, [user(text), ...answer('Yes.')])
    expect(await agent.compact(threadId)).toMatchObject({ success: true, strategy: 'hook:mine' })
    expect((await eventsOf('COMPACTION'))[0]?.data.strategyId).toBe('hook:mine')
    expect(dev.requests).toEqual([])
  })

  it('what a hook proposes is not done where it would part a call from its result [ALWAYS-16]', async () => {
    const hooks = [{ name: 'mine', before: () => ({ proposal: HALVING.propose }) }]
    const { agent, threadId, eventsOf } = await hooked(hooks)
    expect(await agent.compact(threadId)).toMatchObject({ success: true, strategy: 'ai-summarize' })
    const [failed] = await eventsOf('COMPACTION_FAILED')
    expect(failed?.data.strategyId).toBe('hook:mine')
  })

  it('one that throws is left out and told of, and the compaction is done [ALWAYS-16]', async () => {
    const { agent, threadId, frames } = await hooked([
      {
        name: 'broken',
        before: () => {
          throw new Error('oh no')
        },
        after: () => Promise.reject(new Error('oh no again')),
      },
    ])
    expect(await agent.compact(threadId)).toMatchObject({ success: true, strategy: 'ai-summarize' })
    const said = frames.flatMap((frame) => (frame.type === 'notice' ? [frame.message] : []))
    expect(said).toEqual([
      expect.stringMatching(/broken was left out: oh no/),
      expect.stringMatching(/broken failed after the compaction: oh no again/),
    ])
  })

  it('one that hangs is left behind when its time is over [ALWAYS-16]', async () => {
    const clock = new ManualClock()
    const asked = Promise.withResolvers<void>()
    const hangs: CompactionHooks = {
      before() {
        asked.resolve()
        return new Promise(() => undefined)
      },
    }
    const { agent, threadId } = await hooked([hangs], { clock })
    const running = agent.compact(threadId)
    await asked.promise
    clock.advance(10_000)
    expect(await running).toMatchObject({ success: true })
  })
})

describe('after a compaction', () => {
  it('hooks hear what was dropped and how it ended, and may say something [ALWAYS-16, NEED-18]', async () => {
    const heard: { dropped: Dropped[]; results: RunResult[] } = { dropped: [], results: [] }
    const { agent, threadId, threads, frames } = await hooked([
      {
        onDrop: (dropped) => void heard.dropped.push(...dropped),
        after(result) {
          heard.results.push(result)
          return 'Look at the notes.'
        },
      },
    ])
    const result = await agent.compact(threadId)
    expect(heard.results).toEqual([result])
    const [dropped] = heard.dropped
    const originals = await threads.originals(threadId, dropped?.ref ?? 'e1')
    expect(originals.map(({ type }) => type)).toContain('TOOL_RESULT')
    expect(frames).toContainEqual(
      expect.objectContaining({ type: 'notice', message: 'Look at the notes.' }),
    )
  })

  it.each([
    [{ notice: 5 }, 'its notice or reminder is not a text.'],
    [{ reminder: ['x'] }, 'its notice or reminder is not a text.'],
  ])('a hook that says %j fails by its name, and the compaction is done', async (said, why) => {
    const after = () => said as unknown as string
    const { agent, threadId, frames } = await hooked([{ name: 'mine', after }])
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    const message = `Hook mine failed after the compaction: ${why}`
    expect(frames).toContainEqual(expect.objectContaining({ type: 'notice', message }))
  })

  it('a hook may speak to the model: a reminder behind what is there now [ALWAYS-16]', async () => {
    const after = () => ({ reminder: 'The plan is in plan.md.', notice: 'Told the model.' })
    const { agent, threadId, dev, frames } = await hooked([{ after }])
    dev.script(() => ({ text: 'We looked at the past, and it was fine.' }))
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    await agent.sendMessage(threadId, 'and now?')
    expect(lastMessages(dev).at(-1)?.text).toContain('The plan is in plan.md.')
    expect(frames).toContainEqual(expect.objectContaining({ message: 'Told the model.' }))
  })

  it('also where the agent compacts beside other calls: behind their results, and in a new session', async () => {
    const after = () => ({ reminder: 'The plan is in plan.md.' })
    const { agent, threadId, dev, threads } = await hooked([{ after }], { preset: 'range' })
    const summary = 'We looked at the past, and it was fine.'
    const calls = [
      { id: 'compact', name: 'compact', arguments: { replacements: [{ summary }] } },
      { id: 'beside', name: 'list', arguments: {} },
    ]
    dev.script([{ calls }, { text: 'done' }, { text: summary }, { text: 'yes' }])
    await agent.sendMessage(threadId, 'go')
    expect(lastMessages(dev).at(-1)?.text).toContain('The plan is in plan.md.')
    expect((await threads.messages(threadId)).problems).toEqual([])
    const { fresh } = await agent.compact(threadId, { strategy: 'fresh-session' })
    await agent.sendMessage(fresh?.threadId ?? '', 'and now?')
    expect(lastMessages(dev).at(-1)?.text).toContain('The plan is in plan.md.')
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})
