// The lines of a file that a call has shown, for the reading tools of all agents and the shell
import { fieldsOf } from '../../core/ledger/call-fields.ts'
import type { Intent } from '../../core/ledger/intent.ts'
import { normalPath } from '../../core/ledger/path.ts'
import type { Json } from '../../core/text/json.ts'
import type { ToolUse } from './tool-uses.ts'

export interface FileRead {
  readonly path: string
  /** Lines from 1; those that it really showed. */
  readonly from: number
  readonly to: number
  /** As it was asked for: the same again shows the same lines. */
  readonly asked: string
}

/** Undefined for anything but one file. */
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
  const fields = fieldsOf(input)
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

/** Undefined if the text of the command does not tell which lines they are. */
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
