// The records of the ledger; lists are bounded, newest last

import type { FileTree } from './file-record.ts'
import type { OpenCall, Todo } from './intent.ts'

export interface CommandRecord {
  readonly key: string
  readonly command: string // as it was given, cut where it is long
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

/** A call that failed, and has not worked since. */
export interface OpenError {
  readonly tool: string
  readonly subject: string
  /** Commands behind tests that passed: open until each of them has worked. */
  readonly behind?: readonly string[]
  readonly line: string
  readonly at: number
}

/** What was recorded for good, or left the machine. */
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
  /** Of a commit: further branches that it was seen on, and since when. */
  readonly alsoOn?: readonly { readonly branch: string; readonly at: number }[]
}

export interface BackgroundCommand {
  readonly id: string
  readonly command: string
  readonly at: number
}

export interface Ledger {
  /** The folder that the work is about; undefined until something names it. */
  readonly root?: string
  /** The working directory, from the root; undefined if nobody knows. */
  readonly folder?: string
  /** As it was last written. */
  readonly folderName?: string
  readonly tree: FileTree
  /** In flight: called, and not answered yet. */
  readonly calls: readonly OpenCall[]
  readonly background: readonly BackgroundCommand[]
  readonly commands: readonly CommandRecord[]
  readonly tests: readonly TestRun[]
  readonly errors: readonly OpenError[]
  /** Commands that may have changed files in ways that nobody can tell. */
  readonly unclear: readonly { readonly command: string; readonly at: number }[]
  readonly todos: readonly Todo[]
  /** The last event that changed them. */
  readonly todosAt?: number
  /** Commits, pushes, pull requests and the like, in their order. */
  readonly landings: readonly Landing[]
  readonly plan?: { readonly text: string; readonly at: number }
  /** The file that a plan was last written to. */
  readonly planPath?: string
}
