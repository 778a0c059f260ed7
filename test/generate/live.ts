// Two processes on one store, and random things that either of them does to a thread.
import type { EntryId } from '../../src/core/edit/change.ts'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { readRow, writeEvent } from '../../src/core/log/codec.ts'
import {
  EVENT_VERSION,
  type EventDraft,
  type NewEvent,
  type ThreadEvent,
} from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'
import { breakRow } from './broken-row.ts'
import { randomAnswer, randomResult, randomText } from './content.ts'
import { randomProposal } from './proposal.ts'
import { Random } from './random.ts'
import { testClock, testIds } from './test-log.ts'
import { answerWithCalls, callIds } from './thread.ts'

const STEPS = {
  turn: 6,
  round: 6,
  compact: 8,
  askCompact: 2,
  undo: 4,
  undoOlder: 3,
  redo: 3,
  redoOlder: 1,
  expand: 3,
  expandOriginal: 1,
  pin: 2,
  unpin: 1,
  system: 1,
  brokenRow: 1,
  race: 3,
  fork: 1,
} as const

type StepName = keyof typeof STEPS
type Act = (threads: Threads, world: LiveWorld) => Promise<unknown>

/** Reversals may be refused, with a reason; the newest change alone can always be undone. */
const REFUSALS = new Set(['covered-by', 'nothing-to-undo', 'nothing-to-redo', 'unknown-entry'])
const REVERSALS: ReadonlySet<StepName> = new Set([
  'undo',
  'undoOlder',
  'redo',
  'redoOlder',
  'expand',
  'expandOriginal',
])

export class LiveWorld {
  readonly store: Store
  readonly processes: readonly Threads[]
  readonly random: Random
  readonly did: string[] = []
  threadId = ''

  private constructor(seed: number, store: Store) {
    this.store = store
    this.random = new Random(seed)
    this.processes = ['a', 'b'].map((name, at) =>
      createThreads({
        store,
        clock: testClock(),
        ids: testIds(`${seed}${name}`),
        strategies: [randomStrategy(new Random(seed * 2 + at))],
      }),
    )
  }

  static async begin(seed: number, store: Store): Promise<LiveWorld> {
    const world = new LiveWorld(seed, store)
    world.threadId = await world.#anyProcess().create()
    return world
  }

  /** The whole log, as the store hands it out. */
  async log(): Promise<ThreadEvent[]> {
    return (await this.store.read(this.threadId)).map(readRow)
  }

  /** One step by one of the processes; whether that was an undo, a redo or an expansion. */
  async step(): Promise<{ readonly reversed: boolean }> {
    const name = this.random.weighted(STEPS)
    await this.play(name, this.#anyProcess())
    return { reversed: REVERSALS.has(name) }
  }

  async play(name: StepName, threads: Threads): Promise<void> {
    const at = this.did.push(`${this.processes.indexOf(threads)} ${name}`) - 1
    try {
      await PLAY[name](threads, this)
    } catch (error) {
      if (!PrecisError.is(error) || !REFUSALS.has(error.code)) throw error
      this.did[at] += ` refused: ${error.code}`
    }
  }

  #anyProcess(): Threads {
    return this.random.pick(this.processes)
  }
}

function randomStrategy(random: Random): Strategy {
  return {
    id: 'random',
    propose: async (input) => randomProposal(input, random) ?? { edits: [] },
  }
}

