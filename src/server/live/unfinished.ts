// Turns that a stopped server left unfinished: recorded in the store and resumed by the next process.
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import { PrecisError } from '../../core/errors.ts'
import { type LogEntry, type LogPorts, ServerLog } from './server-log.ts'

const NAME = 'unfinished'

const TITLE = 'Turns that a stopped server has left'

const RETRY_MS = 1_000

const left = z.object({ left: z.array(z.string()) })

const taken = z.object({ taken: z.number() })

/** Call this when no work runs on these threads. */
export async function leaveUnfinished(
  ports: LogPorts,
  threadIds: readonly string[],
): Promise<void> {
  if (threadIds.length > 0) await buildLog(ports).add(() => ({ left: [...threadIds] }))
}

/**
 * Resumes unfinished turns, now and whenever another process leaves some. Several processes may try: the
 * thread's lease admits one, and a finished turn is not started again.
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
        // The thread was deleted, or this process is stopping too and leaves its own turns.
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      })
    if (left.safeParse(data).success) await this.#log.add(() => ({ taken: seq }))
  }
}

/** All entries up to this one were taken over. */
function lastTaken(entries: readonly LogEntry[]): number {
  return Math.max(0, ...entries.map(({ data }) => taken.safeParse(data).data?.taken ?? 0))
}

function buildLog(ports: LogPorts): ServerLog {
  return new ServerLog(ports, NAME, TITLE)
}
