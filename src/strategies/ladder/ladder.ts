// The ladder as it comes with précis: which rungs `cascade` climbs down, in this order.
import { dropTurns } from '../drop-turns.ts'
import { extract } from '../extract/extract.ts'
import { mask } from '../mask.ts'
import { prune } from '../prune/prune.ts'
import { capGiants } from './cap.ts'
import { createCascade, type Rung } from './cascade.ts'
import { lastMessage } from './last.ts'
import { trimRung } from './trim.ts'

const LADDER: readonly Rung[] = [
  { strategy: prune },
  { strategy: trimRung, isLossy: true, isShallow: true },
  { strategy: mask, isLossy: true, isShallow: true },
  { strategy: capGiants, isLossy: true, isShallow: true },
  { strategy: extract, isLossy: true, startsOver: true, countsPins: true },
  { strategy: dropTurns, isLossy: true },
  // Once more, where what the user said last is too long to stay whole in any case.
  { strategy: extract, startsOver: true, countsPins: true, isLast: true },
  { strategy: lastMessage, isLast: true, countsPins: true },
]

export const cascade = createCascade(LADDER)
