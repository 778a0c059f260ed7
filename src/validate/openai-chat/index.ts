// The rules of OpenAI Chat Completions: VALID-C1 to -C11 of docs/spec/valid.md, and those of other
// providers that its strict backends and its encoding share.

import { type Rule, textsAreWellFormed } from '../rule.ts'
import { CONTENT_RULES, LIMIT_RULES } from './content.ts'
import { CALL_RULES, TOOL_ROUND_RULES, TURN_RULES } from './tool-rounds.ts'

export const OPENAI_CHAT_RULES: readonly Rule[] = [
  ...TURN_RULES,
  ...TOOL_ROUND_RULES,
  ...CONTENT_RULES,
  ...CALL_RULES,
  ...LIMIT_RULES,
  textsAreWellFormed,
]
