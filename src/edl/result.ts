// The result of a script: written files, failures, and a text for the caller.
import type { Range } from './document.ts'
import type { Counts } from './mutate.ts'
import type { SavedText } from './registers.ts'

export type EdlResult = EdlDone | EdlRefused

/** The script ran. Single files may have failed; nothing of those was written. */
export interface EdlDone {
  readonly status: 'ok'
  /** Everything below in words, usable as a tool result. */
  readonly text: string
  readonly files: readonly WrittenFile[]
  readonly errors: readonly FileError[]
  readonly warnings: readonly string[]
  readonly trace: readonly string[]
  /** Undefined if no file was selected at the end, or the selected one failed. */
  readonly selection: Selection | undefined
}

/** Nothing ran: the script is invalid, or starts without a file. */
export interface EdlRefused {
  readonly status: 'error'
  readonly error: string
  /** The position of the error, from 1. */
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
  /** Changes of this file in the script, none of them written. */
  readonly mutationsNotApplied: number
  readonly trace: readonly string[]
  /** Texts of commands that did not run, for the next script. */
  readonly saved: readonly SavedText[]
}

export interface Selection {
  readonly path: string
  readonly ranges: readonly Range[]
}

const SHOWN_CHARS = 800
const SHOWN_RANGES = 10
const SHOWN_LINES = 50

/** The result in words, for a model that reads it as a tool result. */
type ReportInput = Omit<EdlDone, 'text' | 'status'> & { readonly selectedText: string }

export function reportText(result: ReportInput): string {
  const { warnings, trace, files, errors } = result
  const sections = [
    section('Warnings:', warnings),
    section('Trace:', trace),
    section('Mutations:', files.length === 0 ? ['No files modified.'] : files.map(mutationLine)),
    selectionText(result),
    section('File errors:', errors.flatMap(errorLines)),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const more = lines.length - SHOWN_LINES
  // The last lines are closest to the failure.
  const shown = more > 0 ? [`… ${more} more`, ...lines.slice(-SHOWN_LINES)] : lines
  return [title, ...shown.map((line) => `  ${line}`)].join('\n')
}

function mutationLine(file: WrittenFile): string {
  const { replacements, insertions, deletions, linesAdded, linesRemoved } = file
  const counts = [
    `${replacements} replacements`,
    `${insertions} insertions`,
    `${deletions} deletions`,
    `+${linesAdded}/-${linesRemoved} lines`,
  ]
  return `${file.path}: ${counts.join(', ')}${file.isNew ? ' (new file)' : ''}`
}

function selectionText({ selection, selectedText }: ReportInput): string {
  if (selection === undefined) return ''
  const { ranges } = selection
  const places = findPlaces(selectedText, ranges.slice(0, SHOWN_RANGES))
  const more = ranges.length - SHOWN_RANGES
  const lines = places.flatMap(({ place, content }) => [place, abridged(content)])
  if (more > 0) lines.push(`… ${more} more`)
  return [`Final selection (${plural(ranges.length, 'range')}):`, ...lines].join('\n')
}

/** `[line:col - line:col]`, lines from 1, columns from 0, like positions in the language. */
function findPlaces(text: string, ranges: readonly Range[]): { place: string; content: string }[] {
  const point = (offset: number) => {
    const before = text.slice(0, offset)
    return `${before.split('\n').length}:${offset - before.lastIndexOf('\n') - 1}`
  }
  return ranges.map(({ start, end }) => ({
    place: `[${point(start)} - ${point(end)}]`,
    content: text.slice(start, end),
  }))
}

function errorLines({ path, message, mutationsNotApplied, trace, saved }: FileError): string[] {
  return [
    `${path}: ${message} (${plural(mutationsNotApplied, 'mutation')} not applied)`,
    ...trace.slice(-SHOWN_LINES).map((line) => `  ${line}`),
    ...saved.map(({ register, chars }) => `  saved in register ${register} (${chars} chars)`),
  ]
}

function abridged(content: string): string {
  if (content.length <= SHOWN_CHARS) return content.toWellFormed()
  const half = SHOWN_CHARS / 2
  return `${content.slice(0, half)}…${content.slice(-half)}`.toWellFormed()
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
