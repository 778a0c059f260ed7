// The cost of work other than regular expressions, in regex steps: one budget per script.

import { FileProblem } from './problem.ts'
import type { StepBudget } from './regex/search.ts'

/** Relative to a regex step of 20 to 50 nanoseconds. */
export const STEPS = {
  perMatch: 10,
  perRegion: 4,
  perEdit: 20,
  perComparedChar: 1 / 4,
  perCopiedChar: 1 / 64,
  perLine: 1,
} as const

/** Throws if the budget is too small. Called before the work. */
export function spendSteps(budget: StepBudget, steps: number): void {
  if (budget.left >= steps) {
    budget.left -= steps
    return
  }
  budget.left = 0
  throw new FileProblem(
    'The script takes too long: its searches and edits together are over the limit regexSteps; use fewer commands or smaller selections',
  )
}
