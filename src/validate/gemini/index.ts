// The rules of Gemini: VALID-G1 to -G6 of docs/spec/valid.md, alternation, and well-formed text.
import type { Rule } from '../rule.ts'
import { textsAreWellFormed } from '../well-formed.ts'
import { PART_RULES } from './parts.ts'
import { TURN_RULES } from './turns.ts'

export const GEMINI_RULES: readonly Rule[] = [...TURN_RULES, ...PART_RULES, textsAreWellFormed]
