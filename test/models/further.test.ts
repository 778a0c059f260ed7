// Further characters of model through the agent, with what must hold of every compaction whoever summarises.
import { describe, expect, it } from 'vitest'
import type { CommandReply } from '../../src/agent/commands/commands.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { billedUsage } from '../../src/core/window/usage.ts'
import type { Asked, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { runsIn } from '../agent/past.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { user } from '../say.ts'
import { inTurn } from '../scale.ts'
import { keptOf } from './cells.ts'
import { plantedDrafts, scriptOf, summaryOf } from './doors.ts'
import { FURTHER, FURTHER_ANSWERS } from './further-characters.ts'
import { REQUEST } from './planted.ts'

const WINDOW = 16_000
const PRESETS = ['range', 'whole', 'fold', 'log', 'fresh', 'precis'] as const
type Preset = (typeof PRESETS)[number]

async function planted(
  preset: Preset,
  windows: number,
): Promise<AgentSetup & { facts: readonly string[] }> {
  const setup = await setUpAgent({ preset, windowTokens: WINDOW, outputTokens: 1_500 })
  const { drafts, facts } = plantedDrafts(windows * WINDOW)
  await setup.threads.import(setup.threadId, drafts)
  return { ...setup, facts }
}

async function sent({ threads }: Pick<AgentSetup, 'threads'>, threadId: string): Promise<string> {
  const { messages } = await threads.messages(threadId)
  return messages
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')
}

/** One of: done, nothing to do, fell back, failed. */
const ENDS = [
  /^✅ Conversation compacted successfully\n[\w-]+: [\d,]+ → [\d,]+ tokens \(\d+ % less\)$/,
  /^Nothing was compacted: /,
  /^Conversation compacted\. .*(?:Fell back because .+: a brief by extract took its place\.|took its place\.|The context is not smaller; \/undo reverts it\.)/,
  /^❌ Compaction failed: .+/,
  /^Compact failed: .+/,
  /^New session started with compacted context(?:\nFell back because .+: a brief by extract took its place\.)?$/,
]
/** What a person cannot do anything with. */
const UNREADABLE =
  /You (?:did|have|called)|undefined|\[object|NaN|<\/?\w+>|\{"|stop_reason|tool_use/

/** Compacts, and says what came of it. */
async function expectHonest(setup: AgentSetup & { facts: readonly string[] }, name: string) {
  const { threads, threadId, facts } = setup
  const before = await threads.fork(threadId)
  const { ok, text, compaction } = await commanded(setup)
  const what = `${name}: ${text}`
  expect(
    ENDS.filter((end) => end.test(text)),
    what,
  ).toHaveLength(1)
  expect(text, what).not.toMatch(UNREADABLE)
  const freshId = compaction?.fresh?.threadId
  const left = await sent(setup, freshId ?? threadId)
  // What a model quotes is not edited; what code puts beside it says the request once.
  const isQuoted = name.startsWith('answers with the prompt')
  const isOwn =
    isQuoted || ['checkpoint-range', 'whole-summary'].includes(compaction?.strategy ?? '')
  const times = left.split(REQUEST).length - 1
  if (isOwn) expect(times, what).toBeGreaterThan(0)
  else expect(times, what).toBe(1)
  const { before: was, after: is } = compaction ?? {}
  if (text.includes('✅')) expect(is?.tokens, what).toBeLessThan(was?.tokens ?? 0)
  const outcome = { freshId, isCommitted: ok }
  if (!ok) return outcome
  const tokens = is?.tokens ?? weightOf(await threads.context(freshId ?? threadId))
  const inBrief = await inBriefOf({ threads, facts }, before, tokens)
  expect(
    keptOf(facts, left),
    `${what}: facts, beside ${inBrief} of a brief`,
  ).toBeGreaterThanOrEqual(inBrief)
  return outcome
}

/** Every answer is on a bill: that of the thread, or of the new one that it began. Else the next run has it. */
async function expectBilled({ threads, threadId, dev }: AgentSetup, freshId: string | undefined) {
  const answered = dev.requests.filter(({ outcome }) => outcome === 'answered')
  const spent = answered.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0)
  const { opening } = freshId === undefined ? {} : await threads.usage(freshId)
  const own = billedUsage(await threads.usage(threadId))
  expect(own.completionTokens + (opening?.completionTokens ?? 0), 'the bill').toBe(spent)
}

/** What code alone keeps in so many tokens. */
async function inBriefOf(
  { threads, facts }: Pick<AgentSetup, 'threads'> & { facts: readonly string[] },
  copy: string,
  targetTokens: number,
) {
  try {
    const outcome = await threads.compact(copy, 'extract', { targetTokens })
    return outcome.committed ? keptOf(facts, await sent({ threads }, copy)) : 0
  } catch (thrown) {
    if (PrecisError.is(thrown) && thrown.code === 'irreducible') return 0
    throw thrown
  } finally {
    await threads.delete(copy)
  }
}

async function commanded(setup: AgentSetup): Promise<CommandReply> {
  const outcome = await setup.agent.sendMessage(setup.threadId, '/compact')
  if (outcome.status !== 'command') throw new Error(outcome.status)
  return outcome.reply
}

const SCRIPTS: (readonly [string, (asked: Asked) => ScriptedAnswer])[] = [
  ...FURTHER.map(
    (character) => [character.name, (asked: Asked) => summaryOf(character, asked)] as const,
  ),
  ...Object.entries(FURTHER_ANSWERS).map(([name, answer]) => [name, () => answer] as const),
]

describe('/compact', () => {
  it.each(SCRIPTS.map(([name, script], at) => [name, script, at] as const))(
    'with a model that «%s»: the request once, no false success, all on the bill, undone to the byte',
    async (name, script, at) => {
      for (const preset of inTurn([...PRESETS], at)) {
        const setup = await planted(preset, 0.5)
        const { threads, threadId, dev, agent } = setup
        await threads.append(threadId, [user(REQUEST)])
        const before = await threads.messages(threadId)
        dev.script(script)
        const what = `${name}, ${preset}`
        const { freshId, isCommitted } = await expectHonest(setup, what)
        if (preset !== 'fresh' || isCommitted) await expectBilled(setup, freshId)
        while ((await threads.context(threadId)).stack.length > 0) await threads.undo(threadId)
        expect(await threads.messages(threadId), what).toEqual(before)
        // And once more, on what is there by then.
        if (isCommitted && freshId === undefined) await threads.redo(threadId)
        await expectHonest(setup, `${what}, and again`)
        await agent.close()
      }
    },
  )
})

describe('automatic compaction', () => {
  it.each(FURTHER.map((character, at) => [character.name, character, at] as const))(
    'with a model that «%s»: the request is answered, once, after two compactions at most',
    async (name, character, at) => {
      for (const preset of inTurn(['range', 'whole', 'fold', 'log', 'precis'] as const, at)) {
        const setup = await planted(preset, 0.95)
        const { agent, dev, threadId, frames } = setup
        dev.script(scriptOf(character))
        const outcome = await agent.sendMessage(threadId, REQUEST)
        const what = `${name}, ${preset}`
        expect(outcome, what).toMatchObject({ status: 'done', text: 'Renamed.' })
        expect(runsIn(frames).length, what).toBeLessThanOrEqual(2)
        expect((await sent(setup, threadId)).split(REQUEST).length - 1, what).toBe(1)
        await agent.close()
      }
    },
  )
})
