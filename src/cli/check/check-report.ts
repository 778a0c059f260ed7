// The report of a check: broken rules with their places, and the changes of a repair.
import type { LooseMessage } from '../../core/repair/repair.ts'
import type { RepairChange } from '../../core/repair/turn.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message } from '../../core/view/message.ts'
import type { Violation } from '../../validate/rule.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { readList } from '../../validate/walk.ts'
import { oneLine, type Style, wrapLines } from '../terminal/terminal.ts'
import type { WireFormat } from './check-format.ts'
import { HISTORY_FORMAT, type Target } from './check-wires.ts'
import { readDocument } from './repair-wire-document.ts'

export interface CheckReport extends CheckResult {
  readonly input: {
    readonly source: string
    readonly format: string
    readonly kind: DocumentKind | 'session'
  }
  readonly provider: string
  /** Its violations are those that remain in the copy. */
  readonly repair?: CheckResult & {
    readonly output: string // a file, or `-`
    readonly changes: readonly RepairChange[]
  }
}

const SHOWN = 50
const SHOWN_REMARKS = 5
const PLACE_COLUMNS = 60
/** Reasons stay readable on narrow terminals. */

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

function checkedSections({ violations, sent }: CheckResult, whose: string, page: Page): Sections {
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
    // Session files of other agents have no rules.
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
      : [`${readCount(changes.length, 'change', 'changes')}:`, ...rows(changed, style, columns)],
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
    `${readCount(broken.length, 'broken rule', 'broken rules')}${whose}:`,
    ...rows(broken, style, columns),
  ]
}

/** Names and places may come from the document, so they are escaped for the terminal. */
function rows(
  entries: readonly (readonly [string, string, string])[],
  style: Style,
  columns: number,
): readonly string[] {
  const shown = entries.slice(0, SHOWN)
  const width = Math.max(...shown.map(([name]) => name.length))
  const lines = shown.flatMap(([name, where, why]) => {
    const place = oneLine(where, PLACE_COLUMNS)
    const before = `  ${name.padEnd(width)}  ${place}  `
    const [first = '', ...others] = wrapLines(why, columns, before, ' '.repeat(6))
    return [first.replace(place, () => style.bold(place)), ...others]
  })
  return [...lines, ...more(entries.length - SHOWN, style)]
}

function more(count: number, style: Style): readonly string[] {
  return count > 0 ? [style.dim(`  and ${count} more: --json lists them all`)] : []
}

function remarkLines(remarks: readonly string[], style: Style, columns: number): readonly string[] {
  if (remarks.length === 0) return []
  return [
    `${readCount(remarks.length, 'remark', 'remarks')} on the conversion:`,
    ...remarks.slice(0, SHOWN_REMARKS).flatMap((remark) => wrapLines(remark, columns)),
    ...more(remarks.length - SHOWN_REMARKS, style),
  ]
}

function readCount(count: number, one: string, many: string): string {
  return count === 1 ? `One ${one}` : `${count} ${many}`
}

/** Checks a document by its own format's rules, and the request converted from it. */
type DocumentKind = 'request' | 'history'

/** What a provider of another format would get. */
interface CheckedRequest {
  /** With places in the converted request. */
  readonly violations: readonly Violation[]
  /** What was lost or changed in the conversion. */
  readonly remarks: readonly string[]
}

export interface CheckResult {
  /** By the document's own format, with places in the document. */
  readonly violations: readonly Violation[]
  /** Absent if the document is sent unchanged. */
  readonly sent?: CheckedRequest
}

/** Documents of other formats than Anthropic's are always requests: their rules know nothing else. */
export function readKind(document: Fields, format: WireFormat): DocumentKind {
  return format === HISTORY_FORMAT && typeof document.model !== 'string' ? 'history' : 'request'
}

/**
 * Writers turn broken histories into valid requests by dropping what does not fit. So a document is first
 * judged by its own rules, whatever the target.
 */
export function checkDocument(document: Fields, format: WireFormat, target: Target): CheckResult {
  const { profile, write } = target
  const isHistory = readKind(document, format) === 'history'
  const own = validate(write === undefined ? profile : PROFILES[format], document)
  if (write === undefined && !isHistory) return { violations: own }
  // The fields around the conversation are rewritten for another provider.
  const inside = withoutRequestRules(own)
  const violations = isHistory ? withoutOpenCalls(inside, document) : inside
  if (write === undefined) return { violations }
  return {
    violations,
    sent: convertDocument(document, format, target, write),
  }
}

/** Things that may be missing at the end of a history, or around it. */
const RULES_OF_REQUESTS = ['VALID-A8', 'VALID-A10', 'VALID-C11', 'VALID-G6', 'VALID-O1']

function withoutRequestRules(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter(({ id }) => !RULES_OF_REQUESTS.includes(id))
}

/** Calls at the end of a history may still be running. */
function withoutOpenCalls(violations: readonly Violation[], document: Fields): Violation[] {
  const last = `messages[${readList(document.messages).length - 1}]`
  return violations.filter(({ id, where }) => id !== 'VALID-A4' || !where.startsWith(last))
}

function convertDocument(
  document: Json,
  format: WireFormat,
  { profile }: Target,
  write: NonNullable<Target['write']>,
): CheckedRequest {
  const { messages, system, envelope, changes } = readDocument(document, format)
  const remarks = changes.map(({ where, why }) => `${where}: ${why}`)
  const view = buildView(messages, system)
  const among = messages.length - view.messages.length
  if (among > 0) remarks.push(`${among} system messages among the messages joined the prompt`)
  const request = write(view, isFields(envelope) ? envelope : {}, (note) => remarks.push(note))
  return { violations: validate(profile, request), remarks: [...new Set(remarks)] }
}

/** Writers know two roles: system messages join the prompt, wherever they stand. */
function buildView(messages: readonly LooseMessage[], system: readonly string[]) {
  const spoken = messages.flatMap(({ role, parts }): Message[] =>
    role === 'system' ? [] : [{ role, parts }],
  )
  const told = messages.flatMap(({ role, parts }) =>
    role !== 'system' ? [] : parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  )
  return { messages: spoken, system: [...system, ...told] }
}
