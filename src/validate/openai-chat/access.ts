// Building rules, and reading values of unknown shape without ever throwing.
import type { Json } from '../../core/json.ts'
import type { Rule, RuleInput, Violation } from '../rule.ts'

export type Fields = { readonly [key: string]: Json }
export type Report = (where: string, message: string) => void

/** A rule from a visit that names each broken place. */
export function rule(id: string, visit: (input: RuleInput, report: Report) => void): Rule {
  return {
    id,
    check(input) {
      const found: Violation[] = []
      visit(input, (where, message) => found.push({ id, where, message }))
      return found
    },
  }
}

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: Json | undefined): Fields {
  return isFields(value) ? value : {}
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
