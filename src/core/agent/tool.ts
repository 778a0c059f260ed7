// The tool port: schema, effects, permission and result.
import type { Signal, ToolSchema } from '../model.ts'
import type { Json } from '../text/json.ts'
import type { Block, TokenUsage, ToolStatus } from '../view/content.ts'

/** What a tool touches; decides about approval. */
export type ToolEffect = 'none' | 'read' | 'write' | 'run'

export interface Tool extends ToolSchema {
  readonly effect: ToolEffect
  /** May run in parallel with others of the same answer; the rest run in order. */
  readonly isParallel: boolean
  /**
   * The subject of a call: a path, or an unchanged command. Approval patterns match it, and people see it.
   * The input is not validated yet.
   */
  subjectOf(input: Json): string
  /**
   * The resolved target of the input's path. Patterns must allow it as well as the subject, and the tool
   * opens nothing else: `run` receives it.
   */
  targetOf?(input: Json): string
  /** Why this input is never run, if so: then no approval is asked for. */
  problemOf?(input: Json): string | undefined
  /** What the call would change now, for the person asked. Undefined if unknown. */
  changeOf?(input: Json, target?: string): Promise<ProposedChange | undefined>
  /**
   * Never rejects for mistakes of the model or the workspace: those are failed outcomes with a sentence the
   * model can act on. An aborted signal ends it soon with an `aborted` outcome.
   */
  run(input: Json, call: ToolRun): Promise<ToolOutcome>
}

export interface ProposedChange {
  /** Lines with `+`, `-` or a blank before each; limited in length. */
  readonly diff: string
  /** The state it was compared with; `run` rejects another. */
  readonly seen: string
}

/** The call that a tool answers. */
export interface ToolRun {
  readonly threadId: string
  readonly callId: string
  readonly signal: Signal
  /** The approved target, for tools with `targetOf`. */
  readonly target?: string
  /** The result of `changeOf` at approval. */
  readonly seen?: string
  /** Shown during the run, never stored. */
  onProgress?(text: string): void
}

export interface ToolOutcome {
  readonly status: ToolStatus
  readonly content: readonly Block[] // complete, for the log
  /** What the model sees of a long result; building a request adds a ref to the whole. */
  readonly shown?: readonly Block[]
  readonly metadata?: Json
  /** Billed usage of models called by the tool. */
  readonly tokenUsage?: TokenUsage
}

/** The input of the `compact` tool in either form (docs/spec/conflicts.md, C2). */
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
