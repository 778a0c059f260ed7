// `json-rows`: shortens long JSON lists and tables to sample rows and a count.

import { asRef } from '../trim.ts'
import { jsonLists } from './json-lists.ts'
import { keepLines } from './logs.ts'
import { LEAST_CHARS } from './repeated-content.ts'
import { isFileRead, type Prune, type PruneView, type ToolUse, withText } from './tool-uses.ts'

const SHOWN_ROWS = 3
const LEAST_ROWS = 12

export const jsonRows: Prune = {
  name: 'json-rows',
  isSingle: true,
  find(view) {
    return view.uses.flatMap((use) => {
      if (use.at >= view.until || use.isElided || use.text.length < LEAST_CHARS || isFileRead(use))
        return []
      const text = shorterJson(use, view) ?? shorterTable(use, view)
      return text === undefined ? [] : [withText(use, text)]
    })
  },
}

/** Removes rows from the text, so the rest stays verbatim. */
function shorterJson({ text, at, ref }: ToolUse, { later }: PruneView): string | undefined {
  const pieces: string[] = []
  let from = 0
  for (const rows of jsonLists(text)) {
    if (rows.length < LEAST_ROWS) continue
    const gone = rows.filter(
      ([start, end], index) => index >= SHOWN_ROWS && !later.usesAny(text.slice(start, end), at),
    )
    if (gone.length < SHOWN_ROWS) continue
    for (const [start, end] of gone) {
      pieces.push(text.slice(from, start))
      from = behindComma(text, end)
    }
    const comma = text[from] === ']' ? '' : ', '
    pieces.push(`"… ${gone.length.toLocaleString('en-US')} rows left out …"${comma}`)
  }
  if (pieces.length === 0) return undefined
  return [...pieces, text.slice(from), `\n[The whole: ${asRef(ref)}]`].join('')
}

/** Also removes the row's comma. */
function behindComma(text: string, end: number): number {
  const next = /\s*,\s*/y
  next.lastIndex = end
  return next.test(text) ? next.lastIndex : end
}

/** Lines with equal numbers of the same separator form a table. */
function shorterTable(use: ToolUse, view: PruneView): string | undefined {
  const lines = use.text.split('\n')
  if (lines.length < LEAST_ROWS) return undefined
  const isRow = tableRows(lines)
  if (isRow === undefined) return undefined
  const isKept = (line: string, at: number) =>
    !isRow(at) || isEdge(isRow, at) || view.later.usesAny(line, use.at)
  return keepLines(lines, isKept, asRef(use.ref))
}

const SEPARATORS = ['|', '\t', ','] as const

function tableRows(lines: readonly string[]): ((at: number) => boolean) | undefined {
  for (const separator of SEPARATORS) {
    const counts = lines.map((line) => readCount(separator, line.slice(0, 2_000)))
    const most = commonest(counts.filter((count) => count >= 2))
    if (most && most.times >= LEAST_ROWS && 2 * most.times > lines.length)
      return (at) => counts[at] === most.count
  }
  return undefined
}

function readCount(separator: string, line: string): number {
  let count = 0
  for (let at = line.indexOf(separator); at >= 0; at = line.indexOf(separator, at + 1)) count += 1
  return count
}

function commonest(counts: readonly number[]): { count: number; times: number } | undefined {
  const times = new Map<number, number>()
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1)
  const [first] = [...times].sort(([, a], [, b]) => b - a)
  return first && { count: first[0], times: first[1] }
}

/** A table's heading, first rows and last row. */
function isEdge(isRow: (at: number) => boolean, at: number): boolean {
  return !isRow(at + 1) || !isRow(at - 1) || !isRow(at - 2) || !isRow(at - SHOWN_ROWS)
}
