// The intended effect of a call, before its result.
import type { FileOperation, Step } from './operation.ts'

export interface Todo {
  readonly text: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

export type Intent =
  | { readonly kind: 'files'; readonly operations: readonly FileOperation[] }
  | {
      readonly kind: 'shell'
      readonly command: string // as written, cut if long
      readonly key: string
      readonly isTest: boolean
      /** Commands after the test. */
      readonly behind?: readonly string[]
      readonly steps: readonly Step[]
      /** Its folder; absent for the root or the previous command's folder. */
      readonly folder?: string
      /** The next command starts in the folder where this one ends. */
      readonly persists: boolean
    }
  /** Results whose lines are paths, of one folder or any. */
  | { readonly kind: 'list'; readonly folder: string; readonly isDeep: boolean }
  | { readonly kind: 'found' }
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
  | { readonly kind: 'todo-added'; readonly text: string }
  | { readonly kind: 'todo-changed'; readonly id: string; readonly status?: Todo['status'] }
  | { readonly kind: 'plan'; readonly text: string }
  /** Checks or ends a background process. */
  | { readonly kind: 'poll'; readonly id: string; readonly isEnd?: true }
  | { readonly kind: 'other' }

export interface OpenCall {
  readonly id: string
  readonly name: string
  /** Its subject. */
  readonly subject: string
  readonly at: number // the number of its event
  readonly intent: Intent
}
