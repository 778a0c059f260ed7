// Codex's rollouts.
import type { SessionFormat } from '../session-format.ts'
import { CODEX, isCodex, readCodex } from './read.ts'
import { writeCodex } from './write.ts'

export const codex: SessionFormat = {
  id: CODEX,
  title: 'Codex',
  losses: [
    'sealed-thinking',
    'signatures',
    'natives',
    'extras',
    'documents',
    'failures',
    'checkpoints',
  ],
  detect: isCodex,
  read: readCodex,
  write: writeCodex,
}
