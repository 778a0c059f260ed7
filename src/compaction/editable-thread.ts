// A thread as compactions see it: reading, and its two ways to grow.
import type { LogReducer, Scratch } from '../core/edit/strategy.ts'
import type { EventAt, EventDraft, ThreadEvent, ThreadStarted } from '../core/log/event.ts'
import type { Context } from '../core/view/context.ts'
import type { ThreadState } from '../core/view/thread-state.ts'

export interface EditableThread {
  readonly id: string
  readonly state: ThreadState
  readonly context: Context
  readonly rows: { readonly eventAt: EventAt; copy(): EventAt }
  /** Finished work of unfinished compactions. */
  readonly scratch: Scratch
  reduce<S>(reducer: LogReducer<S>, upTo: number): Promise<S>
  /** Runs one piece of work at a time on this thread. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Folds what other writers appended. Call this, and everything below, only inside `exclusively`. */
  refresh(): Promise<void>
  loadContext(): Promise<void>
  append(
    draft: (state: ThreadState) => readonly EventDraft[] | Promise<readonly EventDraft[]>,
    openCalls: 'leave',
    expectedVersion?: number,
  ): Promise<ThreadEvent[]>
}

/** Creates a thread with all drafts in one append and returns its id. */
export type OpenThread = (started: ThreadStarted, drafts: readonly EventDraft[]) => Promise<string>
