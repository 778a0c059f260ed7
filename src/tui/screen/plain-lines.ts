// Plain text as lines of a given width: tables of two columns, the colours of a diff
import { visibleWidth } from '@earendil-works/pi-tui'
import { padded, visible, wrapped } from './text-lines.ts'
import type { Theme } from './theme.ts'

/** A row of a table of two columns. */
const ROW = /^( {2}\S.*?) {2,}(\S.*)$/
/** Right-aligned figures. */
const FIGURES = /^[\d,]+ → [\d,]+$/
const GAP = 2
/** Indent of a description under its name. */
const DESCRIPTION_INDENT = 6
/** Minimum width of the second column; below it, it goes under the first. */
const FEWEST_COLUMNS = 44
/** Maximum width of the first column, as a share and on a narrow screen. */
const MOST_OF_NAMES = { share: 0.35, columns: 28 }

export function plainLines(text: string, width: number, theme: Theme): readonly string[] {
  const lines = text.split('\n').map(visible)
  const drawn: string[] = []
  for (let at = 0; at < lines.length; ) {
    const rows = rowsFrom(lines, at)
    if (rows.length > 0) drawn.push(...tableLines(lines.slice(at, at + rows.length), rows, width))
    else drawn.push(...plainLine(lines[at] ?? '', width, theme))
    at += Math.max(1, rows.length)
  }
  return drawn
}

interface Row {
  readonly name: string
  readonly words: string
}

function rowsFrom(lines: readonly string[], from: number): readonly Row[] {
  const rows: Row[] = []
  for (const line of lines.slice(from)) {
    const [, name, words] = ROW.exec(line) ?? []
    if (name === undefined || words === undefined) break
    rows.push({ name, words })
  }
  return rows
}

/** Unchanged if it is aligned and fits; otherwise all rows are laid out alike. */
function tableLines(
  lines: readonly string[],
  rows: readonly Row[],
  width: number,
): readonly string[] {
  const starts = new Set(lines.map((line, at) => line.length - (rows[at]?.words.length ?? 0)))
  const isEven = starts.size === 1 || rows.every(({ words }) => FIGURES.test(words))
  if (isEven && lines.every((line) => visibleWidth(line) <= width)) return lines
  const names = Math.max(...rows.map(({ name }) => visibleWidth(name))) + GAP
  const most = Math.max(MOST_OF_NAMES.columns, Math.floor(width * MOST_OF_NAMES.share))
  const left = Math.min(names, most, width - FEWEST_COLUMNS)
  // A longer name gets its own line.
  const isBeside =
    rows.filter(({ name }) => visibleWidth(name) + GAP <= left).length * 2 > rows.length
  return rows.flatMap((row) => rowLines(row, isBeside ? left : 0, width))
}

function rowLines({ name, words }: Row, left: number, width: number): readonly string[] {
  const indent = left > 0 ? left : DESCRIPTION_INDENT
  const [first = '', ...rest] = wrapped(words, Math.max(1, width - indent))
  const under = rest.map((line) => ' '.repeat(indent) + line)
  if (visibleWidth(name) + GAP <= left) return [padded(name, left) + first, ...under]
  return [...wrapped(name, width), ' '.repeat(indent) + first, ...under]
}

/** Colours the lines of a diff; other texts have no lines of this form. */
function plainLine(text: string, width: number, theme: Theme): readonly string[] {
  const paint = text.startsWith('+') ? theme.good : text.startsWith('-') ? theme.bad : undefined
  // Wrapped lines keep their indent.
  const indent = text.startsWith('  ') && visibleWidth(text) > width ? 4 : 0
  const [first = '', ...rest] = wrapped(text, width - indent)
  const lines = [first, ...rest.map((more) => ' '.repeat(indent) + more)]
  return paint ? lines.map(paint) : lines
}
