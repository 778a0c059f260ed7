// The rules of OpenAI Chat Completions: VALID-C1 to -C11 of docs/spec/valid.md.
import type { Rule } from '../rule.ts'
import { CALL_RULES } from './calls.ts'
import { CONTENT_RULES } from './content.ts'
import { LIMIT_RULES } from './limits.ts'
import { TOOL_ROUND_RULES } from './tool-rounds.ts'

export const OPENAI_CHAT_RULES: readonly Rule[] = [
  ...TOOL_ROUND_RULES,
  ...CONTENT_RULES,
  ...CALL_RULES,
  ...LIMIT_RULES,
]
