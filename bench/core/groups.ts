// The groups of figures of this benchmark, in the order in which they are shown.
import type { Answered } from '../figure.ts'
import { appendCost } from './append-cost.ts'
import { batchCost } from './batch-cost.ts'
import { changeCost } from './change-cost.ts'
import { decodeSpeed } from './decode-speed.ts'
import { estimateSpeed } from './estimate-speed.ts'
import { memoryCost } from './memory-cost.ts'
import { openCost } from './open-cost.ts'
import type { Settings } from './settings.ts'

export interface Group {
  readonly title: string
  measure(settings: Settings): Promise<Answered[]>
}

export const GROUPS: Readonly<Record<string, Group>> = {
  append: { title: 'One append', measure: appendCost },
  open: { title: 'Opening a thread', measure: openCost },
  batch: { title: 'Batches', measure: batchCost },
  memory: { title: 'Memory', measure: memoryCost },
  estimate: { title: 'Counting tokens', measure: estimateSpeed },
  changes: { title: 'Compactions', measure: changeCost },
  decode: { title: 'Decoding', measure: decodeSpeed },
}
