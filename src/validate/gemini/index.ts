// The rules of Gemini: VALID-G1 to -G6 of docs/spec/valid.md, alternation, and well-formed text.
import { type Rule, textsAreWellFormed } from '../walk.ts'
import { PART_RULES, TURN_RULES } from './rules.ts'

export const GEMINI_RULES: readonly Rule[] = [...TURN_RULES, ...PART_RULES, textsAreWellFormed]
