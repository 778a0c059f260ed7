// The rules of OpenAI Chat Completions: VALID-C1 to -C11 of docs/spec/valid.md, and those of other
// providers that its strict backends and its encoding share.
import type { Rule } from '../rule.ts'
import { textsAreWellFormed } from '../well-formed.ts'
import { CALL_RULES } from './calls.ts'
import { CONTENT_RULES } from './content.ts'
import { LIMIT_RULES } from './limits.ts'
import { TOOL_ROUND_RULES } from './tool-rounds.ts'
import { TURN_RULES } from './turns.ts'

export const OPENAI_CHAT_RULES: readonly Rule[] = [
  ...TURN_RULES,
  ...TOOL_ROUND_RULES,
  ...CONTENT_RULES,
  ...CALL_RULES,
  ...LIMIT_RULES,
  textsAreWellFormed,
]
