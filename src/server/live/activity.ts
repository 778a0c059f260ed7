// The activity of this process on each thread, derived from its frames
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import type { AgentFrame } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import { type LogEntry, type LogPorts, ServerLog } from './server-log.ts'

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
