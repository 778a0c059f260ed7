// `superseded-writes` and `repeated-reads`: file content that a later write or read replaces.
import type { EntryId } from '../../core/edit/change.ts'
import { readFields, textIn } from '../../core/ledger/call-fields.ts'
import type { Intent } from '../../core/ledger/intent.ts'
import type { FileOperation } from '../../core/ledger/operation.ts'
import { normalPath } from '../../core/ledger/path-text.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { asRef } from '../trim.ts'
import { type Elision, type Prune, type PruneView, type ToolUse, withText } from './tool-uses.ts'

/** The file lines a call has shown, for all agents' reading tools and the shell. */
interface FileRead {
  readonly path: string
  /** The lines shown, from 1. */
  readonly from: number
  readonly to: number
  /** The request: the same one shows the same lines. */
  readonly asked: string
}

/** Undefined unless it reads one file. */
export function fileRead({ intent, call, text }: ToolUse): FileRead | undefined {
  const path = pathRead(intent)
  if (path === undefined) return undefined
  const range = intent.kind === 'shell' ? shellRange(intent.command) : askedRange(call.arguments)
  if (range === undefined) return undefined
  const shown = range.from + linesIn(text) - 1
  const asked = `${range.from}-${range.to}`
  return { path, from: range.from, to: Math.min(range.to, shown), asked }
}

function pathRead(intent: Intent): string | undefined {
  const operations =
    intent.kind === 'files'
      ? intent.operations
      : intent.kind === 'shell'
        ? intent.steps.flatMap((step) => [...step.operations, ...step.opened])
        : []
  const [operation, ...others] = operations.filter(({ op }) => op !== 'cd')
  if (operation?.op !== 'read' || others.length > 0 || operation.path.glob) return undefined
  const { name } = operation.path
  if (name === '') return undefined
  return normalPath(intent.kind === 'shell' && intent.folder ? `${intent.folder}/${name}` : name)
}

interface Range {
  readonly from: number
  readonly to: number
}

function askedRange(input: Json): Range {
  const fields = readFields(input)
  const pair = [fields.view_range, fields.range, fields.lines].find(Array.isArray)
  const from = firstNumber(
    fields.offset,
    fields.start_line,
    fields.startLine,
    fields.start_line_one_indexed,
    fields.line_start,
    pair?.[0],
  )
  const to = firstNumber(
    fields.end_line,
    fields.endLine,
    fields.end_line_one_indexed_inclusive,
    fields.line_end,
    pair?.[1],
  )
  const limit = firstNumber(fields.limit, fields.line_count, fields.maxLines)
  const start = Math.max(1, from ?? 1)
  if (to !== undefined && to >= start) return { from: start, to }
  return { from: start, to: limit === undefined ? Number.POSITIVE_INFINITY : start + limit - 1 }
}

function firstNumber(...values: readonly (Json | undefined)[]): number | undefined {
  const found = values.find((value) => typeof value === 'number' && Number.isFinite(value))
  return typeof found === 'number' ? Math.floor(found) : undefined
}

