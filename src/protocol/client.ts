// The client interface, the same in process and over HTTP
import type { AgentFrame, RunResult } from '../core/agent/frame.ts'
import type { Reading } from '../core/edit/change.ts'
import type { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { UserContent } from '../core/view/content.ts'
import type { UsageTotals } from '../core/window/usage.ts'
import type {
  ContextFigures,
  ContextPage,
  ContextPicture,
  EntryPlace,
  ModelCost,
  ReportFigures,
  TimelinePoint,
  ViewDiff,
} from './context-types.ts'

export type * from './context-types.ts'

/** Raised when a client of the former number could misunderstand a server of the new one. */
export const PROTOCOL_VERSION = 1

export interface Hello {
  readonly protocol: number
  readonly version: string // of précis
  readonly defaultModel?: string // absent: none is configured
  readonly presets: readonly string[]
  readonly strategies: readonly string[]
  readonly formats: { readonly read: readonly string[]; readonly written: readonly string[] }
  /** The sessions of this machine can be listed and opened by whoever asked. */
  readonly hasSessions?: true
}

/** A session of an agent on the machine of the server. */
export interface MachineSession {
  readonly id: string
  readonly agent: string
  readonly project?: string
  readonly title?: string // what a person typed first
  readonly bytes: number
  readonly updatedAt: Date
  readonly threadId?: string // where it was imported before
}

export interface ThreadSummary {
  readonly threadId: string
  readonly title: string // given, or the beginning of what the user said first
  readonly version: number // the number of its last event
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly parent?: { readonly threadId: string; readonly seq: number }
  readonly reason?: string // of a thread that came from another: fork, fresh-session, import, task
  readonly isPartial?: true // its import was interrupted, or is under way
  readonly importedAt?: Date
}

/** LOG-74 and LOG-75: sums over the working conversation. What interfaces draw is `context`. */
export interface TokenUsageFigures {
  readonly totalPromptTokens: number
  readonly totalCompletionTokens: number
  readonly totalTokens: number
  readonly percentUsed: number
  readonly nearLimit: boolean
}

/** A thread with its figures. */
export interface ThreadDetail extends ThreadSummary {
  readonly model?: string
  readonly thinking: string
  readonly preset: string
  readonly strategy?: string // in place of the preset's
  readonly workspace?: string
  readonly isWorking: boolean
  readonly isCompacting: boolean
  readonly canUndo: boolean // a compaction
  readonly undoes?: string // what undo takes back, in words
  readonly canRedo: boolean
  readonly queued: number
  readonly tokenUsage?: TokenUsageFigures
  readonly context: ContextFigures
  /** Everything that was billed, conversation and summaries; never reset. */
  readonly billed: UsageTotals
  readonly costUsd?: number
  /** Of a long log: cost and sums are being counted, and are there when it is asked for again. */
  readonly isCounting?: boolean
  /** The session file that it was imported from, and whether what the agent writes there is added. */
  readonly file?: { readonly agent: string; readonly state: 'followed' | 'parted' }
  /** Calls that wait for someone to allow or deny them. */
  readonly approvals: readonly Approval[]
}

export interface Approval {
  readonly callId: string
  readonly name: string
  readonly subject: string
  readonly reason: string
  /** What the call would change: lines with `+`, `-` or a blank before each. Such a change is what runs. */
  readonly diff?: string
}

export interface NewThread {
  readonly title?: string
  readonly model?: string
  readonly preset?: string
  readonly workspace?: string
}

/** `started` and `queued` end in frames; a command has its reply. */
export type SendReply =
  /** `threadId` where the turn runs in another thread: a fresh session was started first. */
  | { readonly status: 'started'; readonly threadId?: string }
  | { readonly status: 'queued'; readonly messageId: string }
  | ({ readonly status: 'command' } & CommandOutcome)

export interface CommandOutcome {
  readonly command: string
  readonly ok: boolean
  readonly text: string
  readonly threadId?: string // where to continue
  readonly compaction?: RunResult
  readonly returned?: string // for the editor it came from
}

export type StreamItem =
  | { readonly kind: 'event'; readonly event: ThreadEvent }
  | { readonly kind: 'frame'; readonly frame: AgentFrame }
  /** The connection was lost and is back; events go on without a gap, frames may have been missed. */
  | { readonly kind: 'reconnected' }
  /** There is no connection; the next try comes after `delayMs`. `failures` in a row so far. */
  | {
      readonly kind: 'waiting'
      readonly error: PrecisError
      readonly failures: number
      readonly delayMs: number
    }

export interface StrategyRequest {
  readonly strategy?: string
  readonly instructions?: string
  readonly nextPrompt?: string
}

/** A compaction that was prepared and not applied. */
export interface Preview {
  readonly previewId: string
  readonly strategy: string
  readonly basedOn: number
  readonly before: Reading
  readonly after: Reading
  readonly report: string // for people
  /** Absent if the conversation would continue in a new thread. */
  readonly figures?: ReportFigures
  /** The texts it would put into the context; those with `isEditable` may be changed before applying. */
  readonly texts: readonly PreviewText[]
}
export interface PreviewText {
  readonly key: string
  readonly label: string
  readonly text: string
  readonly isEditable: boolean
}

export interface PinInfo {
  readonly pinId: string
  readonly text: string
  readonly by: string
}

export interface RecallHit {
  readonly ref: string
  readonly speaker: string
  readonly timestamp: Date
  readonly text: string
}

/** The whole text of a ref, or what was found; `next` is where a long text continues, in characters. */
export interface Recalled {
  readonly text: string
  readonly hits: readonly RecallHit[]
  readonly next?: number
}

/** A setting that is in effect, and which layer it is from. */
export interface SettingInfo {
  readonly key: string
  readonly value: unknown
  readonly origin: string
}

export interface ModelInfo {
  readonly ref: string
  readonly windowTokens?: number
  readonly isConfigured: boolean // its key or server is there
}

/** Every method rejects with a PrecisError: the server's own, or `unreachable`. */
export interface Client {
  hello(): Promise<Hello>
  threads(options?: {
    readonly after?: string
    readonly limit?: number
    readonly search?: string
  }): Promise<{ readonly items: readonly ThreadSummary[]; readonly next?: string }>
  createThread(thread?: NewThread): Promise<ThreadDetail>
  thread(threadId: string): Promise<ThreadDetail>
  deleteThread(threadId: string): Promise<void>
  /** Everything that happened, in order; `limit` at a time. */
  events(
    threadId: string,
    range?: { readonly from?: number; readonly to?: number; readonly limit?: number },
  ): Promise<readonly ThreadEvent[]>
  /**
   * Events after `afterSeq`, then live ones and frames, until the signal fires. Reconnects by itself; each
   * failed try is an item, and after an hour of them it rejects with the last error.
   * Frames come from `onConnected` on: whoever waits for the end of a turn sends no message before.
   */
  follow(
    threadId: string,
    afterSeq: number,
    signal: AbortSignal,
    onConnected?: () => void,
  ): AsyncIterable<StreamItem>
  /** Commands are carried out, everything else is said; resolves as soon as it is accepted. */
  send(threadId: string, content: UserContent): Promise<SendReply>
  resume(threadId: string): Promise<void>
  abort(threadId: string): Promise<void>
  decide(threadId: string, callId: string, decision: 'allow' | 'deny'): Promise<void>
  compact(threadId: string, request?: StrategyRequest): Promise<CommandOutcome>
  preview(threadId: string, request?: StrategyRequest): Promise<Preview>
  /** What it would change; known to the process that made it. */
  previewDiff(threadId: string, previewId: string): Promise<ViewDiff>
  /** Refused with `stale` where what it covers has changed since. */
  applyPreview(
    threadId: string,
    previewId: string,
    texts?: Readonly<Record<string, string>>,
  ): Promise<CommandOutcome>
  dropPreview(threadId: string, previewId: string): Promise<void>
  undo(threadId: string, compaction?: number): Promise<void>
  redo(threadId: string): Promise<void>
  fork(threadId: string, seq?: number): Promise<ThreadDetail>
  pins(threadId: string): Promise<readonly PinInfo[]>
  pin(threadId: string, text: string): Promise<PinInfo>
  unpin(threadId: string, pinId: string): Promise<void>
  recall(
    threadId: string,
    asked: { readonly query: string } | { readonly ref: string; readonly offset?: number },
  ): Promise<Recalled>
  contextPicture(threadId: string): Promise<ContextPicture>
  /** The entries of the context, as the model sees them from `from` on (0 is the first). */
  contextEntries(
    threadId: string,
    range?: { readonly from?: number; readonly limit?: number },
  ): Promise<ContextPage>
  /** What became of the entries of `limit` events, from the number `from` on. */
  places(
    threadId: string,
    range?: { readonly from?: number; readonly limit?: number },
  ): Promise<readonly EntryPlace[]>
  /** Everything that was billed, by model. */
  cost(threadId: string): Promise<readonly ModelCost[]>
  /** The size of the context over time, with every compaction. */
  timeline(threadId: string): Promise<readonly TimelinePoint[]>
  diff(threadId: string, compaction: number): Promise<ViewDiff>
  report(
    threadId: string,
    compaction: number,
  ): Promise<{ readonly text: string; readonly figures: ReportFigures }>
  models(): Promise<readonly ModelInfo[]>
  settings(): Promise<readonly SettingInfo[]>
  change(
    threadId: string,
    settings: Readonly<Partial<Record<'model' | 'thinking' | 'preset' | 'strategy', string>>>,
  ): Promise<ThreadDetail>
  /** In a format that can be written: markdown, html, claude-code, … */
  exportThread(threadId: string, format: string): Promise<string>
  importThread(content: string, options?: { readonly format?: string }): Promise<ThreadDetail>
  /** The sessions of agents on the server's machine, newest first; `isPartial` where more is found when it is asked again. */
  sessions(options?: { readonly search?: string; readonly limit?: number }): Promise<{
    readonly items: readonly MachineSession[]
    readonly total: number
    readonly isPartial?: true
  }>
  /** Imports what is new in it; its thread then follows the file for as long as somebody follows the thread. */
  openSession(id: string): Promise<ThreadDetail>
  /** Paths of the thread's folder that begin with, or contain, what was typed. */
  files(threadId: string, typed: string): Promise<readonly string[]>
}
