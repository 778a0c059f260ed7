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
const PLACE_COLUMNS = 60
/** A reason stays readable in the narrowest terminal. */
const MIN_COLUMNS = 60

export function renderCheck(report: CheckReport, style: Style, columns: number): string {
  const { input, provider, violations, remarks, repair } = report
  const source = input.source === '-' ? 'standard input' : input.source
  const sections = [
    [
      `${style.bold('précis')} · ${oneLine(source, 60)} ${style.dim(`(${input.format} ${input.kind})`)} for ${style.bold(provider)}`,
    ],
    violationLines(violations, '', style, columns),
    remarkLines(remarks, style, columns),
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
  const changed = changes.map(({ what, where, why }) => [what, where, why] as const)
  return [
    changes.length === 0
      ? ['Nothing had to be changed.']
      : [`${countOf(changes.length, 'change', 'changes')}:`, ...rows(changed, style, columns)],
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
  const broken = violations.map(({ id, where, message }) => [id, where, message] as const)
  return [
    `${countOf(broken.length, 'broken rule', 'broken rules')}${whose}:`,
    ...rows(broken, style, columns),
  ]
}

/** Names and places may come from the document: nothing of them may control the terminal. */
function rows(
  entries: readonly (readonly [string, string, string])[],
  style: Style,
  columns: number,
): readonly string[] {
  const shown = entries.slice(0, SHOWN)
  const width = Math.max(...shown.map(([name]) => name.length))
  const lines = shown.map(([name, where, why]) => {
    const place = oneLine(where, PLACE_COLUMNS)
    const left = Math.max(MIN_COLUMNS, columns - width - place.length - 6)
    return `  ${name.padEnd(width)}  ${style.bold(place)}  ${oneLine(why, left)}`
  })
  return [...lines, ...more(entries.length - SHOWN, style)]
}

function more(count: number, style: Style): readonly string[] {
  return count > 0 ? [style.dim(`  and ${count} more: --json lists them all`)] : []
}

function remarkLines(remarks: readonly string[], style: Style, columns: number): readonly string[] {
  if (remarks.length === 0) return []
  return [
    `${countOf(remarks.length, 'remark', 'remarks')} on the conversion:`,
    ...remarks.slice(0, SHOWN_REMARKS).map((remark) => `  ${oneLine(remark, columns - 2)}`),
    ...more(remarks.length - SHOWN_REMARKS, style),
  ]
}

function countOf(count: number, one: string, many: string): string {
  return count === 1 ? `One ${one}` : `${count} ${many}`
}
