// The rules of Anthropic Messages: VALID-A1 to -A22 of docs/spec/valid.md, without -A14, a habit.
import type { Rule } from '../walk.ts'
import { CACHE_RULES, COMPACTION_RULES } from './compaction.ts'
import { IMAGE_RULES, TEXT_RULES, WINDOW_RULES } from './content.ts'
import { SERVER_TOOL_RULES } from './server-tools.ts'
import { ROLE_RULES, SYSTEM_MESSAGE_RULES } from './system-messages.ts'
import { BINDING_RULES, THINKING_RULES } from './thinking.ts'
import { TOOL_ROUND_RULES, TOOL_RULES } from './tools.ts'

export const ANTHROPIC_RULES: readonly Rule[] = [
  ...ROLE_RULES,
  ...TOOL_ROUND_RULES,
  ...TOOL_RULES,
  ...TEXT_RULES,
  ...THINKING_RULES,
  ...BINDING_RULES,
  ...COMPACTION_RULES,
  ...SYSTEM_MESSAGE_RULES,
  ...CACHE_RULES,
  ...IMAGE_RULES,
  ...WINDOW_RULES,
  ...SERVER_TOOL_RULES,
]
