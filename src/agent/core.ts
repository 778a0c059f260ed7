// Shared by all parts of an agent.
import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api'
import type { AgentFrame, FrameDraft, FrameListener, TurnEnd } from '../core/agent/frame.ts'
import type { PrecisError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { TokenUsage } from '../core/view/content.ts'
import type { AgentLimits, AgentPorts, AgentSettings } from './ports.ts'
import type { ThreadRuntime, ThreadRuntimes } from './thread-runtime.ts'

export interface AgentCore {
  readonly ports: AgentPorts
  readonly settings: AgentSettings
  readonly limits: AgentLimits
  readonly frames: FrameHub
  readonly desks: ThreadRuntimes
  /** The agent's name as a holder of leases. */
  readonly owner: string
  /** Fires when the agent is closed. */
  readonly closing: AbortSignal
  /** Runs a task in a thread below the given one. */
  runTask(task: Task): Promise<TaskResult>
  /** Starts a turn if messages wait and the thread is idle. */
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
  readonly text: string // the last text said there
  readonly usage?: TokenUsage // everything the thread was billed
  readonly error?: PrecisError
}

/** Work on one thread: a turn, or a command between turns. */
export interface Turn {
  readonly core: AgentCore
  readonly desk: ThreadRuntime
  readonly signal: AbortSignal
  /** Fires when another process may work on the thread: nothing may be written afterwards. */
  readonly lost?: AbortSignal
  /** 0 for a user's thread, 1 for one started by a tool, and so on. */
  readonly depth: number
}

/** Delivers frames to listeners in order, and survives listeners that throw. */
export class FrameHub {
  readonly #clock: Clock
  readonly #listeners = new Set<FrameListener>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the function that removes this listener only. */
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
        // A listener's error does not affect the agent; the operator sees a warning.
        process.emitWarning(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

const tracer = trace.getTracer('precis')

/** Runs `work` in a span; a rejection marks it as failed. */
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
