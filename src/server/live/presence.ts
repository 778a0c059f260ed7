// Presence: turns, compactions and open questions of each process, shared through the store.
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import type { AgentFrame, FrameListener, TurnEnd } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Approval } from '../../protocol/client.ts'
import { approvalSchema } from '../../protocol/schemas.ts'
import { Activity } from './activity.ts'
import type { Approvals } from './peers.ts'
import { type LogEntry, type RenewingPorts, ServerLog } from './server-log.ts'

/** The activity of one process at a moment, and the difference between two moments as frames. */
export interface LiveOperations {
  readonly working: readonly string[] // threads with a running turn
  readonly compacting: readonly string[]
  readonly approvals: readonly (Approval & { readonly threadId: string })[]
  /** Turns that ended since the last announcement. */
  readonly ended: readonly { readonly threadId: string; readonly end: TurnEnd }[]
}

export const NOTHING_DONE: Omit<LiveOperations, 'ended'> = {
  working: [],
  compacting: [],
  approvals: [],
}

/**
 * Without compactions: subscribers learn of those from stored events. A question that is gone was answered; a
 * turn without a reported end was left by a process that died.
 */
export function framesBetween(
  before: LiveOperations,
  now: LiveOperations,
  timestamp: Date,
): AgentFrame[] {
  const frames: AgentFrame[] = []
  for (const threadId of now.working)
    if (!before.working.includes(threadId)) frames.push({ type: 'turn-start', threadId, timestamp })
  for (const approval of now.approvals)
    if (!before.approvals.some((each) => isSame(each, approval)))
      frames.push({ type: 'approval-request', timestamp, ...approval })
  for (const approval of before.approvals) {
    const { threadId, callId, name, subject } = approval
    if (now.approvals.some((each) => isSame(each, approval))) continue
    frames.push({ type: 'tool-start', threadId, timestamp, callId, name, subject })
  }
  for (const threadId of before.working) {
    if (now.working.includes(threadId)) continue
    const end = now.ended.findLast((each) => each.threadId === threadId)?.end ?? 'aborted'
    frames.push({ type: 'turn-end', threadId, timestamp, end })
  }
  return frames
}

function isSame(
  one: LiveOperations['approvals'][number],
  other: LiveOperations['approvals'][number],
): boolean {
  return one.threadId === other.threadId && one.callId === other.callId
}

const NAME = 'presence'
const TITLE = 'What the servers are doing'
/** Repeated while something runs, to tell a dead process from a quiet one. */
const REPEAT_MS = 10_000
const GONE_MS = 35_000
const RETRY_MS = 1_000
const MOST_TOLD = 500
/** The log is recreated after this many entries. Each entry is complete, so none is missed for long. */
const MOST_ENTRIES = 2_000

const told = z.object({
  process: z.string(),
  working: z.array(z.string()),
  compacting: z.array(z.string()),
  approvals: z.array(approvalSchema.extend({ threadId: z.string() })),
  ended: z.array(
    z.object({
      threadId: z.string(),
      end: z.enum(['done', 'waiting', 'aborted', 'failed', 'step-limit']),
    }),
  ),
})

interface PresenceSource {
  readonly agent: Pick<Agent, 'on'>
  readonly approvals: Pick<Approvals, 'all'>
}

interface Heard {
  readonly doings: LiveOperations
  readonly atMs: number
}

export class Presence {
  readonly #ports: RenewingPorts
  readonly #approvals: PresenceSource['approvals']
  readonly #log: ServerLog
  readonly #process: string
  readonly #activity = new Activity()
  readonly #others = new Map<string, Heard>()
  readonly #listeners = new Set<FrameListener>()
  readonly #closing = new AbortController()
  readonly #unlisten: () => void
  readonly #running: Promise<unknown>
  #ended: LiveOperations['ended'][number][] = []
  #said = JSON.stringify(NOTHING_DONE)
  #saying: Promise<void> | undefined

  constructor(ports: RenewingPorts, { agent, approvals }: PresenceSource) {
    this.#ports = ports
    this.#approvals = approvals
    this.#log = new ServerLog(ports, NAME, TITLE)
    this.#process = ports.ids.next('process')
    this.#unlisten = agent.on((frame) => this.#take(frame))
    this.#running = Promise.all([this.#follow(), this.#repeat()])
  }

