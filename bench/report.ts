// Results for people: lines for a terminal, a table for a page.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Figure, goalText, numberText, spreadText, type Unit, verdictText } from './figure.ts'
import { latestRow, type ResultRow } from './result-row.ts'

export const PAGE = new URL('../docs/benchmarks.md', import.meta.url)

export function linesOf({ figures, ...row }: ResultRow): string {
  const groups = Object.entries(Object.groupBy(figures, ({ group }) => group))
  const blocks = groups.map(([group, members]) =>
    [`\n── ${group} ──`, ...(members ?? []).map(linesOfFigure)].join('\n'),
  )
  return [originText(row), ...blocks, '', summaryText(figures)].join('\n')
}

function linesOfFigure(figure: Figure): string {
  const { subject, reference, unit, ratio } = figure
  const width = Math.max(subject.what.length, reference.what.length)
  const goal = figure.goal ? `, goal ${goalText(figure)}: ${verdictText(figure)}` : ''
  return [
    `${subject.what.padEnd(width)}  ${spreadText(subject)} ${unit}`,
    `${reference.what.padEnd(width)}  ${spreadText(reference)} ${unit}`,
    `  ratio ${spreadText(ratio)}${goal}`,
  ].join('\n')
}

function summaryText(figures: readonly Figure[]): string {
  const missed = figures.filter(({ met }) => met === false).map(({ id }) => id)
  const met = figures.filter((figure) => figure.met === true).length
  return `goals: ${met} met, ${missed.length} missed${missed.length > 0 ? `: ${missed.join(', ')}` : ''}`
}

const COLUMNS = ['measured', '', 'beside', '', 'ratio', 'goal', '']

/** The table of a page: one line for each figure, and where it comes from. */
export function pageTable({ figures, ...row }: ResultRow): string {
  const groups = Object.entries(Object.groupBy(figures, ({ group }) => group))
  const lines = groups.flatMap(([group, members]) => [
    [`**${group}**`, '', '', '', '', '', ''],
    ...(members ?? []).map(cellsOf),
  ])
  const table = [COLUMNS, COLUMNS.map(() => '---'), ...lines].map(
    (cells) => `| ${cells.join(' | ')} |`,
  )
  return [`${originText(row)}.`, '', ...table].join('\n')
}

function cellsOf(figure: Figure): string[] {
  const { subject, reference, unit, ratio } = figure
  return [
    subject.what,
    amountText(subject.value, unit),
    reference.what,
    amountText(reference.value, unit),
    spreadText(ratio),
    goalText(figure),
    verdictText(figure),
  ]
}

function amountText(value: number, unit: Unit): string {
  return `${numberText(value)} ${unit}`
}

function originText(row: Omit<ResultRow, 'figures'>): string {
  const { date, commit, changed, node, cpu, cores, settings } = row
  const tree = changed ? `${commit} with changes` : commit
  return `${date}, commit ${tree}, Node ${node}, ${cpu}, ${cores} cores, seed ${settings.seed}`
}

/** Writes the table of a benchmark's latest row into docs/benchmarks.md. */
export function writeTable(name: string): void {
  writeFileSync(PAGE, pageWithTable(readFileSync(PAGE, 'utf8'), name))
}

/** The page with the table of the latest row. */
export function pageWithTable(page: string, name: string): string {
  return withBlock(page, name, `\n${pageTable(latestRow(name))}\n`)
}

/** The text between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
export function blockOf(page: string, name: string): string {
  const { start, end } = placeOf(page, name)
  return page.slice(start, end).trim()
}

export function withBlock(page: string, name: string, block: string): string {
  const { start, end } = placeOf(page, name)
  return `${page.slice(0, start)}\n${block}\n${page.slice(end)}`
}

function placeOf(page: string, name: string): { start: number; end: number } {
  const [begin, finish] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`]
  const [start, end] = [page.indexOf(begin), page.indexOf(finish)]
  if (start < 0 || end < start) throw new Error(`the page has no place ${begin} … ${finish}`)
  return { start: start + begin.length, end }
}
