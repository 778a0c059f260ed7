// What `compact` takes and gives
import type { CompactionReport } from '../core/edit/report.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { Signal } from '../core/ports.ts'
import type { FormatId } from '../messages/dialect.ts'
import type { Loss } from './losses.ts'
import type { ModelLike } from './run-compaction.ts'

export interface CompactOptions<M> {
  /** The most that the messages may take, in estimated tokens. */
  readonly budget: number
  /** Detected from the messages unless it is named. */
  readonly format?: FormatId
  /** A strategy, or its id. Default: `cascade`, which needs no model; `brief` with a model. */
  readonly strategy?: Strategy | string
  /** Texts, and messages of the array, that stay byte for byte. */
  readonly pins?: readonly (string | M)[]
  /** What the summary has to keep, in words. */
  readonly instructions?: string
  /** What the user is going to say next: what matters for it stays. */
  readonly nextPrompt?: string
}

/** With a model the result is a promise. */
export interface CompactWithModel<M> extends CompactOptions<M> {
  readonly model: ModelLike
  readonly signal?: Signal
}

export interface Compacted<M> {
  /** The very same array where nothing had to be changed. Messages that were not touched are the same objects. */
  readonly messages: M[]
  readonly changed: boolean
  readonly report: CompactionReport
  /** Everything that is missing or shorter, by message. */
  readonly losses: readonly Loss[]
}

/** With a model or without. */
export type Given<M> = CompactOptions<M> & Partial<CompactWithModel<M>>
