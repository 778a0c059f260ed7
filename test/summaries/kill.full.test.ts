// A process that is killed at every stage of a summary: nothing is lost, and nothing stands half made.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Agent } from '../../src/agent/agent.ts'
import type { ThreadSettings } from '../../src/core/log/event.ts'
import type { Clock } from '../../src/core/ports.ts'
import type { Asked, ScriptedAnswer, ScriptFunction } from '../../src/dev-model/index.ts'
import { systemClock } from '../../src/system.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { resumed } from '../agent/host.ts'
import { textOf } from '../agent/past.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { compactCall } from '../agent/transcript.ts'
import { folding } from '../fold/small-agent.ts'
import { answer, result, user } from '../say.ts'
import { within } from '../wait.ts'
import type { KillOrder, Stage } from './kill-child.ts'
import { sectioned } from './summary-texts.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))
/** Longer than a busy machine keeps a process from renewing it: nobody but the next one takes over. */
const LEASE_MS = 12_000
const STALL_MS = 54_321 // nobody else waits for so long
const SETTINGS = { preset: 'fresh', windowTokens: 20_000, outputTokens: 8_192 } as const
const WAITING = 'And one thing more.'
const PINNED = 'Never push.'

type Answers = (asked: Asked) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

const inSections: Answers = (asked) => ({ text: sectioned(told(asked)) })
const WAYS: readonly (readonly [name: string, chosen: ThreadSettings, answers: Answers])[] = [
  ['brief', { strategy: 'brief' }, inSections],
  ['summarize', { strategy: 'summarize' }, inSections],
  ['ai-summarize', { strategy: 'ai-summarize' }, inSections],
  ['keep-recent', { strategy: 'keep-recent' }, inSections],
  ['whole-summary', { strategy: 'whole-summary' }, inSections],
  [
    'whole-summary by the agent',
    { preset: 'whole' },
    () => compactCall({ summary: 'In short, all of it.' }),
  ],
  ['chunked-fold', { preset: 'fold' }, (asked) => folding()(asked, null)],
]
const STAGES: readonly Stage[] = ['asking', 'streaming', 'answered', 'committed']

