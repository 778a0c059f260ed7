// The rules of OpenAI Responses: VALID-R1 to -R10 of docs/spec/valid.md, without R8, and well-formed text.
import { type Rule, textsAreWellFormed } from '../rule.ts'
import { COMPACTION_RULES, CONTENT_RULES } from './content.ts'
import { ID_RULES, PAIR_RULES } from './pairs.ts'
import { REASONING_RULES } from './reasoning.ts'

export const OPENAI_RESPONSES_RULES: readonly Rule[] = [
  ...PAIR_RULES,
  ...REASONING_RULES,
  ...ID_RULES,
  ...CONTENT_RULES,
  ...COMPACTION_RULES,
  textsAreWellFormed,
]
