// What all parts of one agent have in common.
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
