// The report of a check: each broken rule with its place, and what a repair changed.
import type { RepairChange } from '../../core/repair/turn.ts'
import type { Violation } from '../../validate/rule.ts'
import { oneLine, type Style } from '../terminal/terminal.ts'
import type { Checked, DocumentKind } from './check-document.ts'

export interface CheckReport extends Checked {
  readonly input: {
    readonly source: string
    readonly format: string
    readonly kind: DocumentKind | 'session'
  }
  readonly provider: string
  /** Its own violations are what the copy still breaks. */
  readonly repair?: Checked & {
    readonly output: string // a file, or `-`
    readonly changes: readonly RepairChange[]
  }
}

const SHOWN = 50
const SHOWN_REMARKS = 5
const PLACE_COLUMNS = 60
/** A reason stays readable in the narrowest terminal. */
const MIN_COLUMNS = 60

export function renderCheck(report: CheckReport, style: Style, columns: number): string {
  const { input, provider, repair } = report
  const source = input.source === '-' ? 'standard input' : input.source
  const page = { ...input, provider, style, columns }
  const sections = [
    [
      `${style.bold('précis')} · ${oneLine(source, 60)} ${style.dim(`(${input.format} ${input.kind})`)} for ${style.bold(provider)}`,
    ],
    ...checkedSections(report, '', page),
    ...(repair ? repairSections(repair, page) : []),
  ]
  const filled = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${filled.join('\n\n')}\n`
}

interface Page extends Pick<CheckReport['input'], 'format' | 'kind'> {
  readonly provider: string
  readonly style: Style
  readonly columns: number
}

type Sections = readonly (readonly string[])[]

function checkedSections({ violations, sent }: Checked, whose: string, page: Page): Sections {
  const { format, kind, provider, style, columns } = page
  if (sent === undefined) {
    const kept = 'Every rule is kept.'
    return [violationLines(violations, whose, kept, page)]
  }
  const own = violationLines(
    violations,
    ` of the format ${format}${whose}`,
    `Every rule of the format ${format} is kept.`,
    page,
  )
  return [
    // There are no rules for the files of other agents.
    kind === 'session' ? [] : own,
    violationLines(
      sent.violations,
      ` in what would be sent to ${provider}${whose}`,
      `What would be sent to ${provider} keeps every rule.`,
      page,
    ),
    remarkLines(sent.remarks, style, columns),
  ]
}

function repairSections(repair: NonNullable<CheckReport['repair']>, page: Page): Sections {
  const { output, changes, violations, sent } = repair
  const { style, columns } = page
  const changed = changes.map(({ what, where, why }) => [what, where, why] as const)
  const left = violations.length + (sent?.violations.length ?? 0)
  return [
    changes.length === 0
      ? ['Nothing had to be changed.']
      : [`${countOf(changes.length, 'change', 'changes')}:`, ...rows(changed, style, columns)],
    ...(left === 0 ? [] : checkedSections(repair, ' by the copy', page)),
    output === '-' ? [] : [`Written to ${style.bold(output)}.`],
  ]
}

function violationLines(
  violations: readonly Violation[],
  whose: string,
  kept: string,
  { style, columns }: Page,
): readonly string[] {
  if (violations.length === 0) return [style.good(kept)]
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
