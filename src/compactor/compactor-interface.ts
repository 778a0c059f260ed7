// What a compactor takes and gives: its options, its methods, its events
import type { Reading } from '../core/edit/change.ts'
import type { CompactionReport } from '../core/edit/report.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { PrecisError } from '../core/errors.ts'
import type { Signal } from '../core/model.ts'
import type { Store } from '../core/ports.ts'
import type { FormatId } from '../messages/dialect.ts'
import type { Loss } from './compact-messages.ts'
import type { RecallOptions } from './recall.ts'
import type { ModelLike } from './run-compaction.ts'
import type { UsageLike } from './usage-like.ts'

export interface CompactorOptions {
  /** The model's window in tokens. */
  readonly windowTokens: number
  /** The share of the window that starts a compaction (default 0.8), and the one it aims at (0.5). */
  readonly at?: number
  readonly target?: number
  /** Default: detected from the messages. */
  readonly format?: FormatId
  readonly strategy?: Strategy | string
  readonly model?: ModelLike
  readonly instructions?: string
  /** Texts that stay unchanged. */
  readonly pins?: readonly string[]
  /** Whether compacted texts contain refs, useful only if the model can call `recall`. Default: false. */
  readonly refs?: boolean
  /** Keeps the compactor's state in this thread of the store, so it continues after a restart. */
  readonly store?: Store
  readonly threadId?: string
}

export interface Fitted<M> {
  /** What to send: the same array if nothing was ever compacted. */
  readonly messages: M[]
  /** Whether it differs from the input. */
  readonly changed: boolean
  /** Set if this call compacted. */
  readonly report?: CompactionReport
  readonly losses: readonly Loss[]
  readonly reading: Reading
}

export interface CompactorEvents {
  readonly compaction: CompactionReport
  /** Why nothing was changed. */
  readonly failed: PrecisError
  /** The history differs from this message on. */
  readonly forked: { readonly message: number }
}

/** Use one per conversation: after several, all methods but `fit`, `on`, `unpin` and `reading` throw. */
export interface Compactor<M extends object> {
  /**
   * Takes the whole conversation, or the last result of `fit` with new messages appended. `usage` is the
   * provider's count for the latest answer. Calls run one after the other.
   */
  fit<T extends M>(
    messages: readonly T[],
    usage?: UsageLike | null,
    signal?: Signal,
  ): Promise<Fitted<T>>
  /** Pins a text or a message; returns the pin's id. */
  pin(pin: string | M): string
  unpin(pinId: string): void
  /** Undoes the newest compaction. The next one waits until the window is full. */
  undo(): M[]
  redo(): M[]
  /** Reads removed content by ref or by words. */
  recall(refOrWords: string, options?: RecallOptions): string
  /**
   * Reads the store once, and writes what is unwritten. `fit` does both; call this before the first `fit`,
   * and after the last `pin`, `undo` or `redo`. Does nothing without a store.
   */
  ready(): Promise<void>
  /** How full the window was at the last `fit`: `measured` if the provider counted. */
  reading(): Reading
  /** Returns a function that removes the listener. Errors in listeners are ignored. */
  on<E extends keyof CompactorEvents>(
    event: E,
    listener: (value: CompactorEvents[E]) => void,
  ): () => void
}
