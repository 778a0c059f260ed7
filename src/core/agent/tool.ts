// The tool port: schema, effects, permission and result
import type { Signal, ToolSchema } from '../model.ts'
import type { Json } from '../text/json.ts'
import type { Block, TokenUsage, ToolStatus } from '../view/content.ts'

/** What a tool touches: this decides who must be asked before it runs. */
export type ToolEffect = 'none' | 'read' | 'write' | 'run'

export interface Tool extends ToolSchema {
  readonly effect: ToolEffect
  /** May run beside others of the same answer; the rest run one after the other, in order. */
  readonly isParallel: boolean
  /**
   * What a call is about, in short: a path, or a command as it is. Patterns of approval match it, and it is
   * what people are shown. The input may be anything: it is not checked yet.
   */
  subjectOf(input: Json): string
  /**
   * Where a path of the input leads, links followed. Patterns must allow it as well as the subject, and
   * the tool opens nothing else: the same is given to `run`.
   */
  targetOf?(input: Json): string
  /** Why such an input is never run, if it is not: then nobody is asked about it. */
  problemOf?(input: Json): string | undefined
  /** What the call would change as things are now, for whoever is asked. Undefined: nothing can be told. */
  changeOf?(input: Json, target?: string): Promise<ProposedChange | undefined>
  /**
   * Never rejects for what the model or the workspace did wrong: that is a failed outcome with a
   * sentence the model can act on. An aborted signal ends it soon, with an `aborted` outcome.
   */
  run(input: Json, call: ToolRun): Promise<ToolOutcome>
}

export interface ProposedChange {
  /** Lines with `+`, `-` or a blank before each; of bounded length. */
  readonly diff: string
  /** The state that it was compared with; `run` refuses another. */
  readonly seen: string
}

/** The call that a tool answers. */
export interface ToolRun {
  readonly threadId: string
  readonly callId: string
  readonly signal: Signal
  /** What was allowed, where the tool has a `targetOf`. */
  readonly target?: string
  /** What `changeOf` said when the call was allowed. */
  readonly seen?: string
  /** Shown while it runs, never stored. */
  onProgress?(text: string): void
}

export interface ToolOutcome {
  readonly status: ToolStatus
  readonly content: readonly Block[] // in full, as the log keeps it
  /** What the model sees, where the whole is too long; a ref to the whole is added when it is built. */
  readonly shown?: readonly Block[]
  readonly metadata?: Json
  /** What models used on its behalf were billed. */
  readonly tokenUsage?: TokenUsage
}

/** What an agent asks of its `compact` tool, in either form (docs/spec/conflicts.md, C2). */
export type ReplacementRequest =
  | {
      readonly mode: 'ranges'
      readonly replacements: readonly {
        readonly from?: string
        readonly to?: string
        readonly summary: string
      }[]
    }
  | {
      readonly mode: 'summary'
      readonly summary: string
      readonly contextFiles?: readonly string[]
      readonly continuation?: string
    }
