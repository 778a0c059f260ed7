// What an agent needs from outside, and its limits.
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

/** A model and what is known about it. */
export interface AgentModel {
  readonly ref: ModelRef
  readonly model: string // without the provider
  readonly provider: Provider
  /** Absent if unknown. */
  readonly windowTokens?: number
  /** False if the window is only assumed, which is said once. */
  readonly isWindowKnown: boolean
  /** The model's maximum output. */
  readonly outputTokens?: number
  /** Whether it has a thinking mode that can be asked for. */
  readonly canThink: boolean
  /** In dollars; undefined without a known price. */
  costOf(usage: TokenUsage): number | undefined
}

export interface AgentModels {
  /** `provider/model`, `dev`, or a role: `default`, `fast`. Rejects with what to do about it. */
  resolve(name?: string, signal?: Signal): Promise<AgentModel>
  /** For summaries: the same models without tools. */
  readonly summarizer: ModelPort
}

/** The tools of one thread. The agent adds `compact` and `task`. */
export type ToolsFor = (thread: {
  readonly threadId: string
  readonly workspace?: string
}) => readonly Tool[]

/** A file for `compact` to carry over, with its current content. */
export type ContextFile =
  | { readonly path: string; readonly content: string; readonly isCut?: boolean }
  | { readonly path: string; readonly error: string }

export interface ApprovalQuestion {
  readonly threadId: string
  readonly callId: string
  readonly name: string
  readonly subject: string
  readonly reason: string // why approval is needed
  readonly input: Json
  readonly diff?: string // of what it would change, with `+`, `-` or a blank before each line
  readonly signal: AbortSignal
}

/** Asks a person. A rejection, or no answer before the signal, means no. */
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
   * A queue for background compactions; the agent works on it together with other processes. Its creator
   * closes it after the agent. Without it they start at once in this process.
   */
  readonly jobs?: Pick<JobQueue, 'add' | 'work'>
  readonly models: AgentModels
  readonly tools: ToolsFor
  /** The `compact` tool in the preset's form. */
  readonly compactTool: {
    schema(mode: ReplacementRequest['mode']): ToolSchema
    /** The parsed input, or a text on what is wrong and what is expected. */
    read(mode: ReplacementRequest['mode'], input: Json): ReplacementRequest | string
    /** The strategy that replaces the thread or its ranges, and ends the call if it is in the thread. */
    strategy(input: ReplacementRequest, files: readonly ContextFile[], callId?: string): Strategy
  }
  /** Asked when a tool needs approval; without it such tools are denied. */
  readonly approver?: Approver
  readonly hooks?: readonly CompactionHooks[]
  /** Reads the files named by `compact`; without it none are carried over. */
  readContextFiles?(
    threadId: string,
    workspace: string | undefined,
    paths: readonly string[],
    maxTokens?: number, // of all files together
  ): Promise<readonly ContextFile[]>
  /** Reads earlier content by words or ref, within a limit. */
  recall?(
    threadId: string,
    asked: { readonly query: string } | { readonly ref: string },
  ): Promise<string>
  /** A reminder to follow a user message; undefined for none. */
  reminder?(threadId: string): string | undefined
}

/** As parsed from settings, where unset keys may be undefined. */
type SomeAutoSettings = { readonly [K in keyof AutoSettings]?: AutoSettings[K] | undefined }

export interface AgentSettings {
  readonly preset: PresetId
  /** Overrides the preset; absent fields keep its values. */
  readonly auto?: Partial<AutoSettings>
  /** The same by model name. */
  readonly autoByModel?: Readonly<Record<string, SomeAutoSettings>> | undefined
  readonly gateMinTokens?: number
  /** Default: each strategy uses its own form and the conversation's model. */
  readonly summaries?: { readonly form?: SummaryForm; readonly fastModel?: string }
  /** Texts that every compaction keeps. */
  readonly pins?: readonly string[]
  /** What is pinned automatically; default: binding sentences, in presets that detect them. */
  readonly pinning?: PinningPolicy
  /** Default: everything that writes or runs needs approval. */
  readonly approval?: ApprovalPolicy
  readonly limits?: Partial<AgentLimits>
}

export interface AgentLimits {
  /** Requests in one turn. */
  readonly steps: number
  /** Concurrent tools. */
  readonly parallelTools: number
  /** Compactions in one turn after refusals for length. */
  readonly overflowRetries: number
  /** Retries after connections that broke during an answer. */
  readonly brokenAnswers: number
  /** Nesting of sub-threads. */
  readonly depth: number
  /** Output tokens, if model and window allow them. */
  readonly outputTokens: number
  /** How long a lease outlives its owner. */
  readonly leaseMs: number
  /** How long a command waits for another process on the thread. */
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
