// One turn of the agent behind a long log and behind a short one, with the same context and a model that answers at once.
import { join } from 'node:path'
import { type Agent, createAgent } from '../../src/agent/agent.ts'
import type { AgentModel, AgentPorts } from '../../src/agent/ports.ts'
import type { Tool } from '../../src/core/agent/tool.ts'
import { PrecisError } from '../../src/core/errors.ts'
import type { ModelFrame, ModelRequest, Provider } from '../../src/core/model.ts'
import type { Store } from '../../src/core/ports.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { systemClock } from '../../src/system.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { Random } from '../../test/generate/random.ts'
import { conversation, summaryBeforeTail } from '../core/conversation.ts'
import { benchIds, inFolder, progress, threadsOver } from '../core/place.ts'
import { type Answered, compare, type Goal } from '../figure.ts'
import { interleave } from '../measure.ts'
import type { Settings } from './settings.ts'

const GOAL: Goal = { is: 'at most', ratio: 1.5 }
const WINDOW_TOKENS = 1_000_000

export function turnCost(settings: Settings): Promise<Answered[]> {
  return inFolder(async (folder) => {
    const store = await openSqliteStore(join(folder, 'agent.db'))
    try {
      return await measured(store, settings)
    } finally {
      await store.close()
    }
  })
}

async function measured(store: Store, settings: Settings): Promise<Answered[]> {
  const { longEvents, shortEvents, rounds } = settings
  const threads = threadsOver(store)
  progress(`turn: building ${longEvents} events`)
  const long = await compactedThread(threads, longEvents, settings)
  const short = await compactedThread(threads, shortEvents, settings)
  const agent = agentOver(threads, store)
  const wall = { long: [] as number[], short: [] as number[] }
  const arm = (name: 'long' | 'short', threadId: string) => async (round: number) => {
    const { cpuMicros, wallMicros } = await costOfTurns(agent, threadId, settings.turnsPerRound)
    if (round >= 0) wall[name].push(wallMicros)
    return cpuMicros
  }
  progress(`turn: ${rounds} rounds of ${settings.turnsPerRound} turns`)
  const cpu = await interleave({ long: arm('long', long), short: arm('short', short) }, { rounds })
  await agent.close()
  const subject = `turn with one tool call behind ${longEvents.toLocaleString('en-US')} events`
  const reference = `behind ${shortEvents.toLocaleString('en-US')}`
  const question = { unit: 'µs', goal: GOAL } as const
  return [
    compare(
      { id: 'turn', ...question, subject: `${subject}, processor`, reference },
      cpu.long,
      cpu.short,
    ),
    compare(
      { id: 'turn-wall', ...question, subject: `${subject}, on the wall`, reference },
      wall.long,
      wall.short,
    ),
  ]
}

/** A thread of so many events that was compacted all along, as a session is: both end up alike. */
async function compactedThread(
  threads: Threads,
  events: number,
  { seed, eventChars, eventsBetween, contextEntries }: Settings,
): Promise<string> {
  const threadId = await threads.create()
  for (let made = 0; made < events; made += eventsBetween) {
    // The last stretch has the same words in every thread.
    const random = new Random(seed + events - made)
    for (const batch of conversation(random, eventsBetween, eventChars))
      await threads.append(threadId, batch)
    const outcome = await threads.compact(threadId, summaryBeforeTail(random, contextEntries))
    if (!outcome.committed) throw new Error(`not compacted: ${outcome.refusal.message}`)
  }
  return threadId
}

async function costOfTurns(agent: Agent, threadId: string, turns: number) {
  const startMs = performance.now()
  const start = process.cpuUsage()
  for (let turn = 0; turn < turns; turn += 1) {
    const outcome = await agent.sendMessage(threadId, 'Look at it once more, and say what you see.')
    if (outcome.status !== 'done') throw new Error(`the turn ended as ${outcome.status}`)
  }
  const { user, system } = process.cpuUsage(start)
  const wallMicros = ((performance.now() - startMs) * 1_000) / turns
  return { cpuMicros: (user + system) / turns, wallMicros }
}

function agentOver(threads: Threads, store: Store): Agent {
  const unused = () => {
    throw new PrecisError('internal', 'The benchmark does not compact.')
  }
  const ports: AgentPorts = {
    threads,
    store,
    clock: systemClock,
    ids: benchIds,
    models: { resolve: async () => MODEL, summarizer: { ask: unused } },
    tools: () => [LOOK],
    compactTool: { schema: unused, read: unused, strategy: unused },
  }
  return createAgent(ports, {
    preset: 'log',
    approval: { mode: 'allow', allow: [], deny: [], readOnly: false },
  })
}

const LOOK: Tool = {
  name: 'look',
  description: 'Looks at it.',
  inputSchema: { type: 'object', properties: {} },
  effect: 'none',
  isParallel: true,
  subjectOf: () => 'it',
  run: async () => ({ status: 'completed', content: [{ type: 'text', text: 'It is green.' }] }),
}

const PROVIDER: Provider = {
  id: 'bench',
  async *stream(request) {
    yield* answerTo(request)
  },
}

/** A call, and once its result is there, a sentence. */
function answerTo({ messages }: ModelRequest): ModelFrame[] {
  const isDone = messages.at(-1)?.parts.some(({ type }) => type === 'tool_result') ?? false
  const usage = { promptTokens: 20_000, completionTokens: 20, totalTokens: 20_020 }
  if (isDone)
    return [
      { type: 'part', part: { type: 'text', text: 'It is green.' } },
      { type: 'end', stopReason: 'end', usage },
    ]
  return [
    { type: 'call', id: `call_${messages.length}`, name: 'look', arguments: {} },
    { type: 'end', stopReason: 'tool_use', usage },
  ]
}

const MODEL: AgentModel = {
  ref: 'bench/model',
  model: 'model',
  provider: PROVIDER,
  windowTokens: WINDOW_TOKENS,
  isWindowKnown: true,
  canThink: false,
  costOf: () => undefined,
}
