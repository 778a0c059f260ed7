// The context: what the model sees of a log, as a fold over its events.
import type { EntryId } from './change.ts'
import type { Item } from './entry.ts'
import type { Sequence } from './sequence.ts'

/** Raised when the fold or the weights change: older snapshots are then replayed from the log. */
export const FOLD_VERSION = 1

/** The state of the fold after some event. Immutable; one more event gives a new one. */
export interface Context {
  readonly version: number // sequence number of the last event folded
  readonly head: readonly EntryId[] // the system prompts in force: no edit reaches them
  readonly headTokens: number
  readonly items: Sequence<Item>
  readonly tokens: number // of the items
  readonly open: ReadonlySet<string> // calls of the last answer that have no result yet
  readonly stack: readonly number[] // changes that undo would take back, newest last
  readonly undone: readonly number[] // reversals that redo would take back, newest last
  readonly active: readonly number[] // COMPACTIONs in force, ascending; the last is the marker
  readonly ignored: readonly Ignored[] // events that could not be applied
}

export interface Ignored {
  readonly seq: number
  readonly reason: string
}
