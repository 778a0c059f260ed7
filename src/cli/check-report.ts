// The report of a check: each broken rule with its place, and what a repair changed.
import type { RepairChange } from '../core/repair/turn.ts'
import type { Violation } from '../validate/rule.ts'
import { oneLine, type Style } from './terminal.ts'

export interface CheckReport {
  readonly input: {
    readonly source: string
    readonly format: string
    readonly kind: 'request' | 'history'
  }
  readonly provider: string
  readonly violations: readonly Violation[]
  /** What a converted history lost on the way. */
  readonly remarks: readonly string[]
  readonly repair?: {
    readonly output: string // a file, or `-`
    readonly changes: readonly RepairChange[]
    /** What the copy still breaks. */
    readonly violations: readonly Violation[]
  }
}

const SHOWN = 50
const SHOWN_REMARKS = 5

export function renderCheck(report: CheckReport, style: Style, columns: number): string {
  const { input, provider, violations, remarks, repair } = report
  const source = input.source === '-' ? 'standard input' : input.source
  const sections = [
    [
      `${style.bold('précis')} · ${oneLine(source, 60)} ${style.dim(`(${input.format} ${input.kind})`)} for ${style.bold(provider)}`,
    ],
    violationLines(violations, '', style, columns),
    listLines(countOf(remarks.length, 'remark', 'remarks'), remarks, SHOWN_REMARKS, style, columns),
    ...(repair ? repairSections(repair, style, columns) : []),
  ]
  const filled = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${filled.join('\n\n')}\n`
}

function repairSections(
  { output, changes, violations }: NonNullable<CheckReport['repair']>,
  style: Style,
  columns: number,
): readonly (readonly string[])[] {
  const changed = changes.map(({ what, where, why }) => `${what}  ${style.bold(where)}  ${why}`)
  const heading = countOf(changes.length, 'change', 'changes')
  return [
    changes.length === 0
      ? ['Nothing had to be changed.']
      : listLines(heading, changed, SHOWN, style, columns),
    violations.length === 0 ? [] : violationLines(violations, ' by the copy', style, columns),
    output === '-' ? [] : [`Written to ${style.bold(output)}.`],
  ]
}

function violationLines(
  violations: readonly Violation[],
  whose: string,
  style: Style,
  columns: number,
): readonly string[] {
  if (violations.length === 0)
    return [style.good('Every rule is kept that can be told from the document.')]
  const width = Math.max(...violations.map(({ id }) => id.length))
  const lines = violations.map(
    ({ id, where, message }) => `${id.padEnd(width)}  ${style.bold(where)}  ${message}`,
  )
  const heading = `${countOf(lines.length, 'broken rule', 'broken rules')}${whose}`
  return listLines(heading, lines, SHOWN, style, columns)
}

function listLines(
  heading: string,
  lines: readonly string[],
  shown: number,
  style: Style,
  columns: number,
): readonly string[] {
  if (lines.length === 0) return []
  const more = lines.length - shown
  return [
    `${heading}:`,
    ...lines.slice(0, shown).map((line) => `  ${oneLine(line, Math.max(columns - 2, 160))}`),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them all`)] : []),
  ]
}

function countOf(count: number, one: string, many: string): string {
  return count === 1 ? `One ${one}` : `${count} ${many}`
}
