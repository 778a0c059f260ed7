// Sends a message to the agent or changes a thread's settings; answers once that has begun.
import type { z } from 'zod'
import type { Agent, SendOutcome } from '../agent/agent.ts'
import type { CommandReply } from '../agent/commands/commands.ts'
import { parseCommand } from '../core/agent/commands.ts'
import type { AgentFrame } from '../core/agent/frame.ts'
import { asPrecisError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { textOfUserContent, type UserContent } from '../core/view/content.ts'
import type { commandOutcomeSchema, sendReplySchema } from '../protocol/compaction-schemas.ts'
import { toWireResult } from '../protocol/wire.ts'
import type { Threads } from '../threads/threads.ts'
import type { PageSessions } from './accounts/page-sessions.ts'
import type { Api } from './http/route.ts'
import type { Drain } from './http/store-answers.ts'
import type { Feeds } from './live/feeds.ts'
import type { AppLimits, AppPorts } from './ports.ts'
import type { Arrivals } from './views/arrivals.ts'
import type { Previews } from './views/previews.ts'
import type { SessionPorts } from './views/session.ts'

type WireReply = z.output<typeof sendReplySchema>
export type WireOutcome = z.output<typeof commandOutcomeSchema>

interface SendPorts {
  readonly agent: Pick<Agent, 'sendMessage' | 'resume' | 'on'>
  readonly threads: Pick<Threads, 'context' | 'follow'>
  readonly clock: Clock
  /** Sends a frame to the thread's subscribers. */
  publish(frame: AgentFrame): void
}

export class Sender {
  readonly #ports: SendPorts
  /** The last message of each thread that is not accepted yet; the next one waits for it. */
  readonly #accepting = new Map<string, Promise<unknown>>()

  constructor(ports: SendPorts) {
    this.#ports = ports
  }

  /** One at a time per thread, to know whose turn has begun. Commands may take long. */
  send(threadId: string, content: UserContent): Promise<WireReply> {
    const accept = () => this.#accept(threadId, content)
    if (parseCommand(textOfUserContent(content))) return accept()
    const accepted = (this.#accepting.get(threadId) ?? Promise.resolve()).then(accept, accept)
    this.#accepting.set(threadId, accepted)
    const forget = () => {
      if (this.#accepting.get(threadId) === accepted) this.#accepting.delete(threadId)
    }
    accepted.then(forget, forget)
    return accepted
  }

  /** Resumes the thread; the outcome comes in frames. */
  async resume(threadId: string): Promise<void> {
    await this.#ports.threads.context(threadId) // an unknown thread fails at once
    this.#ports.agent.resume(threadId).catch((error: unknown) => this.#tell(threadId, error))
  }

  async #accept(threadId: string, content: UserContent): Promise<WireReply> {
    const { agent, threads } = this.#ports
    const { version } = await threads.context(threadId)
    const watch = new TurnWatch(this.#ports, threadId, version)
    const outcome = agent.sendMessage(threadId, content)
    try {
      const first = await Promise.race([outcome.then(buildReply), watch.begun])
      // From here on the outcome of the turn has no reader.
      if (first.status === 'started') outcome.catch((error) => this.#tell(threadId, error))
      return first
    } finally {
      watch.end()
    }
  }

  #tell(threadId: string, thrown: unknown): void {
    this.#ports.publish({
      type: 'error',
      threadId,
      timestamp: this.#ports.clock.now(),
      error: asPrecisError(thrown),
      context: { operation: 'turn', threadId },
    })
  }
}

/** Detects that a turn has begun and its message is stored, even if a fresh session comes first. */
class TurnWatch {
  readonly begun: Promise<WireReply>
  readonly #ports: SendPorts
  readonly #threadId: string
  readonly #over = new AbortController()
  readonly #stop: () => void
  #fresh: string | undefined

  constructor(ports: SendPorts, threadId: string, version: number) {
    this.#ports = ports
    this.#threadId = threadId
    const { promise, resolve } = Promise.withResolvers<WireReply>()
    this.begun = promise
    this.#stop = ports.agent.on((frame) => {
      if (frame.type === 'COMPACTION_COMPLETE' && frame.threadId === threadId)
        this.#fresh = frame.fresh?.threadId ?? this.#fresh
      if (frame.type !== 'turn-start') return
      if (frame.threadId === threadId) this.#stored(threadId, version).then(resolve, nothing)
      else if (frame.threadId === this.#fresh)
        this.#stored(frame.threadId, 0).then(resolve, nothing)
    })
  }

  end(): void {
    this.#stop()
    this.#over.abort()
  }

  async #stored(threadId: string, afterSeq: number): Promise<WireReply> {
    for await (const event of this.#ports.threads.follow(threadId, afterSeq, this.#over.signal))
      if (event.type === 'USER_MESSAGE' && event.origin === 'typed') break
    return { status: 'started', ...(threadId !== this.#threadId && { threadId }) }
  }
}

function buildReply(outcome: SendOutcome): WireReply {
  if (outcome.status === 'command') return { status: 'command', ...commandOutcome(outcome.reply) }
  if (outcome.status === 'queued') return outcome
  const { threadId } = outcome
  return { status: 'started', ...(threadId !== undefined && { threadId }) } // it is over already
}

function commandOutcome({ command, ok, text, compaction, threadId, returned }: CommandReply) {
  return {
    command,
    ok,
    text,
    ...(threadId !== undefined && { threadId }),
    ...(compaction && { compaction: toWireResult(compaction) }),
    ...(returned !== undefined && { returned }),
  } satisfies WireOutcome
}

/** The message itself fails then and says why. */
function nothing(): undefined {
  return undefined
}

/** What routes share: the ports of the app and its runtime state. */
export interface AppParts extends Omit<AppPorts, 'limits'>, SessionPorts {
  readonly limits: AppLimits
  readonly feeds: Feeds
  readonly sender: Sender
  readonly previews: Previews
  readonly drain: Drain
  readonly pageSessions: PageSessions
  readonly arrivals: Arrivals
}

/** Adds the routes of one topic. */
export type AddRoutes = (api: Api, parts: AppParts) => void
