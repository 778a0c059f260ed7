// The result of a script: written files, failures, and a text for the caller
import type { Range } from './document.ts'
import type { Counts } from './mutate.ts'
import type { SavedText } from './registers.ts'

export type EdlResult = EdlDone | EdlRefused

/** The script ran. Files may have failed all the same: each by itself, and nothing of it was written. */
export interface EdlDone {
  readonly status: 'ok'
  /** All of the below in words, suited to the result of a tool. */
  readonly text: string
  readonly files: readonly WrittenFile[]
  readonly errors: readonly FileError[]
  readonly warnings: readonly string[]
  readonly trace: readonly string[]
  /** Undefined if no file was selected at the end, or the selected one failed. */
  readonly selection: Selection | undefined
}

/** Nothing ran: the script cannot be read, or begins without a file. */
export interface EdlRefused {
  readonly status: 'error'
  readonly error: string
  /** Where in the script it cannot be read, both from 1. */
  readonly line?: number
  readonly column?: number
}

export interface WrittenFile extends Readonly<Counts> {
  readonly path: string
  readonly isNew: boolean
}

export interface FileError {
  readonly path: string
  readonly message: string
  /** Changes of this file in the script, none of which was written. */
  readonly mutationsNotApplied: number
  readonly trace: readonly string[]
  /** Texts of the commands that were not run, for the next script. */
  readonly saved: readonly SavedText[]
}

export interface Selection {
  readonly path: string
  readonly ranges: readonly Range[]
}
