// The contract suite for Anthropic's rules: each rule is broken alone, at the right place, kept, and needed.
import { expect } from 'vitest'
import type { Profile } from '../rule.ts'
import { applyRules, PROFILES, type ValidateOptions, validate } from '../validate.ts'
import { ANTHROPIC_RULES } from './index.ts'

export interface Fixture extends ValidateOptions {
  readonly request: unknown
  /** What differs from the profile `anthropic`. */
  readonly profile?: Partial<Profile>
}

export interface Broken extends Fixture {
  readonly place: string | readonly string[]
}

/** Each fixture breaks only this rule, and passes without it. */
export function check(
  id: string,
  { breaks, keeps }: { readonly breaks: readonly Broken[]; readonly keeps: readonly Fixture[] },
): void {
  const others = ANTHROPIC_RULES.filter((rule) => rule.id !== id)
  expect(others).toHaveLength(ANTHROPIC_RULES.length - 1)
  for (const { place, request, profile, ...options } of breaks) {
    const strict = { ...PROFILES.anthropic, ...profile }
    const found = validate(strict, request, options).map(({ id, where }) => [id, where])
    expect(found).toEqual([place].flat().map((each) => [id, each]))
    expect(applyRules(others, strict, request, options)).toEqual([])
  }
  for (const { request, profile, ...options } of keeps) {
    expect(validate({ ...PROFILES.anthropic, ...profile }, request, options)).toEqual([])
  }
}
