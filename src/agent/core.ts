// What all parts of one agent have in common.
import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api'
import type {
  AgentFrame,
  FrameDraft,
  FrameListener,
  RunResult,
  Tool,
  TurnEnd,
} from '../core/agent/frame.ts'
import type { PrecisError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { INITIAL_POLICY_STATE, type PolicyState } from '../core/window/policy.ts'
import type { AgentLimits, AgentPorts, AgentSettings } from './ports.ts'

export interface AgentCore {
  readonly ports: AgentPorts
  readonly settings: AgentSettings
  readonly limits: AgentLimits
  readonly frames: FrameHub
  readonly desks: ThreadRuntimes
  /** The name under which this agent holds leases. */
  readonly owner: string
  /** Fires when the agent is closed. */
  readonly closing: AbortSignal
  /** Runs a task in a thread of its own, below the one it is for. */
  runTask(task: Task): Promise<TaskResult>
  /** Begins a turn for what waits, where there is something and nobody is at work. */
  deliverWaiting(desk: ThreadRuntime): void
}

export interface Task {
  readonly parent: Turn
  readonly prompt: string
  readonly title?: string
}

export interface TaskResult {
  readonly threadId: string
  readonly end: TurnEnd
  readonly text: string // the last thing that was said there
  readonly usage?: TokenUsage // everything the thread was billed
  readonly error?: PrecisError
}

/** A piece of work on one thread: a turn, or what a command does between turns. */
export interface Turn {
  readonly core: AgentCore
  readonly desk: ThreadRuntime
  readonly signal: AbortSignal
  /** Fires where somebody else may work on the thread by now: from then on nothing is written. */
  readonly lost?: AbortSignal
  /** 0 for a thread of the user's, 1 for one that a tool started, and so on. */
  readonly depth: number
}

/** Hands frames to whoever listens, in order, and survives listeners that throw. */
export class FrameHub {
  readonly #clock: Clock
  readonly #listeners = new Set<FrameListener>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns what ends the listening; it removes this listener and no other. */
  on(listener: FrameListener): () => void {
    const own: FrameListener = (frame) => listener(frame)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  emit(draft: FrameDraft): void {
    const frame = { ...draft, timestamp: this.#clock.now() } as AgentFrame
    for (const listener of [...this.#listeners]) {
      try {
        listener(frame)
      } catch (error) {
        // A listener has no say in what the agent does; whoever runs the process hears of it.
        process.emitWarning(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

const tracer = trace.getTracer('precis')

/** Runs `work` in a span; one that rejects marks it as failed. */
export function traced<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
      throw error
    } finally {
      span.end()
    }
  })
}

// One at a time, in the order of the calls.

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

// What this process knows of a thread it works on: who works, what is being compacted, what was decided.

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
