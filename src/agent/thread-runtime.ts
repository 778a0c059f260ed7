// What this process knows about a thread it works on: worker, running compaction, decisions.
import type { RunResult } from '../core/agent/frame.ts'
import type { Tool } from '../core/agent/tool.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { INITIAL_POLICY_STATE, type PolicyState } from '../core/window/policy.ts'

export class Lock {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.then(
      () => undefined,
      () => undefined,
    )
    return result
  }
}

/** Work on a thread: a turn, or a compaction between turns. */
export interface Work {
  readonly controller: AbortController
  readonly settled: Promise<void>
  /** Only a commit is left, or the end was announced: newcomers can wait. */
  isBrief: boolean
}

export interface ThreadRuntime {
  readonly threadId: string
  /** Held from building a request to its last result: no compaction is applied in between. */
  readonly request: Lock
  policy: PolicyState
  /** Whether the time of the last compaction was read from the log. */
  isPolicyRead: boolean
  /** The warning was given, and the context has not shrunk since. */
  isWarned: boolean
  /** This process has worked on the thread itself, not only on a background compaction. */
  isOurs: boolean
  work?: Work
  /** The running compaction. */
  compaction?: Promise<RunResult>
  stopCompaction?: () => void
  /** Pending appends to the inbox. */
  readonly queueing: Set<Promise<unknown>>
  tools?: { readonly key: string; readonly list: readonly Tool[] }
  /** Waits for another process on this thread. */
  readonly waiting: Set<AbortController>
  /** For the model, after the results of the running calls. */
  readonly reminders: string[]
  /** The agent's own compactions in this turn, and the size they left. */
  ownCompactions: { readonly times: number; readonly leftTokens: number }
  /** Cost of answers that broke off before anything was kept. */
  owed?: TokenUsage
  /** Models whose assumed window was announced. */
  readonly said: Set<string>
}

export const NO_COMPACTIONS = { times: 0, leftTokens: 0 }

/** Idle entries beyond this are dropped, oldest first. */
const MAX_DESKS = 1_000

export class ThreadRuntimes {
  readonly #desks = new Map<string, ThreadRuntime>()

  of(threadId: string): ThreadRuntime {
    const known = this.#desks.get(threadId)
    if (known) return known
    this.#forgetOld()
    const desk: ThreadRuntime = {
      threadId,
      request: new Lock(),
      policy: INITIAL_POLICY_STATE,
      isPolicyRead: false,
      isWarned: false,
      isOurs: false,
      queueing: new Set(),
      waiting: new Set(),
      reminders: [],
      ownCompactions: NO_COMPACTIONS,
      said: new Set(),
    }
    this.#desks.set(threadId, desk)
    return desk
  }

  busy(): ThreadRuntime[] {
    return [...this.#desks.values()].filter(isBusy)
  }

  #forgetOld(): void {
    if (this.#desks.size < MAX_DESKS) return
    for (const [threadId, desk] of this.#desks)
      if (!isBusy(desk)) {
        this.#desks.delete(threadId)
        return
      }
  }
}

function isBusy(desk: ThreadRuntime): boolean {
  return (
    desk.work !== undefined ||
    desk.compaction !== undefined ||
    desk.queueing.size + desk.waiting.size > 0
  )
}
