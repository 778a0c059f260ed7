// What this process knows of a thread it works on: who works, what is being compacted, what was decided.
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

/** A piece of work on a thread: a turn, or a compaction while no turn runs. */
export interface Work {
  readonly controller: AbortController
  readonly settled: Promise<void>
  /** A commit and no more, or its end was told already: whoever comes meanwhile can wait for it. */
  isBrief: boolean
}

export interface ThreadRuntime {
  readonly threadId: string
  /** From the building of a request to the last result of its calls: no compaction is applied in between. */
  readonly request: Lock
  policy: PolicyState
  /** False until the time of the last compaction was looked up in the log. */
  isPolicyRead: boolean
  /** That the context is nearly full was said, and it has not been emptier since. */
  isWarned: boolean
  /** This process has worked on the thread, not only on a compaction in its background. */
  isOurs: boolean
  work?: Work
  /** The compaction that runs now. */
  compaction?: Promise<RunResult>
  stopCompaction?: () => void
  /** Appends to the inbox that are under way. */
  readonly queueing: Set<Promise<unknown>>
  tools?: { readonly key: string; readonly list: readonly Tool[] }
  /** What waits for another process to be done with the thread. */
  readonly waiting: Set<AbortController>
  /** For the model, behind the results of the calls that run now. */
  readonly reminders: string[]
  /** How often the agent compacted by its own call in this turn, and how long the thread was afterwards. */
  ownCompactions: { readonly times: number; readonly leftTokens: number }
  /** What answers cost that broke off before anything of them was kept. */
  owed?: TokenUsage
  /** Models whose assumed window was said already. */
  readonly said: Set<string>
}

export const NO_COMPACTIONS = { times: 0, leftTokens: 0 }

/** Desks that are not in use are forgotten, the oldest first. */
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
