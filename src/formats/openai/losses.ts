// What is lost on the way through OpenAI's two APIs.
import type { Loss } from '../session-format.ts'

export const OPENAI_LOSSES: readonly Loss[] = [
  'thinking',
  'sealed-thinking',
  'documents',
  'result-media',
  'result-blocks',
  'failures',
  'foreign-thinking',
  'natives',
  'extras',
  'reminders',
  'checkpoints',
  'arguments',
  'call-ids',
  'merging',
  'failure-kinds',
  'empty-results',
  'open-calls',
]
