// Claude Code's session files.
import type { SessionFormat } from '../session-format.ts'
import { CLAUDE_CODE, isClaudeCode, readClaudeCode } from './read.ts'
import { writeClaudeCode } from './write.ts'

export const claudeCode: SessionFormat = {
  id: CLAUDE_CODE,
  title: 'Claude Code',
  losses: [
    'system',
    'thinking',
    'foreign-thinking',
    'sealed-thinking',
    'natives',
    'extras',
    'checkpoints',
    'arguments',
  ],
  detect: isClaudeCode,
  read: readClaudeCode,
  write: writeClaudeCode,
}
