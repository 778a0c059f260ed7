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
  /** What the model takes, in tokens. */
  readonly windowTokens: number
  /** The share of the window at which a compaction is made (default 0.8), and the one it comes to (0.5). */
  readonly at?: number
  readonly target?: number
  /** Detected from the messages unless it is named. */
  readonly format?: FormatId
  readonly strategy?: Strategy | string
  readonly model?: ModelLike
  readonly instructions?: string
  /** Texts that stay byte for byte. */
  readonly pins?: readonly string[]
  /** Whether compacted texts name refs: only where the model can call `recall`. Default: false. */
  readonly refs?: boolean
  /** Keeps what the compactor knows in this thread of the store, so that it goes on after a restart. */
  readonly store?: Store
  readonly threadId?: string
}

export interface Fitted<M> {
  /** What to send: the very same array where nothing was ever compacted. */
  readonly messages: M[]
  /** Whether it differs from what was given. */
  readonly changed: boolean
  /** Set where this call made a compaction. */
  readonly report?: CompactionReport
  readonly losses: readonly Loss[]
  readonly reading: Reading
}

export interface CompactorEvents {
  readonly compaction: CompactionReport
  /** Nothing was changed, and why. */
  readonly failed: PrecisError
  /** The history is another one from this message on. */
  readonly forked: { readonly message: number }
}

/** One for each conversation: where it has seen several, all but `fit`, `on`, `unpin` and `reading` refuse. */
export interface Compactor<M extends object> {
  /**
   * The messages of the whole conversation, or what `fit` gave last and new ones behind it. `usage` is what the
   * provider counted for the latest answer. Calls run one after the other.
   */
  fit<T extends M>(
    messages: readonly T[],
    usage?: UsageLike | null,
    signal?: Signal,
  ): Promise<Fitted<T>>
  /** Keeps a text or one of the messages; returns the id of the pin. */
  pin(pin: string | M): string
  unpin(pinId: string): void
  /** Takes the newest compaction back. The next one waits until the window is full. */
  undo(): M[]
  redo(): M[]
  /** What was taken out, by ref or by words. */
  recall(refOrWords: string, options?: RecallOptions): string
  /**
   * Reads the store, if that was not done yet, and writes what is not written yet. `fit` does both; call it
   * before the first `fit`, and after the last `pin`, `undo` or `redo`. Without a store it does nothing.
   */
  ready(): Promise<void>
  /** How full the window of the latest `fit` is: `measured` where a provider has counted. */
  reading(): Reading
  /** Returns a function that takes the listener away. An error that a listener throws changes nothing. */
  on<E extends keyof CompactorEvents>(
    event: E,
    listener: (value: CompactorEvents[E]) => void,
  ): () => void
}
