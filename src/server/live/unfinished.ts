// Turns that a stopped server left unfinished: recorded in the store and resumed by the next process
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import { PrecisError } from '../../core/errors.ts'
import { type LogEntry, type LogPorts, ServerLog } from './server-log.ts'

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