const PRINTED = /\bsed -n ["']?(\d{1,9}),(\d{1,9}|\$)p/
const HEAD = /\bhead (?:-n ?|-)(\d{1,9})\b/

/** Undefined if the command does not tell its lines. */
function shellRange(command: string): Range | undefined {
  const printed = PRINTED.exec(command)
  if (printed) {
    const [, from = '1', to = '$'] = printed
    return { from: Number(from), to: to === '$' ? Number.POSITIVE_INFINITY : Number(to) }
  }
  const head = HEAD.exec(command)
  if (head) return { from: 1, to: Number(head[1]) }
  return /\b(?:tail|sed|head|awk|grep|less|more)\b/.test(command)
    ? undefined
    : { from: 1, to: Number.POSITIVE_INFINITY }
}

export function linesIn(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return text.endsWith('\n') ? lines - 1 : lines
}

/** Shorter content is not worth a note. */
const LEAST_CHARS = 400

/** A call's arguments cannot be shortened, so the round becomes its text and a note. */
export const supersededWrites: Prune = {
  name: 'superseded-writes',
  find(view) {
    const later = new Map<string, { readonly ref: EntryId; readonly how: string }>()
    const elisions: Elision[] = []
    for (const use of view.uses.toReversed()) {
      if (use.isFailed) continue
      const [path, ...others] = writtenPaths(use)
      if (path !== undefined && others.length === 0) {
        const after = later.get(path)
        const said = after && isAlone(use, view) ? saidInstead(use, path, after, view) : undefined
        if (said !== undefined) elisions.push({ use, said })
        else if (!after) later.set(path, { ref: use.answerRef, how: 'written anew' })
      }
      const read = fileRead(use)
      if (read && read.asked === WHOLE && !use.isElided && !later.has(read.path))
        later.set(read.path, { ref: use.ref, how: 'read' })
    }
    return elisions
  },
}

const WHOLE = `1-${Number.POSITIVE_INFINITY}`

/** The only call of a finished round. */
function isAlone({ round }: ToolUse, { until }: PruneView): boolean {
  return round.end <= until && round.results.size === 1 && round.missing.length === 0
}

function saidInstead(
  { call, round, answerRef }: ToolUse,
  path: string,
  { ref, how }: { readonly ref: EntryId; readonly how: string },
  { eventAt }: PruneView,
): string | undefined {
  const text = textIn(readFields(call.arguments), 'content', 'contents', 'file_text', 'text')
  if (text === undefined || text.length < LEAST_CHARS) return undefined
  const answer = contentOf(round.answer, eventAt)
  const said = answer?.kind === 'answer' ? answer.answer.content.trim() : ''
  const size = `${linesIn(text).toLocaleString('en-US')} lines, ${text.length.toLocaleString('en-US')} characters`
  const note = `[Wrote ${path}, ${size}; ${how} later ${asRef(ref)}. What was written here: ${asRef(answerRef)}]`
  return said === '' ? note : `${said}\n${note}`
}

/** What later calls show of one file. */
interface Shown {
  readonly asked: Set<string>
  readonly stretches: (readonly [from: number, to: number])[]
  latest: EntryId
  isWritten: boolean
}

/** Limit of separate ranges per file. */
const MOST_STRETCHES = 64

/** Backwards, so that what covers a read is still there. */
export const repeatedReads: Prune = {
  name: 'repeated-reads',
  find({ uses, until, eventAt }) {
    const files = new Map<string, Shown>()
    const elisions: Elision[] = []
    for (const use of uses.toReversed()) {
      if (use.isFailed) continue
      for (const path of writtenPaths(use)) {
        const shown = openShown(files, path, use.answerRef)
        shown.isWritten = true
        shown.latest = use.answerRef
      }
      const read = fileRead(asItCame(use, eventAt))
      if (!read) continue
      const shown = files.get(read.path)
      const isOnlyText = use.result.content.every(({ text }) => text !== undefined)
      if (shown && use.at < until && isOnlyText && isShownAgain(read, shown))
        elisions.push(withText(use, lineFor(read, shown, use)))
      else if (!use.isElided) add(openShown(files, read.path, use.ref), read)
    }
    return elisions
  },
}

/** For a cut result, only the original shows its lines. */
function asItCame(use: ToolUse, eventAt: EventAt): ToolUse {
  const content = use.isElided ? contentOf(use.ref, eventAt) : undefined
  if (content?.kind !== 'result') return use
  return { ...use, text: content.result.content.flatMap(({ text }) => text ?? []).join('\n') }
}

function openShown(files: Map<string, Shown>, path: string, ref: EntryId): Shown {
  const shown = files.get(path) ?? {
    asked: new Set(),
    stretches: [],
    latest: ref,
    isWritten: false,
  }
  files.set(path, shown)
  return shown
}

/** Files whose whole content is in the call. */
function writtenPaths({ intent, isFailed }: ToolUse): string[] {
  if (intent.kind !== 'files' || isFailed) return []
  const isWrite = (operation: FileOperation) => operation.op === 'write'
  return intent.operations
    .filter(isWrite)
    .flatMap((operation) => ('path' in operation ? [normalPath(operation.path.name)] : []))
}

function isShownAgain({ from, to, asked }: FileRead, shown: Shown): boolean {
  if (shown.isWritten || shown.asked.has(asked)) return true
  return shown.stretches.some(([first, last]) => first <= from && to <= last)
}

/** Adjacent ranges are merged. */
function add(shown: Shown, { from, to, asked }: FileRead): void {
  shown.asked.add(asked)
  if (shown.stretches.length >= MOST_STRETCHES) return
  let [first, last] = [from, to]
  const apart = shown.stretches.filter(([low, high]) => {
    if (high + 1 < first || last + 1 < low) return true
    first = Math.min(first, low)
    last = Math.max(last, high)
    return false
  })
  shown.stretches.length = 0
  for (const stretch of apart) shown.stretches.push(stretch)
  shown.stretches.push([first, last])
}

function lineFor({ path, from, to }: FileRead, shown: Shown, use: ToolUse): string {
  const what = shown.isWritten ? 'written anew' : 'read again'
  return `[Lines ${from} to ${to} of ${path}, ${what} later ${asRef(shown.latest)}; as they were here: ${asRef(use.ref)}]`
}
