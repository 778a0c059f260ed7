// What must hold of every compaction, whoever summarises, through whatever door.
import { expect } from 'vitest'
import type { CommandReply } from '../../src/agent/commands/commands.ts'
import { PrecisError } from '../../src/core/errors.ts'
import type { Clock } from '../../src/core/ports.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { billedUsage } from '../../src/core/window/usage.ts'
import { systemClock } from '../../src/system.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from '../agent/setup.ts'
import { keptOf } from './cells.ts'
import { plantedDrafts } from './doors.ts'
import { REQUEST } from './planted.ts'

export const WINDOW = 16_000

/** What waits for a provider waits fifty times shorter. */
export const HASTE: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / 50, signal),
}

export type Planted = AgentSetup & { facts: readonly string[] }

/** A thread of so many windows, in which the last request is still to be said. */
export async function planted(
  preset: NonNullable<SetupOptions['preset']>,
  windows: number,
  options: SetupOptions = {},
): Promise<Planted> {
  const own = { preset, windowTokens: WINDOW, outputTokens: 1_500, modelClock: HASTE }
  const setup = await setUpAgent({ ...own, ...options })
  const { drafts, facts } = plantedDrafts(windows * WINDOW)
  await setup.threads.import(setup.threadId, drafts)
  return { ...setup, facts }
}

export async function sent(
  { threads }: Pick<AgentSetup, 'threads'>,
  threadId: string,
): Promise<string> {
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

/** What a person is told: one of the four ends, in words for a person. */
function expectOneEnd(text: string, what: string): void {
  expect(
    ENDS.filter((end) => end.test(text)),
    what,
  ).toHaveLength(1)
  expect(text, what).not.toMatch(UNREADABLE)
}

export function timesIn(text: string, part: string): number {
  return text.split(part).length - 1
}

/** What a door answers a command with. */
interface Told {
  readonly ok: boolean
  readonly text: string
  readonly compaction?:
    | {
        readonly strategy?: string | undefined
        readonly fresh?: { readonly threadId: string } | undefined
        readonly before?: { readonly tokens?: number | undefined } | undefined
        readonly after?: { readonly tokens?: number | undefined } | undefined
      }
    | undefined
}

type Held = Pick<AgentSetup, 'threads' | 'threadId'> & { readonly facts: readonly string[] }

/** Compacts, and says what came of it. */
export function expectHonest(setup: Planted, name: string) {
  return expectHonestBy(setup, name, () => commanded(setup))
}

/** The same through any door. */
export async function expectHonestBy(
  { threads, threadId, facts }: Held,
  name: string,
  command: () => Promise<Told>,
) {
  const before = await threads.fork(threadId)
  const { ok, text, compaction } = await command()
  const what = `${name}: ${text}`
  expectOneEnd(text, what)
  const freshId = compaction?.fresh?.threadId
  const left = await sent({ threads }, freshId ?? threadId)
  // What a model quotes is not edited; what code puts beside it says the request once.
  const isQuoted = name.startsWith('answers with the prompt')
  const isOwn =
    isQuoted || ['checkpoint-range', 'whole-summary'].includes(compaction?.strategy ?? '')
  const times = timesIn(left, REQUEST)
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

/** Takes back every compaction. */
export async function undoAll({
  threads,
  threadId,
}: Pick<AgentSetup, 'threads' | 'threadId'>): Promise<void> {
  const { stack } = await threads.context(threadId)
  for (const _ of stack) await threads.undo(threadId)
  expect((await threads.context(threadId)).stack).toHaveLength(0)
}

/** Every answer is on a bill: that of the thread, or of the new one that it began. Else the next run has it. */
export async function expectBilled(
  { threads, threadId, dev }: Pick<AgentSetup, 'threads' | 'threadId' | 'dev'>,
  freshId: string | undefined,
) {
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
