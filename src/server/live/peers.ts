// Requests to a turn that runs in another process, sent through the store
import { z } from 'zod'
import type { ApprovalQuestion, Approver } from '../../agent/ports.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Approval } from '../../protocol/client.ts'
import { type RenewingPorts, ServerLog } from './server-log.ts'

const NAME = 'signals'
const TITLE = 'What one server asks of another'
const RETRY_MS = 1_000
const POLL_MS = 50
const ASK_AGAIN_MS = 2_000
const MOST_ENTRIES = 2_000
/** How long one waits for another process to stop. */
const STOPPED_WITHIN_MS = 10_000

const signalSchema = z.union([
  z.object({ abort: z.string() }),
  z.object({ decide: z.string(), callId: z.string(), decision: z.enum(['allow', 'deny']) }),
])
type PeerSignal = z.output<typeof signalSchema>

/** What this process does when another asks for it; without effect if it is not the one. */
interface PeerActs {
  abort(threadId: string): Promise<void>
  decide(threadId: string, callId: string, decision: 'allow' | 'deny'): void
}

export class Peers {
  readonly #ports: RenewingPorts
  readonly #acts: PeerActs
  readonly #log: ServerLog
  readonly #closing = new AbortController()
  readonly #following: Promise<void>

  constructor(ports: RenewingPorts, acts: PeerActs) {
    this.#ports = ports
    this.#acts = acts
    this.#log = new ServerLog(ports, NAME, TITLE)
    this.#following = this.#follow()
  }

  /** Stops what another process does on the thread; resolves when it has stopped, or does not. */
  async abort(threadId: string): Promise<void> {
    const { clock } = this.#ports
    const untilMs = clock.now().getTime() + STOPPED_WITHIN_MS
    let askedMs = Number.NEGATIVE_INFINITY
    while (!(await this.#isFree(threadId))) {
      const nowMs = clock.now().getTime()
      if (nowMs >= untilMs) return
      if (nowMs - askedMs >= ASK_AGAIN_MS) {
        await this.#ask({ abort: threadId })
        askedMs = nowMs
      }
      await clock.sleep(POLL_MS)
    }
  }

  /** False if nobody works on the thread who could wait for it. */
  async decide(threadId: string, callId: string, decision: 'allow' | 'deny'): Promise<boolean> {
    if (await this.#isFree(threadId)) return false
    await this.#ask({ decide: threadId, callId, decision })
    return true
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  /** What was asked long ago is of no use to anybody: then the log is recreated. */
  async #ask(asked: PeerSignal): Promise<void> {
    const isTooLong = async () => (await this.#log.length()) >= MOST_ENTRIES
    await this.#log.beginAnew(this.#ports, isTooLong)
    await this.#log.append(asked)
  }

  /** Whoever works on a thread holds its lease: one that can be had says that nobody does. */
  async #isFree(threadId: string): Promise<boolean> {
    const { store, ids } = this.#ports
    const [name, owner] = [`thread:${threadId}`, ids.next('probe')]
    const isFree = await store.takeLease(name, owner, POLL_MS)
    if (isFree) await store.releaseLease(name, owner)
    return isFree
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing
    const { store, clock } = this.#ports
    let seq: number | undefined
    while (!signal.aborted) {
      try {
        const version = (await store.info(this.#log.threadId))?.version ?? 0
        // What was asked before this process was there is not for it.
        seq ??= version
        if (version < seq) seq = 0 // it was recreated
        for await (const entry of this.#log.follow(seq, signal)) {
          seq = entry.seq
          const { data } = signalSchema.safeParse(entry.data)
          if (data) this.#act(data)
        }
        seq = 0
      } catch (thrown) {
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      }
      await clock.sleep(RETRY_MS, signal)
    }
  }

  #act(asked: PeerSignal): void {
    if ('abort' in asked) {
      this.#acts.abort(asked.abort).catch((thrown: unknown) => process.emitWarning(String(thrown)))
      return
    }
    try {
      this.#acts.decide(asked.decide, asked.callId, asked.decision)
    } catch (thrown) {
      // Another process has the call, or it was answered meanwhile.
      if (!PrecisError.is(thrown) || thrown.code !== 'not-found') throw thrown
    }
  }
}

type Decision = 'allow' | 'deny'

interface Pending {
  readonly question: ApprovalQuestion
  readonly settle: (decision: Decision) => void
}

/** Pending approvals: the agent asks, an interface answers */
export class Approvals {
  readonly #pending = new Set<Pending>()

  /** For the agent. What nobody answers before the turn is stopped is a no. */
  readonly approver: Approver = (question) =>
    new Promise((resolve) => {
      const { signal } = question
      const deny = () => pending.settle('deny')
      const pending: Pending = {
        question,
        settle: (decision) => {
          signal.removeEventListener('abort', deny)
          this.#pending.delete(pending)
          resolve(decision)
        },
      }
      this.#pending.add(pending)
      signal.addEventListener('abort', deny)
      if (signal.aborted) deny()
    })

  /** What waits for an answer, the oldest first. */
  all(): (Approval & { readonly threadId: string })[] {
    return [...this.#pending].map(({ question }) => {
      const { input: _, signal: __, ...approval } = question
      return approval
    })
  }

  of(threadId: string): Approval[] {
    return this.all()
      .filter((each) => each.threadId === threadId)
      .map(({ threadId: _, ...approval }) => approval)
  }

  decide(threadId: string, callId: string, decision: Decision): void {
    const pending = [...this.#pending].find(
      ({ question }) => question.threadId === threadId && question.callId === callId,
    )
    if (!pending)
      throw new PrecisError('not-found', `No call ${callId} waits for an answer.`, {
        where: callId,
        hint: 'It was already answered, or the turn has ended.',
      })
    pending.settle(decision)
  }
}
