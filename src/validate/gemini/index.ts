// The rules of Gemini: VALID-G1 to -G6 of docs/spec/valid.md.
import type { Rule } from '../rule.ts'
import { PART_RULES } from './parts.ts'
import { TURN_RULES } from './turns.ts'

export const GEMINI_RULES: readonly Rule[] = [...TURN_RULES, ...PART_RULES]
