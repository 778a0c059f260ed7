// Requests to a turn that runs in another process, sent through the store.
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
/** How long to wait for another process to stop. */
const STOPPED_WITHIN_MS = 10_000

const signalSchema = z.union([
  z.object({ abort: z.string() }),
  z.object({ decide: z.string(), callId: z.string(), decision: z.enum(['allow', 'deny']) }),
])
type PeerSignal = z.output<typeof signalSchema>

/** What this process does for another; no effect if it does not run the turn. */
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

  /** Stops another process's work on the thread; resolves when it has stopped or did not react in time. */
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

  /** False if no process works on the thread. */
  async decide(threadId: string, callId: string, decision: 'allow' | 'deny'): Promise<boolean> {
    if (await this.#isFree(threadId)) return false
    await this.#ask({ decide: threadId, callId, decision })
    return true
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  /** Old requests are useless, so the log is then recreated. */
  async #ask(asked: PeerSignal): Promise<void> {
    const isTooLong = async () => (await this.#log.length()) >= MOST_ENTRIES
    await this.#log.beginAnew(this.#ports, isTooLong)
    await this.#log.append(asked)
  }

  /** A working process holds the lease of its thread, so an available lease means that nothing runs. */
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
        // Requests from before the start of this process are not for it.
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

/** Pending approvals: the agent asks, an interface answers. */
export class Approvals {
  readonly #pending = new Set<Pending>()

  /** For the agent. A question that is unanswered when the turn stops counts as denied. */
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

  /** Unanswered calls, oldest first. */
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
