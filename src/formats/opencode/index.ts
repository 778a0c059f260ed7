// OpenCode's exports.
import type { SessionFormat } from '../session-format.ts'
import { isOpenCode, OPENCODE, readOpenCode } from './read.ts'
import { writeOpenCode } from './write.ts'

export const openCode: SessionFormat = {
  id: OPENCODE,
  title: 'OpenCode',
  losses: [
    'system',
    'sealed-thinking',
    'signatures',
    'natives',
    'extras',
    'documents',
    'result-blocks',
    'checkpoints',
    'arguments',
  ],
  detect: isOpenCode,
  read: readOpenCode,
  write: writeOpenCode,
}