describe('a process that is killed, and the next one', () => {
  it.each(WAYS)(
    '%s: the context as it was, or the whole compaction, at every stage [ALWAYS-02, ALWAYS-06, NEED-14]',
    async (_, chosen, answers) => {
      const setup = await setUp()
      const pasts = await makePasts(setup, STAGES, chosen)
      await killAtStages(setup, pasts, answers)
      const next = await setup.elsewhere()
      // All of them before a lease of the dead is over, and what waits is answered.
      for (const past of pasts) await unchangedOrCompacted(next.threads, past)
      for (const past of pasts) {
        setup.dev.script(() => ({ text: 'Yes.' }))
        await goesOn(next, past.threadId)
        setup.dev.script(answersOf(answers))
        if (past.stage !== 'committed')
          expect(await next.agent.compact(past.threadId)).toMatchObject({ success: true })
      }
      expect(setup.dev.requests.flatMap(({ violations }) => violations)).toEqual([])
    },
  )

  it('fresh-session: the old thread as it was, and beside it a whole new one with what waited, or none [FRESH-22, FRESH-23, FRESH-30, ALWAYS-06, ALWAYS-07, ALWAYS-21]', async () => {
    const setup = await setUp()
    const { dev, store } = setup
    const chosen = { strategy: 'fresh-session' }
    const pasts = await makePasts(setup, STAGES, chosen)
    await killAtStages(setup, pasts, inSections)
    const next = await setup.elsewhere()
    const { items } = await store.list()
    const known = new Set([setup.threadId, ...pasts.map(({ threadId }) => threadId)])
    const made = new Map<string, string>() // old thread → new one
    for (const { threadId } of items.filter((info) => !known.has(info.threadId))) {
      const [started] = await next.threads.getAllEvents(threadId)
      if (started?.type === 'THREAD_STARTED') made.set(started.data.from?.threadId ?? '', threadId)
    }
    const opened = pasts.filter(({ stage }) => stage === 'committed')
    expect([...made.keys()].sort()).toEqual(opened.map(({ threadId }) => threadId).sort())
    dev.script(() => ({ text: 'Yes.' }))
    // All of them before a lease of the dead is over, and what waits is answered.
    for (const past of pasts) {
      expect(await contextOf(next.threads, past.threadId)).toBe(past.context)
      const since = (await next.threads.getAllEvents(past.threadId)).slice(past.log.length)
      expect(since.map(({ type }) => type)).toEqual(['MESSAGE_QUEUED']) // the user's own
      const fresh = made.get(past.threadId)
      if (fresh !== undefined) {
        const words = await contextOf(next.threads, fresh)
        expect(words).toMatch(/^\[\{"role":"user".*<summary>/)
        expect(words).toContain(PINNED)
        expect(await next.threads.pins(fresh)).toMatchObject([
          { text: PINNED },
          { entries: [expect.stringMatching(/^e\d+$/)] },
        ])
      }
    }
    // What was said meanwhile waits in one of the two, also for somebody who begins with the old one.
    for (const past of pasts) {
      const fresh = made.get(past.threadId)
      await goesOn(next, past.threadId, fresh === undefined ? 1 : 0)
      if (fresh !== undefined) await goesOn(next, fresh)
    }
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})

/** A thread that is to be killed at a stage, and all that it was before. */
interface Past {
  readonly threadId: string
  readonly stage: Stage
  readonly context: string
  readonly log: readonly unknown[]
}

interface KillSetup extends AgentSetup {
  /** Resolves when the model has stopped in the middle of an answer. */
  readonly stalled: Promise<void>
}

async function setUp(): Promise<KillSetup> {
  const { promise: stalled, resolve } = Promise.withResolvers<void>()
  const clock: Clock = {
    now: () => systemClock.now(),
    sleep(ms, signal) {
      if (ms === STALL_MS) resolve()
      return systemClock.sleep(ms, signal)
    },
  }
  const agent = { limits: { leaseMs: LEASE_MS } }
  return { ...(await setUpAgent({ ...SETTINGS, dev: { clock }, agent })), stalled }
}

/** One for each stage, which it names, so that the model knows them apart. */
function makePasts(
  { threads }: KillSetup,
  stages: readonly Stage[],
  chosen: ThreadSettings,
): Promise<Past[]> {
  return Promise.all(
    stages.map(async (stage) => {
      const threadId = await threads.create({}, [
        { type: 'THREAD_SETTINGS', data: chosen },
        user(`Look into it. Stage: ${stage}.`),
        ...answer('Looking.', 'a'),
        result('a', textOf(7_000)),
        ...answer('Seen.'),
        user('And now?'),
        ...answer(textOf(900)),
      ])
      await threads.pin(threadId, { text: PINNED })
      await threads.pin(threadId, { entries: ['e8'] })
      const log = await threads.getAllEvents(threadId)
      return { threadId, stage, context: await contextOf(threads, threadId), log }
    }),
  )
}

/** One process for all: each thread stops at its own stage, and when all have stopped it is killed. */
async function killAtStages(
  setup: KillSetup,
  pasts: readonly Past[],
  answers: Answers,
): Promise<void> {
  const { dev, another, storeUrl, folder, stalled } = setup
  const agent = another()
  const waits = new Map<string, Promise<unknown>>()
  /** Somebody says something meanwhile, once, from another process than the one that is killed. */
  const sayMeanwhile = (threadId: string) => {
    const said = waits.get(threadId) ?? agent.sendMessage(threadId, WAITING)
    waits.set(threadId, said)
    return said
  }
  dev.script(
    answersOf(answers, async (stage) => {
      const past = pasts.find((each) => each.stage === stage)
      if (past) await sayMeanwhile(past.threadId)
    }),
  )
  const order: KillOrder = {
    storeUrl,
    devUrl: dev.url,
    folder,
    settings: SETTINGS,
    leaseMs: LEASE_MS,
    stages: Object.fromEntries(pasts.map(({ threadId, stage }) => [threadId, stage])),
  }
  const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const left = new Set(pasts.flatMap(({ threadId, stage }) => (isTold(stage) ? [threadId] : [])))
  for await (const threadId of createInterface(child.stdout)) {
    await sayMeanwhile(threadId)
    left.delete(threadId)
    if (left.size === 0) break
  }
  expect([...left]).toEqual([])
  await stalled
  for (const said of waits.values()) expect(await said).toMatchObject({ status: 'queued' })
  await agent.close() // it would see to its messages itself
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await within('the end of the child', exited)
  await dev.idle()
}

/** Whether the child says that it is there; otherwise the model knows. */
function isTold(stage: Stage): boolean {
  return stage !== 'streaming'
}

/** The stage stands in what the model is told; where that says so, it stops in the middle. */
function answersOf(
  answers: Answers,
  onStage?: (stage: string | undefined) => Promise<void>,
): ScriptFunction {
  return async (asked) => {
    const stage = /Stage: (\w+)\./.exec(told(asked))?.[1]
    await onStage?.(stage)
    const given = await answers(asked)
    return onStage && stage === 'streaming'
      ? { ...given, fault: { kind: 'stall', at: 'middle', ms: STALL_MS } }
      : given
  }
}

function told({ turns }: Asked): string {
  return turns
    .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
    .join('\n')
}

async function contextOf(threads: Threads, threadId: string): Promise<string> {
  const { messages, problems } = await threads.messages(threadId)
  expect(problems).toEqual([])
  return JSON.stringify(messages)
}

async function unchangedOrCompacted(threads: Threads, past: Past): Promise<void> {
  const { threadId, stage, context, log } = past
  const all = await threads.getAllEvents(threadId)
  expect(all.slice(0, log.length)).toEqual(log)
  const since = all.slice(log.length).map(({ type }) => type)
  if (stage !== 'committed') {
    expect(since).toEqual(['MESSAGE_QUEUED'])
    expect(await contextOf(threads, threadId)).toBe(context)
    return
  }
  expect(since.sort()).toEqual(['COMPACTION', 'MESSAGE_QUEUED'])
  const compacted = await contextOf(threads, threadId)
  expect(compacted.length).toBeLessThan(context.length)
  expect(compacted).toContain(PINNED)
  await threads.undo(threadId)
  expect(await contextOf(threads, threadId)).toBe(context)
  await threads.redo(threadId)
  expect(await contextOf(threads, threadId)).toBe(compacted)
}

/** What was said meanwhile is answered once the lease of the dead is over, and so is what comes next. */
async function goesOn(
  { agent, threads }: { agent: Agent; threads: Threads },
  threadId: string,
  waiting = 1,
): Promise<void> {
  if (waiting > 0) {
    expect(await resumed(agent, threadId)).toMatchObject({ status: 'done', text: 'Yes.' })
  }
  expect(await agent.sendMessage(threadId, 'Are you there?')).toMatchObject({ text: 'Yes.' })
  const words = await contextOf(threads, threadId)
  expect(words.split(WAITING)).toHaveLength(waiting + 1)
}
