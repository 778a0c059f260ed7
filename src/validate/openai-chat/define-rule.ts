// How a rule is written: a visit that names each broken place, under the id of its statement.
import type { Rule, RuleInput, Violation } from '../rule.ts'

export type Report = (where: string, message: string) => void

export function defineRule(id: string, visit: (input: RuleInput, report: Report) => void): Rule {
  return {
    id,
    check(input) {
      const found: Violation[] = []
      visit(input, (where, message) => found.push({ id, where, message }))
      return found
    },
  }
}
