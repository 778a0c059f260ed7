// A figure: something measured beside something else in the same run, and the goal for their ratio.
import { ratioOf, type Series, type Spread, spreadOf } from './measure.ts'

export type Unit = 'µs' | 'ms' | 'events/s' | 'rows/s' | 'MB/s' | 'bytes' | 'kB'

export interface Measured extends Spread {
  readonly what: string
}

export interface Goal {
  readonly is: 'at most' | 'at least'
  readonly ratio: number
}

export interface Figure {
  readonly id: string
  readonly group: string
  readonly unit: Unit
  readonly subject: Measured
  readonly reference: Measured
  readonly ratio: Spread // subject to reference
  readonly goal?: Goal
  readonly met?: boolean // absent without a goal, and where sizes are too small to judge
}

/** What a comparison is about, before it was measured. */
export interface Question {
  readonly id: string
  readonly unit: Unit
  readonly subject: string
  readonly reference: string
  readonly goal?: Goal
}

/** A figure without the group it stands in, which its caller knows. */
export type Answered = Omit<Figure, 'group' | 'met'>

export function compare(question: Question, subject: Series, reference: Series): Answered {
  return answer(question, spreadOf(subject), spreadOf(reference), ratioOf(subject, reference))
}

export function answer(
  question: Question,
  subject: Spread,
  reference: Spread,
  ratio: Spread,
): Answered {
  const { id, unit, goal } = question
  return {
    id,
    unit,
    subject: { what: question.subject, ...subject },
    reference: { what: question.reference, ...reference },
    ratio,
    ...(goal && { goal }),
  }
}

export function judged(answered: Answered, group: string, isJudged: boolean): Figure {
  const { goal, ratio } = answered
  const met = goal?.is === 'at most' ? ratio.value <= goal.ratio : ratio.value >= (goal?.ratio ?? 0)
  return { ...answered, group, ...(goal && isJudged && { met }) }
}

export function goalText({ goal }: Figure): string {
  return goal ? `${goal.is === 'at most' ? '≤' : '≥'} ${goal.ratio}` : '—'
}

export function verdictText({ met }: Figure): string {
  if (met === undefined) return '—'
  return met ? 'met' : 'missed'
}

/** Three digits that count, thousands set apart. */
export function numberText(value: number): string {
  const digits = Math.abs(value) < 1_000 ? { maximumSignificantDigits: 3 } : {}
  return value.toLocaleString('en-US', { maximumFractionDigits: 0, ...digits })
}

export function spreadText({ value, low, high }: Spread): string {
  return `${numberText(value)} (${numberText(low)}–${numberText(high)})`
}
