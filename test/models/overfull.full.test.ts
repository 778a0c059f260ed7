// A conversation longer than its window, with models that write no summary: it is compacted, once, and goes on.
import { describe, expect, it } from 'vitest'
import { weightOf } from '../../src/core/view/context.ts'
import { runsIn } from '../agent/past.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { user } from '../say.ts'
import { inTurn } from '../scale.ts'
import { CHARACTERS } from './characters.ts'
import { plantedDrafts, scriptOf } from './doors.ts'
import { REQUEST } from './planted.ts'

const WINDOW = 16_000
const TRIGGER = 0.8 * WINDOW
const NAMES = ['terse', 'calls tools', 'empty', 'overwrites']
const POOR = CHARACTERS.filter(({ name }) => NAMES.includes(name))
const CASES = POOR.map((character, at) => [character.name, character, at] as const)
const PRESETS = ['range', 'whole', 'fold', 'log'] as const

async function planted(
  preset: (typeof PRESETS)[number] | 'precis',
  windows: number,
): Promise<AgentSetup> {
  const setup = await setUpAgent({ preset, windowTokens: WINDOW })
  await setup.threads.import(setup.threadId, plantedDrafts(windows * WINDOW).drafts)
  return setup
}

async function requireRoom({ threads, threadId, dev }: AgentSetup, what: string): Promise<void> {
  const context = await threads.context(threadId)
  expect(weightOf(context), what).toBeLessThan(TRIGGER)
  const { messages } = await threads.messages(threadId)
  expect(JSON.stringify(messages), what).toContain(JSON.stringify(REQUEST).slice(1, -1))
  // No request was sent that its provider had to refuse.
  expect(
    dev.requests.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'answered'),
    what,
  ).toEqual([])
}

describe.each([2, 10])('%d windows', (windows) => {
  /** Each preset with one of the models, where a conversation is very long. */
  const presetsAt = (at: number) =>
    windows > 2 ? PRESETS.filter((_, index) => index === at % PRESETS.length) : inTurn(PRESETS, at)

  it.each(CASES)('are compacted by /compact with a model that is «%s»', async (name, poor, at) => {
    for (const preset of presetsAt(at)) {
      const setup = await planted(preset, windows)
      const { agent, dev, threads, threadId } = setup
      await threads.append(threadId, [user(REQUEST)])
      dev.script(scriptOf(poor))
      const outcome = await agent.sendMessage(threadId, '/compact')
      if (outcome.status !== 'command') throw new Error(outcome.status)
      const { ok, text, compaction } = outcome.reply
      const what = `${name}, ${preset}: ${text}`
      expect(ok, what).toBe(true)
      await requireRoom(setup, what)
      if (compaction?.report?.fallback) expect(text, what).toMatch(/ failed: .+ took its place\.$/m)
      await agent.close()
    }
  })

  it.each(CASES)(
    'are compacted by themselves, with a model that is «%s»',
    async (name, poor, at) => {
      for (const preset of presetsAt(at + 1)) {
        const setup = await planted(preset, windows)
        const { agent, dev, threadId, frames } = setup
        dev.script(scriptOf(poor))
        const outcome = await agent.sendMessage(threadId, REQUEST)
        const what = `${name}, ${preset}`
        expect(outcome, what).toMatchObject({ status: 'done', text: 'Renamed.' })
        expect(runsIn(frames), what).toMatchObject([{ success: true }])
        await requireRoom(setup, what)
        await agent.close()
      }
    },
  )
})

it('the fallback of the preset comes before the last resort', async () => {
  const { agent, threads, threadId } = await planted('precis', 2)
  threads.register({ id: 'brief', propose: () => Promise.reject(new Error('no such luck')) })
  const outcome = await agent.sendMessage(threadId, '/compact')
  if (outcome.status !== 'command') throw new Error(outcome.status)
  expect(outcome.reply).toMatchObject({ ok: true, compaction: { strategy: 'extract' } })
  expect(weightOf(await threads.context(threadId))).toBeLessThan(TRIGGER)
})

it('the agent is told how to mend its call, and a person is told something else', async () => {
  const { agent, dev, threads, threadId } = await planted('whole', 0.5)
  const before = await threads.context(threadId)
  dev.script(() => ({ calls: [{ name: 'compact', arguments: { summary: '# Summary' } }] }))
  const outcome = await agent.sendMessage(threadId, '/compact')
  if (outcome.status !== 'command') throw new Error(outcome.status)
  expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('then call compact again')
  expect(outcome.reply.text).toMatch(/its call was refused\. The summary says nothing of the \d/)
  expect(outcome.reply.text).not.toMatch(/call compact again|\byou\b/i)
  expect((await threads.context(threadId)).tokens).toBe(before.tokens)
})
