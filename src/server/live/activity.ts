// The activity of this process on each thread, derived from its frames
// A log that the servers of one store keep together: entries in a thread of a reserved name.
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import { Lock } from '../../agent/core.ts'
import type { AgentFrame } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { EVENT_VERSION, type NewEvent, type ThreadEvent } from '../../core/log/event.ts'
import type { Clock, Ids, Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { RESERVED_PREFIX } from '../accounts/owners.ts'

interface ThreadActivity {
  readonly isWorking: boolean
  readonly isCompacting: boolean
}

const MOST_KNOWN = 1_000

export class Activity {
  readonly #working = new Set<string>()
  readonly #runs = new Map<string, string>() // compactions by run, with their thread
  readonly #known = new Set<string>() // the latest runs of this process, also those that are over

  take(frame: AgentFrame): void {
    const { threadId } = frame
    if (frame.type === 'turn-start') this.#working.add(threadId)
    else if (frame.type === 'turn-end') this.ended(threadId)
    // A turn that could not even be ended in order is told by this alone.
    else if (frame.type === 'error' && frame.context.operation === 'turn') this.ended(threadId)
    else if (frame.type === 'COMPACTION_START') this.#begun(frame.runId, threadId)
    else if (frame.type === 'COMPACTION_COMPLETE') this.#runs.delete(frame.runId)
  }

  /** Whether this process has run it. */
  isOwnRun(runId: string): boolean {
    return this.#known.has(runId)
  }

  ended(threadId: string): void {
    this.#working.delete(threadId)
  }

  /** Threads on which turns and compactions run here. */
  all(): { readonly working: string[]; readonly compacting: string[] } {
    return { working: [...this.#working], compacting: [...new Set(this.#runs.values())] }
  }

  /** Threads on which something runs here. */
  busy(): string[] {
    return [...new Set([...this.#working, ...this.#runs.values()])]
  }

  of(threadId: string): ThreadActivity {
    return {
      isWorking: this.#working.has(threadId),
      isCompacting: [...this.#runs.values()].includes(threadId),
    }
  }

  #begun(runId: string, threadId: string): void {
    this.#runs.set(runId, threadId)
    this.#known.add(runId)
    const [oldest] = this.#known
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

// Turns that a stopped server left unfinished: recorded in the store and resumed by the next process

const NAME = 'unfinished'
const TITLE = 'Turns that a stopped server has left'
const RETRY_MS = 1_000

const left = z.object({ left: z.array(z.string()) })
const taken = z.object({ taken: z.number() })

/** To be called when nothing works on these threads any more. */
export async function leaveUnfinished(
  ports: LogPorts,
  threadIds: readonly string[],
): Promise<void> {
  if (threadIds.length > 0) await buildLog(ports).add(() => ({ left: [...threadIds] }))
}

/**
 * Goes on with what was left, now and whenever another process leaves something. Several processes may
 * try the same: the lease of a thread lets one of them work, and a turn that is over is not begun again.
 */
export class UnfinishedTurns {
  readonly #log: ServerLog
  readonly #ports: LogPorts
  readonly #agent: Pick<Agent, 'resume'>
  readonly #closing = new AbortController()
  readonly #following: Promise<void>

  constructor(ports: LogPorts, agent: Pick<Agent, 'resume'>) {
    this.#ports = ports
    this.#agent = agent
    this.#log = buildLog(ports)
    this.#following = this.#follow()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing
    let seq = 0
    while (!signal.aborted) {
      try {
        seq = Math.max(seq, lastTaken(await this.#log.read()))
        for await (const entry of this.#log.follow(seq, signal)) {
          if (signal.aborted) return
          seq = entry.seq
          await this.#take(entry)
        }
      } catch (thrown) {
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      }
      await this.#ports.clock.sleep(RETRY_MS, signal)
    }
  }

  async #take({ seq, data }: LogEntry): Promise<void> {
    for (const threadId of left.safeParse(data).data?.left ?? [])
      this.#agent.resume(threadId).catch((thrown: unknown) => {
        // It was deleted meanwhile, or this process is being stopped as well; its own turns it leaves itself.
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      })
    if (left.safeParse(data).success) await this.#log.add(() => ({ taken: seq }))
  }
}

/** Everything up to there was continued by someone. */
function lastTaken(entries: readonly LogEntry[]): number {
  return Math.max(0, ...entries.map(({ data }) => taken.safeParse(data).data?.taken ?? 0))
}

function buildLog(ports: LogPorts): ServerLog {
  return new ServerLog(ports, NAME, TITLE)
}

export interface LogPorts {
  readonly store: Pick<Store, 'append' | 'read' | 'info' | 'follow'>
  readonly clock: Clock
  readonly ids: Ids
}

/** What it takes to begin a log again. */
export interface RenewingPorts extends LogPorts {
  readonly store: LogPorts['store'] & Pick<Store, 'delete' | 'takeLease' | 'releaseLease'>
}

export interface LogEntry {
  readonly seq: number
  readonly at: Date
  readonly data: Json
}

const TRIES = 20
const PAUSE_MS = 5
const LEASE_MS = 15_000
const RENEWAL_MS = 50
/** Longer than the lease of one who died over it. */
const MOST_RENEWALS = 2 * (LEASE_MS / RENEWAL_MS)

export class ServerLog {
  readonly #ports: LogPorts
  /** Of the thread that it is kept in. */
  readonly threadId: string
  readonly #title: string
  readonly #lock = new Lock()

  /** `name` is that of the log, `title` what a list of all threads shows of it. */
  constructor(ports: LogPorts, name: string, title: string) {
    this.#ports = ports
    this.threadId = `${RESERVED_PREFIX}${name}`
    this.#title = title
  }

  /** All of it, or what has these numbers. */
  async read(from = 1, to?: number): Promise<LogEntry[]> {
    const range = { from, ...(to !== undefined && { to }) }
    return (await this.#ports.store.read(this.threadId, range)).map(readRow).flatMap(entriesIn)
  }

  /** Entries after that number, then new ones of any process, until the signal fires. */
  async *follow(afterSeq: number, signal: AbortSignal): AsyncGenerator<LogEntry> {
    for await (const row of this.#ports.store.follow(this.threadId, afterSeq, signal))
      yield* entriesIn(readRow(row))
  }

  /** Adds what `decide` makes of the log as it is; again where another process was first. */
  add(decide: (entries: readonly LogEntry[]) => Json): Promise<void> {
    return this.#append(async (version) =>
      decide((await this.read()).filter(({ seq }) => seq <= version)),
    )
  }

  /** Adds what depends on nothing. */
  append(data: Json): Promise<void> {
    return this.#append(async () => data)
  }

  /** One at a time, so that only other processes can be first. */
  #append(dataAt: (version: number) => Promise<Json>): Promise<void> {
    return this.#lock.run(() => this.#appendNext(dataAt))
  }

  async #appendNext(dataAt: (version: number) => Promise<Json>): Promise<void> {
    const { store, clock } = this.#ports
    for (let tries = 1; ; tries += 1) {
      const expectedVersion = await this.length()
      const data = await dataAt(expectedVersion)
      const entry = this.#event('FOREIGN', data)
      const title = this.#event('THREAD_STARTED', { title: this.#title })
      const events = expectedVersion === 0 ? [title, entry] : [entry]
      try {
        await store.append(this.threadId, events, { expectedVersion })
        return
      } catch (thrown) {
        const isLate = PrecisError.is(thrown) && thrown.code === 'version-conflict'
        if (!isLate || tries >= TRIES) throw thrown
        await clock.sleep(Math.random() * tries * PAUSE_MS) // not all of them again at the same time
      }
    }
  }

  /**
   * Throws the log away where that is due. Asked for before something is added: it would go with the
   * log that another is throwing away, so that one is waited for.
   */
  async beginAnew(ports: RenewingPorts, isDue: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < MOST_RENEWALS && (await isDue()); tries += 1) {
      if (await this.#remove(ports, isDue)) return
      await ports.clock.sleep(RENEWAL_MS)
    }
  }

  /** One at a time, so that nobody throws a new one away. */
  async #remove({ store, ids }: RenewingPorts, isDue: () => Promise<boolean>): Promise<boolean> {
    const owner = ids.next('renewal')
    if (!(await store.takeLease(this.threadId, owner, LEASE_MS))) return false
    try {
      return (await isDue()) && (await store.delete(this.threadId))
    } finally {
      await store.releaseLease(this.threadId, owner)
    }
  }

  /** How many entries there are, with the title. */
  async length(): Promise<number> {
    return (await this.#ports.store.info(this.threadId))?.version ?? 0
  }

  #event(type: 'FOREIGN' | 'THREAD_STARTED', data: Json): NewEvent {
    const { ids, clock } = this.#ports
    const id = ids.next('evt')
    const timestamp = clock.now()
    return { v: EVENT_VERSION, id, threadId: this.threadId, timestamp, type, data } as NewEvent
  }
}

function entriesIn(event: ThreadEvent): LogEntry[] {
  if (event.type !== 'FOREIGN') return []
  return [{ seq: event.seq, at: event.timestamp, data: event.data }]
}