  /** What other processes do on the thread. */
  of(threadId: string): {
    readonly isWorking: boolean
    readonly isCompacting: boolean
    readonly approvals: readonly Approval[]
  } {
    const all = [...this.#others.values()].map(({ doings }) => doings)
    return {
      isWorking: all.some(({ working }) => working.includes(threadId)),
      isCompacting: all.some(({ compacting }) => compacting.includes(threadId)),
      approvals: all
        .flatMap(({ approvals }) => approvals)
        .filter((each) => each.threadId === threadId)
        .map(({ threadId: _, ...approval }) => approval),
    }
  }

  /** Reports starts and ends in other processes as frames. Returns the function that unsubscribes. */
  on(listener: FrameListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#unlisten()
    await this.#saying
    this.#say() // the last state, even if an announcement is under way
    await this.#saying
    this.#closing.abort()
    await this.#running
  }

  #take(frame: AgentFrame): void {
    this.#activity.take(frame)
    if (frame.type === 'turn-end')
      this.#ended = [...this.#ended, { threadId: frame.threadId, end: frame.end }].slice(-MOST_TOLD)
    this.#say()
  }

  /** One entry at a time; changes meanwhile go into the next one. */
  #say(isRepeated = false): void {
    if (this.#saying) return
    this.#saying = this.#tell(isRepeated)
      .catch((thrown: unknown) => {
        // It will be repeated; every request that needs the store reports its failure.
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      })
      .finally(() => {
        this.#saying = undefined
        if (this.#ended.length > 0 || JSON.stringify(this.#doings()) !== this.#said) this.#say()
      })
  }

  async #tell(isRepeated: boolean): Promise<void> {
    await Promise.resolve() // the agent often reports several changes in a row
    const doings = this.#doings()
    const text = JSON.stringify(doings)
    if (text === this.#said && !isRepeated && this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    this.#said = text
    const isTooLong = async () => (await this.#log.length()) >= MOST_ENTRIES
    await this.#log.beginAnew(this.#ports, isTooLong)
    await this.#log.append({
      ...doings,
      approvals: doings.approvals.map((each) => ({ ...each })),
      ended: ended.map((each) => ({ ...each })),
      process: this.#process,
    })
  }

  #doings(): Omit<LiveOperations, 'ended'> {
    const { working, compacting } = this.#activity.all()
    return {
      working: working.slice(0, MOST_TOLD),
      compacting: compacting.slice(0, MOST_TOLD),
      approvals: this.#approvals.all().slice(0, MOST_TOLD),
    }
  }

  async #repeat(): Promise<void> {
    const { clock } = this.#ports
    const { signal } = this.#closing
    while (!signal.aborted) {
      await clock.sleep(REPEAT_MS, signal)
      if (signal.aborted) return
      const { working, compacting } = this.#doings()
      if (working.length + compacting.length > 0) this.#say(true)
      for (const [name, { atMs }] of this.#others)
        if (clock.now().getTime() - atMs > GONE_MS) this.#hear(name, { ...NOTHING_DONE, ended: [] })
    }
  }

  async #follow(): Promise<void> {
    const { store, clock } = this.#ports
    const { signal } = this.#closing
    let seq = 0
    while (!signal.aborted) {
      try {
        const version = (await store.info(this.#log.threadId))?.version ?? 0
        if (version < seq) seq = 0 // it was recreated
        for await (const entry of this.#log.follow(seq, signal)) {
          seq = entry.seq
          this.#read(entry, entry.seq <= version)
        }
        seq = 0
      } catch (thrown) {
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      }
      await clock.sleep(RETRY_MS, signal)
    }
  }

  /** Entries from before we listened may be outdated; live ones are current, whatever the clocks say. */
  #read({ data, at }: LogEntry, wasThere: boolean): void {
    const read = told.safeParse(data)
    if (!read.success || read.data.process === this.#process) return
    const { process: name, ...doings } = read.data
    const isOver = wasThere && this.#ports.clock.now().getTime() - at.getTime() > GONE_MS
    this.#hear(name, isOver ? { ...NOTHING_DONE, ended: [] } : doings)
  }

  #hear(name: string, doings: LiveOperations): void {
    const { clock } = this.#ports
    const before = this.#others.get(name)?.doings ?? { ...NOTHING_DONE, ended: [] }
    const isIdle = doings.working.length + doings.compacting.length === 0
    if (isIdle) this.#others.delete(name)
    else this.#others.set(name, { doings, atMs: clock.now().getTime() })
    for (const frame of framesBetween(before, doings, clock.now()))
      for (const listener of this.#listeners) listener(frame)
  }
}
