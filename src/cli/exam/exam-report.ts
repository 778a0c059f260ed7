// The report of an exam: marks by strategy and kind, open answers, and limits of the figures.
import {
  counted,
  oneLine,
  padColumns,
  quoted,
  type Style,
  thousands,
  wrapLines,
} from '../terminal/terminal.ts'
import { KINDS, type Kind, type Question } from './questions.ts'

/** The result of one strategy. */
export interface Arm {
  readonly id: string
  readonly tokens?: number // of its context; absent until there is one
  readonly marks?: readonly number[] // per question, from 0 to 1
  readonly failed?: string
  /** Warnings of the strategy, for example that a model's part is missing. */
  readonly notes?: readonly string[]
}

export interface ExamReport {
  readonly input: string
  readonly beforeTokens: number
  readonly budgetTokens: number
  readonly questionsBy: 'template' | 'model'
  readonly answeredBy: string // lookup, files, or a model
  readonly isStandIn: boolean
  readonly questions: readonly Question[]
  readonly arms: readonly Arm[]
  /** Prompts in files that wait for an answer. */
  readonly waiting: readonly string[]
}

const TOKEN_COLUMNS = 10
const GAP_COLUMNS = 2

export function renderExam(report: ExamReport, style: Style, columns: number): string {
  const { input, questions, arms, questionsBy, answeredBy, beforeTokens, budgetTokens } = report
  const asked = `${counted(questions.length, 'question')} by ${questionsBy}`
  const lines = [
    `${style.bold('précis')} exam · ${oneLine(input, 60)}`,
    ...wrapLines(
      `${asked}, answered by ${answeredBy}; contexts of at most ${thousands(budgetTokens)} of ${thousands(beforeTokens)} tokens`,
      columns,
      '',
    ),
    '',
    ...tableLines(report, style, columns),
    ...arms.flatMap(({ id, notes = [] }) =>
      notes.flatMap((note) => wrapLines(`${id}: ${note}`, columns).map(style.dim)),
    ),
    ...waitingLines(report, columns),
    ...(arms.some(({ marks }) => marks) ? caveatLines(report, style, columns) : []),
  ]
  return `${lines.join('\n')}\n`
}

/** As many kinds side by side as fit, the others below. */
function tableLines({ questions, arms, budgetTokens }: ExamReport, style: Style, columns: number) {
  const nameColumns = Math.max(...['strategy', ...arms.map(({ id }) => id)].map((id) => id.length))
  const name = (id: string) => `  ${padColumns(id, nameColumns)}`
  const room = columns - name('').length
  const kinds = KINDS.filter((kind) => questions.some((question) => question.kind === kind))
  const lines: string[] = []
  for (const [at, group] of buildGroups([...kinds, undefined], questions, room).entries()) {
    const isFirst = at === 0
    const cells = (texts: readonly string[]) =>
      texts.map((text, index) => text.padStart(measureWidth(group[index], questions))).join('')
    const heads = cells(group.map((kind) => printHead(kind, questions)))
    if (!isFirst) lines.push('')
    lines.push(
      style.bold(`${name('strategy')}${isFirst ? 'tokens'.padStart(TOKEN_COLUMNS) : ''}${heads}`),
    )
    for (const { id, tokens, marks, failed } of arms) {
      const note = (text: string, used = 0) => style.dim(oneLine(text, room - used - GAP_COLUMNS))
      const size = `${thousands(tokens ?? 0)}${(tokens ?? 0) > budgetTokens ? '*' : ''}`
      const start = isFirst ? size.padStart(TOKEN_COLUMNS) : ''
      if (marks) {
        const shown = group.map((kind) => printMark(marks, questions, kind).toFixed(2))
        lines.push(`${name(id)}${start}${cells(shown)}`)
      } else if (!isFirst) continue
      else if (failed !== undefined)
        lines.push(...wrapLines(failed, columns, `${name(id)}  `).map(style.dim))
      else if (tokens === undefined) lines.push(`${name(id)}  ${note('waits for a summary')}`)
      else lines.push(`${name(id)}${start}  ${note('waits for answers', TOKEN_COLUMNS)}`)
    }
  }
  const isAbove = arms.some(({ tokens = 0 }) => tokens > budgetTokens)
  return [...lines, ...(isAbove ? [style.dim('  * larger than the budget: not comparable')] : [])]
}

/** Undefined stands for all kinds. */
function buildGroups(
  kinds: readonly (Kind | undefined)[],
  questions: readonly Question[],
  room: number,
): (Kind | undefined)[][] {
  const groups: (Kind | undefined)[][] = [[]]
  let used = TOKEN_COLUMNS
  for (const kind of kinds) {
    const width = measureWidth(kind, questions)
    if (used + width > room && groups.at(-1)?.length !== 0) {
      groups.push([])
      used = 0
    }
    groups.at(-1)?.push(kind)
    used += width
  }
  return groups
}

function printHead(kind: Kind | undefined, questions: readonly Question[]): string {
  if (kind === undefined) return 'all'
  return `${kind} (${questions.filter((question) => question.kind === kind).length})`
}

function measureWidth(kind: Kind | undefined, questions: readonly Question[]): number {
  return Math.max('0.00'.length, printHead(kind, questions).length) + GAP_COLUMNS
}

function printMark(
  marks: readonly number[],
  questions: readonly Question[],
  kind: Kind | undefined,
): number {
  return mean(marks.filter((_, at) => kind === undefined || questions[at]?.kind === kind))
}

function mean(marks: readonly number[]): number {
  return marks.reduce((sum, mark) => sum + mark, 0) / Math.max(1, marks.length)
}

function waitingLines({ waiting }: ExamReport, columns: number): string[] {
  if (waiting.length === 0) return []
  return [
    '',
    ...wrapLines(
      'These prompts wait. Write the answer to each beside it, with .answer.md in place of .md, and run the same command again:',
      columns,
      '',
      '',
    ),
    ...waiting.map((file) => `  ${quoted(file)}`),
  ]
}

function caveatLines(report: ExamReport, style: Style, columns: number): string[] {
  const lines = caveats(report).flatMap((line) => wrapLines(line, columns))
  return ['', style.bold('What the figures do not show'), ...lines]
}

function caveats({ questionsBy, answeredBy, isStandIn, questions }: ExamReport): string[] {
  return [
    `One session and ${counted(questions.length, 'question')}: differences of a few hundredths say nothing.`,
    ...(questionsBy === 'template'
      ? [
          'Templates ask for what code finds (state and files come from the ledger that extract and brief write from), and never for reasons.',
          'A mark is the share of the expected words that the answer has, not whether it is right.',
        ]
      : [
          'Whoever wrote the questions also marks the answers; the marks are blind to the strategy.',
        ]),
    ...(answeredBy === 'lookup'
      ? [
          'No model was asked: a mark says whether the context contains the words, not whether a reader finds them.',
        ]
      : []),
    ...(isStandIn
      ? ['dev is a stand-in, not a language model: its marks show only that the exam runs.']
      : []),
    'What recall would bring back is not counted.',
  ]
}
