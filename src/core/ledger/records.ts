// The records of the ledger; lists are bounded, newest last.

import type { FileTree } from './file-record.ts'
import type { OpenCall, Todo } from './intent.ts'

export interface CommandRecord {
  readonly key: string
  readonly command: string // as given, cut if long
  readonly isFailed: boolean
  readonly exitCode?: number
  /** The last line of its output. */
  readonly lastLine: string
  readonly at: number
}

export interface TestRun {
  readonly key: string
  readonly isFailed: boolean
  readonly passed?: number
  readonly failed?: number
  readonly failures: readonly string[]
  readonly at: number
}

/** A call that failed and has not succeeded since. */
export interface OpenError {
  readonly tool: string
  readonly subject: string
  /** Commands after passed tests: open until each has succeeded. */
  readonly behind?: readonly string[]
  readonly line: string
  readonly at: number
}

/** Something recorded permanently, or sent elsewhere. */
export interface Landing {
  readonly kind:
    | 'commit'
    | 'push'
    | 'merge'
    | 'tag'
    | 'pull-request'
    | 'pull-request-merged'
    | 'pull-request-closed'
    | 'release'
  readonly what: string
  readonly at: number
  /** For a commit: other branches it was seen on, and since when. */
  readonly alsoOn?: readonly { readonly branch: string; readonly at: number }[]
}

export interface BackgroundCommand {
  readonly id: string
  readonly command: string
  readonly at: number
}

export interface Ledger {
  /** The root folder of the work; undefined until something names it. */
  readonly root?: string
  /** The working directory relative to the root; undefined if unknown. */
  readonly folder?: string
  /** Its latest spelling. */
  readonly folderName?: string
  readonly tree: FileTree
  /** Calls without an answer yet. */
  readonly calls: readonly OpenCall[]
  readonly background: readonly BackgroundCommand[]
  readonly commands: readonly CommandRecord[]
  readonly tests: readonly TestRun[]
  readonly errors: readonly OpenError[]
  /** Commands that may have changed files in unknown ways. */
  readonly unclear: readonly { readonly command: string; readonly at: number }[]
  readonly todos: readonly Todo[]
  /** The last event that changed them. */
  readonly todosAt?: number
  /** Commits, pushes, pull requests and the like, in order. */
  readonly landings: readonly Landing[]
  readonly plan?: { readonly text: string; readonly at: number }
  /** The file of the latest plan. */
  readonly planPath?: string
}
