// A thread as the road sees it: what is read of it, and the two ways in which it grows.
import type { LogReducer, Scratch } from '../core/edit/strategy.ts'
import type { EventAt, EventDraft, ThreadEvent, ThreadStarted } from '../core/log/event.ts'
import type { Context } from '../core/view/context.ts'
import type { ThreadState } from '../core/view/thread-state.ts'

export interface EditableThread {
  readonly id: string
  readonly state: ThreadState
  readonly context: Context
  readonly rows: { readonly eventAt: EventAt; copy(): EventAt }
  /** What compactions of this thread have finished of their work. */
  readonly scratch: Scratch
  reduce<S>(reducer: LogReducer<S>, upTo: number): Promise<S>
  /** Runs one thing at a time on this thread. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Folds what other writers have appended since. Inside `exclusively` alone, as all below. */
  refresh(): Promise<void>
  loadContext(): Promise<void>
  append(
    draft: (state: ThreadState) => readonly EventDraft[] | Promise<readonly EventDraft[]>,
    openCalls: 'leave',
    expectedVersion?: number,
  ): Promise<ThreadEvent[]>
}

/** Starts a thread with all of these drafts in one append, and returns its id. */
export type OpenThread = (started: ThreadStarted, drafts: readonly EventDraft[]) => Promise<string>
