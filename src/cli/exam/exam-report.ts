// The report of an exam: marks by strategy and kind of question, what waits, and what the figures do not show.
import { oneLine, padColumns, quoted, type Style, thousands } from '../terminal/terminal.ts'
import { KINDS, type Kind, type Question } from './questions.ts'

/** What one strategy came to. */
export interface Arm {
  readonly id: string
  readonly tokens?: number // of its context; absent where there is none yet
  readonly marks?: readonly number[] // by question, from 0 to 1
  readonly failed?: string
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

const NAME_COLUMNS = 20
const TOKEN_COLUMNS = 10
const MARK_COLUMNS = 15

export function renderExam(report: ExamReport, style: Style, columns: number): string {
  const { input, questions, arms, questionsBy, answeredBy, beforeTokens, budgetTokens } = report
  const asked = `${questions.length} ${questions.length === 1 ? 'question' : 'questions'} by ${questionsBy}`
  const lines = [
    `${style.bold('précis')} exam · ${oneLine(input, 60)}`,
    `${asked}, answered by ${answeredBy}; contexts of at most ${thousands(budgetTokens)} of ${thousands(beforeTokens)} tokens`,
    '',
    ...tableLines(report, style, columns),
    ...waitingLines(report),
    ...(arms.some(({ marks }) => marks) ? caveatLines(report, style) : []),
  ]
  return `${lines.join('\n')}\n`
}

function tableLines({ questions, arms, budgetTokens }: ExamReport, style: Style, columns: number) {
  const kinds = KINDS.filter((kind) => questions.some((question) => question.kind === kind))
  const count = (kind: Kind) => questions.filter((question) => question.kind === kind).length
  const heads = [...kinds.map((kind) => `${kind} (${count(kind)})`), 'all']
  const head = `  ${padColumns('strategy', NAME_COLUMNS)}${'tokens'.padStart(TOKEN_COLUMNS)}${heads.map((each) => each.padStart(MARK_COLUMNS)).join('')}`
  const rows = arms.map(({ id, tokens, marks, failed }) => {
    const name = `  ${padColumns(id, NAME_COLUMNS)}`
    if (failed !== undefined)
      return `${name}  ${style.dim(oneLine(failed, columns - NAME_COLUMNS))}`
    if (tokens === undefined) return `${name}  ${style.dim('waits for a summary')}`
    const size = `${thousands(tokens)}${tokens > budgetTokens ? '*' : ''}`.padStart(TOKEN_COLUMNS)
    if (!marks) return `${name}${size}  ${style.dim('waits for answers')}`
    const by = (kind?: Kind) =>
      mean(marks.filter((_, at) => kind === undefined || questions[at]?.kind === kind))
    const shown = [...kinds.map((kind) => by(kind)), by()].map((mark) =>
      mark.toFixed(2).padStart(MARK_COLUMNS),
    )
    return `${name}${size}${shown.join('')}`
  })
  const isAbove = arms.some(({ tokens = 0 }) => tokens > budgetTokens)
  return [
    style.bold(head),
    ...rows,
    ...(isAbove ? [style.dim('  * larger than the budget: not comparable')] : []),
  ]
}

function mean(marks: readonly number[]): number {
  return marks.reduce((sum, mark) => sum + mark, 0) / Math.max(1, marks.length)
}

function waitingLines({ waiting }: ExamReport): string[] {
  if (waiting.length === 0) return []
  return [
    '',
    'These prompts wait. Write the answer to each beside it, with .answer.md in place of .md, and run the same command again:',
    ...waiting.map((file) => `  ${quoted(file)}`),
  ]
}

function caveatLines(report: ExamReport, style: Style): string[] {
  const lines = caveats(report).map((line) => `  ${line}`)
  return ['', style.bold('What the figures do not show'), ...lines]
}

function caveats({ questionsBy, answeredBy, isStandIn, questions }: ExamReport): string[] {
  return [
    `One session and ${questions.length} questions: differences of a few hundredths say nothing.`,
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
          'No model was asked: a mark says whether the words stand in the context, not whether a reader finds them.',
        ]
      : []),
    ...(isStandIn
      ? ['dev is a stand-in, not a language model: its marks show only that the exam runs.']
      : []),
    'What recall would bring back is not counted.',
  ]
}
