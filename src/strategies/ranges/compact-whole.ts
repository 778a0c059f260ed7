// `whole-summary`: the agent replaces everything with one summary and the files it names.
import type { NewEntry } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { findClosingCall } from './closing-call.ts'
import type { RangeEdits } from './compact-ranges.ts'

/** A file's content at the time of the compaction, or why it cannot be shown. */
export type ContextFile =
  | { readonly path: string; readonly content: string; readonly isCut?: boolean }
  | { readonly path: string; readonly error: string }

export interface WholeInput {
  readonly context: Context
  readonly eventAt: EventAt
  readonly summary: string
  readonly files?: readonly ContextFile[]
  readonly continuation?: string // a blank one counts as absent
  readonly closes?: string // the open call to `compact` that asked for this
}

/** One edit over everything. Pure: the caller has read the files. */
export function compactWhole(input: WholeInput): RangeEdits {
  const { context, eventAt, summary, files = [], continuation = '', closes } = input
  const closing = closes === undefined ? undefined : findClosingCall(context, closes)
  if (PrecisError.is(closing)) return { ok: false, error: closing }
  const error = refusal(summary, context, closes)
  if (error) return { ok: false, error }

  const put: NewEntry[] = []
  if (files.length > 0) put.push({ type: 'USER_MESSAGE', data: filesText(files), label: 'files' })
  put.push({ type: 'AGENT_MESSAGE', data: { content: summary, calls: [] }, label: 'summary' })
  if (continuation.trim() !== '')
    put.push({ type: 'USER_MESSAGE', data: continuation, label: 'continuation' })
  return {
    ok: true,
    edits: [{ covers: runsOf(context.items.toArray(), eventAt), put }],
    ...(closes !== undefined && { closes: [closes] }),
  }
}

function refusal(
  summary: string,
  context: Context,
  closes: string | undefined,
): PrecisError | undefined {
  if (summary.trim() === '')
    return new PrecisError('invalid-input', 'The summary is empty.', {
      where: 'summary',
      hint: 'Write down what must not be forgotten: it replaces the whole thread.',
    })
  if (context.items.toArray().every((item) => item.kind === 'gap'))
    return new PrecisError('invalid-input', 'There is nothing in the thread to replace.', {
      hint: 'Compact once there is more to say.',
    })
  const waiting = [...context.open].filter((call) => call !== closes)
  if (waiting.length > 0)
    return new PrecisError('invalid-input', `Tool calls wait for results: ${waiting.join(', ')}.`, {
      where: `call ${waiting[0]}`,
      hint: 'Compact once every call has its result.',
      details: { waiting },
    })
  return undefined
}

/** The start of the message with files. */
export const FILES_HEADING = 'Files, as they were when the thread was compacted:'

/** Each path with its content in an unbreakable fence, or `path: error`. */
function filesText(files: readonly ContextFile[]): string {
  const byPath = new Map<string, ContextFile>()
  for (const file of files) if (!byPath.has(file.path)) byPath.set(file.path, file)
  return [FILES_HEADING, ...[...byPath.values()].map(fileText)].join('\n\n')
}

function fileText(file: ContextFile): string {
  if ('error' in file) return `${oneLine(file.path)}: ${oneLine(file.error)}`
  const fence = fenceFor(file.content)
  return `${oneLine(file.path)}\n${fence}\n${file.content}\n${fence}`
}

/** A line break in a path or error would read as a separate line. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
}

function fenceFor(content: string): string {
  let longest = 0
  for (const [run] of content.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(Math.max(3, longest + 1))
}
