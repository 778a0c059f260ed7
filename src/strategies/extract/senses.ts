// The optional analyses of `extract`; passed in, because they are most of its code.
import type { Settled } from '../../core/constraints/settle.ts'
import type { LogReducer } from '../../core/edit/strategy.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import type { Json } from '../../core/text/json.ts'
import type { ToolCall } from '../../core/view/content.ts'
import type { UserMessage } from './group.ts'
import type { findSummaries, fitSummaries } from './standing-summary.ts'

type Call = Pick<ToolCall, 'name' | 'arguments'>

/** Part of a digest. */
interface Known {
  readonly ledger: Ledger | undefined
  readonly settledAt: number
  answersSince(seq: number): number
}

export interface Senses {
  /** The state of files, tests and commands. */
  readonly ledger?: Pick<LogReducer<Ledger>, 'init' | 'step'>
  /** The current state in at most this many lines. */
  ledgerLines(known: Known, most: number): readonly string[]
  /** The arguments that show a call's subject, not how it is run. */
  argumentsOf(call: Call, folders: readonly (string | undefined)[]): Json
  /** Whether the call writes a complete todo list. */
  isTodoList(call: Call): boolean
  /** Whether it changes the state of one todo: that is in the list. */
  isTodoChange(call: Call): boolean
  /** What binds after a user message, and what no longer does. */
  settle(text: string, asked: string, before: readonly string[]): Settled
  /** What a short answer of the user refers to. */
  referentOf(words: string, asked: string): string | undefined
  withReferent(answer: string, referent: string): string
  /** Marks what a message supersedes; returns its sentences. */
  supersede(words: UserMessage[], text: string): readonly string[]
  findStatements(text: string): readonly string[]
  readonly findSummaries: typeof findSummaries
  readonly fitSummaries: typeof fitSummaries
}

/** Only lines and names. */
export const PLAIN: Senses = {
  ledgerLines: () => [],
  argumentsOf: (call) => call.arguments,
  isTodoList: () => false,
  isTodoChange: () => false,
  settle: () => ({ binding: [], gone: new Set() }),
  referentOf: () => undefined,
  withReferent: (answer) => answer,
  supersede: () => [],
  findStatements: () => [],
  findSummaries: () => [],
  fitSummaries: () => [],
}
