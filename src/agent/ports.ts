// What an agent is made of: everything it needs from outside, and the limits it keeps.
import type { ApprovalPolicy } from '../core/agent/approval.ts'
import type { ReplacementRequest, Tool } from '../core/agent/tool.ts'
import type { PinningPolicy } from '../core/edit/detected-pins.ts'
import type { Strategy, SummaryForm } from '../core/edit/strategy.ts'
import type { Provider, Signal, ToolSchema } from '../core/model.ts'
import type { Clock, Ids, JobQueue, ModelPort, Store } from '../core/ports.ts'
import type { AutoSettings } from '../core/settings/settings.ts'
import type { Json } from '../core/text/json.ts'
import type { ModelRef, TokenUsage } from '../core/view/content.ts'
import type { PresetId } from '../core/window/presets.ts'
import type { Threads } from '../threads/threads.ts'
import type { CompactionHooks } from './hooks.ts'

/** A model that can be asked, with what is known of it. */
export interface AgentModel {
  readonly ref: ModelRef
  readonly model: string // without the provider
  readonly provider: Provider
  /** Absent where nobody knows. */
  readonly windowTokens?: number
  /** False where the window is only assumed: to be said once. */
  readonly isWindowKnown: boolean
  /** The longest answer the model gives. */
  readonly outputTokens?: number
  /** Whether it has a thinking mode that can be asked for. */
  readonly canThink: boolean
  /** In dollars; undefined where no price is known. */
  costOf(usage: TokenUsage): number | undefined
}

export interface AgentModels {
  /** `provider/model`, `dev`, or a role: `default`, `fast`. Rejects with what to do about it. */
  resolve(name?: string, signal?: Signal): Promise<AgentModel>
  /** For summaries: the same models, without tools. */
  readonly summarizer: ModelPort
}

/** The tools of one thread. The agent adds `compact` and `task` itself. */
export type ToolsFor = (thread: {
  readonly threadId: string
  readonly workspace?: string
}) => readonly Tool[]

/** A file that `compact` is to carry over, as it is now. */
export type ContextFile =
  | { readonly path: string; readonly content: string; readonly isCut?: boolean }
  | { readonly path: string; readonly error: string }

export interface ApprovalQuestion {
  readonly threadId: string
  readonly callId: string
  readonly name: string
  readonly subject: string
  readonly reason: string // why it is asked for
  readonly input: Json
  readonly diff?: string // of what it would change, with `+`, `-` or a blank before each line
  readonly signal: AbortSignal
}

/** Somebody who can be asked. Rejecting, or hanging until the signal fires, is a no. */
export type Approver = (question: ApprovalQuestion) => Promise<'allow' | 'deny'>

export interface AgentPorts {
  readonly threads: Threads
  readonly store: Pick<
    Store,
    'takeLease' | 'releaseLease' | 'list' | 'read' | 'append' | 'info' | 'snapshot'
  >
  readonly clock: Clock
  readonly ids: Ids
  /**
   * Where threads wait for a compaction in the background; the agent works on it, beside those of other
   * processes. Whoever opened it closes it after the agent. Without it they begin at once, in this process.
   */
  readonly jobs?: Pick<JobQueue, 'add' | 'work'>
  readonly models: AgentModels
  readonly tools: ToolsFor
  /** The `compact` tool in the form that a preset offers. */
  readonly compactTool: {
    schema(mode: ReplacementRequest['mode']): ToolSchema
    /** The input, checked strictly; a text says what is wrong with it and how it should look. */
    read(mode: ReplacementRequest['mode'], input: Json): ReplacementRequest | string
    /** What replaces the thread, or ranges of it, and ends the call where there is one in the thread. */
    strategy(input: ReplacementRequest, files: readonly ContextFile[], callId?: string): Strategy
  }
  /** Who is asked where a tool may not simply run; without it, nobody says yes. */
  readonly approver?: Approver
  readonly hooks?: readonly CompactionHooks[]
  /** The files that the `compact` tool names; without it, none can be carried over. */
  readContextFiles?(
    threadId: string,
    workspace: string | undefined,
    paths: readonly string[],
    maxTokens?: number, // of all files together
  ): Promise<readonly ContextFile[]>
  /** The text of what was said before, found again or by its ref; within a limit. */
  recall?(
    threadId: string,
    asked: { readonly query: string } | { readonly ref: string },
  ): Promise<string>
  /** A reminder to put behind what the user says; undefined for none. */
  reminder?(threadId: string): string | undefined
}

/** As they come from a settings file: what is not set may be there and undefined. */
type SomeAutoSettings = { readonly [K in keyof AutoSettings]?: AutoSettings[K] | undefined }

export interface AgentSettings {
  readonly preset: PresetId
  /** In place of what the preset says; absent fields stay the preset's. */
  readonly auto?: Partial<AutoSettings>
  /** The same for single models, by their name. */
  readonly autoByModel?: Readonly<Record<string, SomeAutoSettings>> | undefined
  readonly gateMinTokens?: number
  /** Absent: each strategy asks in its own form, and the conversation's model. */
  readonly summaries?: { readonly form?: SummaryForm; readonly fastModel?: string }
  /** Texts that every compaction keeps. */
  readonly pins?: readonly string[]
  /** What is pinned by itself; absent: what binds, in the presets that look for it. */
  readonly pinning?: PinningPolicy
  /** Absent: everything that writes or runs is asked for. */
  readonly approval?: ApprovalPolicy
  readonly limits?: Partial<AgentLimits>
}

export interface AgentLimits {
  /** Requests to the model in one turn. */
  readonly steps: number
  /** Tools that run at the same time. */
  readonly parallelTools: number
  /** Compactions for one turn whose request was refused as too long. */
  readonly overflowRetries: number
  /** Requests repeated because the connection broke in mid-answer. */
  readonly brokenAnswers: number
  /** Sub-threads below sub-threads. */
  readonly depth: number
  /** Tokens of an answer, where the model and its window allow as many. */
  readonly outputTokens: number
  /** How long a lease outlives its owner. */
  readonly leaseMs: number
  /** How long a command waits for another process that works on the thread. */
  readonly waitMs: number
}

export const AGENT_LIMITS: AgentLimits = {
  steps: 200,
  parallelTools: 8,
  overflowRetries: 2,
  brokenAnswers: 2,
  depth: 2,
  outputTokens: 32_000,
  leaseMs: 30_000,
  waitMs: 120_000,
}
