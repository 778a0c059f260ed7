// What all parts of one agent have in common.
import type { TurnEnd } from '../core/agent/frame.ts'
import type { PrecisError } from '../core/errors.ts'
import type { TokenUsage } from '../core/view/content.ts'
import type { FrameHub } from './frames.ts'
import type { Desk, Desks } from './loop/thread-runtime.ts'
import type { AgentLimits, AgentPorts, AgentSettings } from './ports.ts'

export interface AgentCore {
  readonly ports: AgentPorts
  readonly settings: AgentSettings
  readonly limits: AgentLimits
  readonly frames: FrameHub
  readonly desks: Desks
  /** The name under which this agent holds leases. */
  readonly owner: string
  /** Fires when the agent is closed. */
  readonly closing: AbortSignal
  /** Runs a task in a thread of its own, below the one it is for. */
  runTask(task: Task): Promise<TaskResult>
  /** Begins a turn for what waits, where there is something and nobody is at work. */
  deliverWaiting(desk: Desk): void
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
  readonly desk: Desk
  readonly signal: AbortSignal
  /** Fires where somebody else may work on the thread by now: from then on nothing is written. */
  readonly lost?: AbortSignal
  /** 0 for a thread of the user's, 1 for one that a tool started, and so on. */
  readonly depth: number
}
