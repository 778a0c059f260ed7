// The rules of Anthropic Messages: VALID-A1 to -A22 of docs/spec/valid.md, without -A14, a habit.
import type { Rule } from '../rule.ts'
import { BINDING_RULES } from './binding.ts'
import { CACHE_RULES } from './cache-marks.ts'
import { COMPACTION_RULES } from './compaction.ts'
import { IMAGE_RULES } from './images.ts'
import { ROLE_RULES } from './roles.ts'
import { SERVER_TOOL_RULES } from './server-tools.ts'
import { SYSTEM_MESSAGE_RULES } from './system-messages.ts'
import { TEXT_RULES } from './text.ts'
import { THINKING_RULES } from './thinking.ts'
import { TOOL_ROUND_RULES } from './tool-rounds.ts'
import { TOOL_RULES } from './tools.ts'
import { WINDOW_RULES } from './window.ts'

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
