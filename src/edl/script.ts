// A parsed script: commands, patterns and values.
import type { Program } from './regex/program.ts'

export type Position =
  | { readonly type: 'bof' }
  | { readonly type: 'eof' }
  | { readonly type: 'line'; readonly line: number } // from 1
  | { readonly type: 'point'; readonly line: number; readonly column: number } // column from 0

export type Pattern =
  | { readonly type: 'lines'; readonly text: string }
  | { readonly type: 'regex'; readonly source: string; readonly program: Program }
  | { readonly type: 'position'; readonly source: string; readonly position: Position }
  | {
      readonly type: 'range'
      readonly source: string
      readonly from: Position
      readonly to: Position
    }

/** Text in the script, or a register's name. */
export type Value =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'register'; readonly name: string }

export const SEARCHES = [
  'select',
  'select_multiple',
  'narrow',
  'narrow_multiple',
  'select_next',
  'select_prev',
  'extend_forward',
  'extend_back',
] as const
export const WRITES = ['replace', 'insert_before', 'insert_after'] as const

export type Command =
  | { readonly name: 'file' | 'newfile'; readonly path: string }
  | { readonly name: (typeof SEARCHES)[number]; readonly pattern: Pattern }
  | { readonly name: 'retain_first' | 'retain_last' }
  | { readonly name: 'retain_nth'; readonly index: number } // from 0; negative counts from the end
  | { readonly name: (typeof WRITES)[number]; readonly value: Value }
  | { readonly name: 'delete' }
  | { readonly name: 'cut'; readonly register: string }

export type OpenCommand = Extract<Command, { path: string }>
export type SelectCommand = Exclude<Command, OpenCommand | MutateCommand>
export type MutateCommand = Extract<Command, { name: (typeof WRITES)[number] | 'delete' | 'cut' }>

const SHOWN_CHARS = 60

export function isMutation(command: Command): command is MutateCommand {
  return (
    command.name === 'delete' ||
    command.name === 'cut' ||
    WRITES.some((name) => name === command.name)
  )
}

/** A pattern for display. */
export function patternText(pattern: Pattern): string {
  if (pattern.type !== 'lines') return abridged(pattern.source)
  return JSON.stringify(abridged(pattern.text))
}

export function commandText(command: Command): string {
  switch (command.name) {
    case 'file':
    case 'newfile':
      return `${command.name} ${command.path}`
    case 'retain_nth':
      return `retain_nth ${command.index}`
    case 'cut':
      return `cut ${command.register}`
    default:
      return 'pattern' in command ? `${command.name} ${patternText(command.pattern)}` : command.name
  }
}

export function abridged(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text
}

/** The limits of a script; each ends in an error that names it. */
export interface EdlLimits {
  /** The script in UTF-16 code units. */
  readonly scriptChars: number
  readonly commands: number
  /** One file, before and after every command, and one register. */
  readonly fileChars: number
  /** Ranges one command may select. */
  readonly ranges: number
  /** For all searches and edits of a script; 20 to 50 nanoseconds each. */
  readonly regexSteps: number
}

export const DEFAULT_LIMITS: EdlLimits = {
  scriptChars: 1_000_000,
  commands: 10_000,
  fileChars: 10_000_000,
  ranges: 1_000_000,
  regexSteps: 100_000_000,
}

/** File access of a script: a port, so scripts can run on a disk or in memory. */
export interface FileIO {
  /** Rejects for a missing file. */
  readFile(path: string): Promise<string>
  writeFile(path: string, text: string): Promise<void>
  fileExists(path: string): Promise<boolean>
  /** Creates a folder and its parents; an existing one is fine. */
  mkdir(path: string): Promise<void>
}
