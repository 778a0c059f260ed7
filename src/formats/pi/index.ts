// pi's session files, and those of its fork.
import type { SessionFormat } from '../session-format.ts'
import { isOhMyPi, isPi, OH_MY_PI, PI, readPi } from './read.ts'
import { writePi } from './write.ts'

export const pi: SessionFormat = {
  id: PI,
  title: 'pi',
  losses: [
    'system',
    'sealed-thinking',
    'signatures',
    'natives',
    'extras',
    'documents',
    'image-urls',
    'checkpoints',
    'arguments',
  ],
  detect: isPi,
  read: (source, notes) => readPi(PI, source, notes),
  write: writePi,
}

export const ohMyPi: SessionFormat = {
  id: OH_MY_PI,
  title: 'Oh My Pi',
  losses: [],
  detect: isOhMyPi,
  read: (source, notes) => readPi(OH_MY_PI, source, notes),
}