const PLAY: Readonly<Record<StepName, Act>> = {
  turn: (threads, { threadId, random }) =>
    threads.append(threadId, [
      { type: 'USER_MESSAGE', data: randomText(random) },
      { type: 'AGENT_MESSAGE', data: randomAnswer(random, []) },
    ]),
  async round(threads, { threadId, random }) {
    const calls = callIds(random)
    await threads.append(threadId, answerWithCalls(random, calls))
    for (const call of calls)
      if (random.chance(0.9))
        await threads.append(threadId, [{ type: 'TOOL_RESULT', data: randomResult(random, call) }])
  },
  compact: (threads, { threadId }) => threads.compact(threadId, 'random'),
  async askCompact(threads, { threadId, random }) {
    await threads.append(threadId, answerWithCalls(random, ['call_compact']))
    return threads.compact(threadId, 'random', { trigger: 'tool' })
  },
  undo: (threads, { threadId }) =>
    threads.undo(threadId).catch((error: unknown) => {
      if (PrecisError.is(error) && error.code === 'covered-by')
        throw new Error('the newest change could not be undone', { cause: error })
      throw error
    }),
  async undoOlder(threads, { threadId, random }) {
    const { stack } = await threads.context(threadId)
    if (stack.length > 0) await threads.undo(threadId, random.pick(stack))
  },
  redo: (threads, { threadId }) => threads.redo(threadId),
  async redoOlder(threads, { threadId, random }) {
    const { undone } = await threads.context(threadId)
    if (undone.length > 0) await threads.redo(threadId, random.pick(undone))
  },
  async expand(threads, world) {
    const made = (await visible(threads, world)).filter((id) => id.startsWith('c'))
    if (made.length > 0) await threads.expand(world.threadId, world.random.pick(made))
  },
  async expandOriginal(threads, { threadId, random }) {
    const { version } = await threads.context(threadId)
    await threads.expand(threadId, `e${random.int(1, version)}`)
  },
  async pin(threads, world) {
    const { threadId, random } = world
    const ids = await visible(threads, world)
    const text = ids.length === 0 || random.chance(0.3)
    await threads.pin(
      threadId,
      text ? { text: randomText(random).trim() || 'a pin' } : { entries: [random.pick(ids)] },
    )
  },
  async unpin(threads, { threadId, random }) {
    const pins = await threads.pins(threadId)
    if (pins.length > 0) await threads.unpin(threadId, random.pick(pins).pinId)
  },
  system: (threads, { threadId, random }) =>
    threads.append(threadId, [{ type: 'SYSTEM_PROMPT', data: randomText(random) }]),
  brokenRow: appendBroken,
  /** Both processes at once, so that one of them finds the log longer than it knew. */
  async race(_, world) {
    const names = ['turn', 'compact', 'undo', 'redo', 'expand', 'pin'] as const
    await Promise.all(
      world.processes.map((process) => world.play(world.random.pick(names), process)),
    )
  },
  async fork(threads, world) {
    const { version } = await threads.context(world.threadId)
    const whole = world.random.chance(0.5)
    const seq = whole ? undefined : world.random.int(1, version)
    world.threadId = await threads.fork(world.threadId, seq)
  },
}

async function visible(threads: Threads, { threadId }: LiveWorld): Promise<EntryId[]> {
  const { items } = await threads.context(threadId)
  return items
    .toArray()
    .filter((item) => item.kind !== 'gap')
    .map((item) => item.id)
}

/** A newer program, or damage, left a row that this one cannot decode: alone, or among an answer's calls. */
async function appendBroken(_: Threads, world: LiveWorld): Promise<void> {
  const { store, threadId, random } = world
  const calls = callIds(random)
  const drafts: readonly EventDraft[] = random.chance(0.5)
    ? answerWithCalls(random, calls)
    : [{ type: 'USER_MESSAGE', data: randomText(random) }]
  const version = (await world.log()).length
  const broken = version + (drafts.length === 1 ? 1 : 1 + random.int(1, calls.length))
  const events = drafts.map((draft, at) => {
    const seq = version + 1 + at
    const data = draft.type === 'TOOL_CALL' ? { ...draft.data, answer: version + 1 } : draft.data
    const row = writeEvent({
      v: EVENT_VERSION,
      id: `evt_broken_${threadId}_${seq}`,
      threadId,
      seq,
      timestamp: new Date(0),
      type: draft.type,
      data,
    } as ThreadEvent)
    const { seq: _seq, ...kept } = seq === broken ? breakRow(row, random) : row
    return { ...kept, timestamp: new Date(0) } as unknown as NewEvent
  })
  await store.append(threadId, events, { expectedVersion: version })
}
