// A short ladder for small bundles: it reads neither what the user asked for nor what became of files and commands
import { dropTurns } from '../drop-turns.ts'
import { mask } from '../mask.ts'
import { createCascade } from './cascade.ts'
import { capGiants } from './edits.ts'
import { lastMessage, trimRung } from './rungs.ts'

export const lightCascade = createCascade([
  { strategy: trimRung, isLossy: true },
  { strategy: mask, isLossy: true },
  { strategy: capGiants, isLossy: true },
  { strategy: dropTurns, isLossy: true },
  {
    // biome-ignore lint/correctness/useYield: steps that wait for nothing
    strategy: lastMessage(function* () {
      return []
    }),
    isLast: true,
    countsPins: true,
  },
])
