// The groups of figures of this benchmark, in the order in which they are shown.
import type { Answered } from '../figure.ts'
import type { Settings } from './settings.ts'

export interface Group {
  readonly title: string
  /** Loaded when it is measured: a process needs only the code of its own groups. */
  load(): Promise<(settings: Settings) => Promise<Answered[]>>
}

export const GROUPS: Readonly<Record<string, Group>> = {
  append: {
    title: 'One append',
    load: async () => (await import('./append-cost.ts')).appendCost,
  },
  open: {
    title: 'Opening a thread',
    load: async () => (await import('./open-cost.ts')).openCost,
  },
  batch: {
    title: 'Batches',
    load: async () => (await import('./batch-cost.ts')).batchCost,
  },
  memory: {
    title: 'Memory',
    load: async () => (await import('./memory-cost.ts')).memoryCost,
  },
  estimate: {
    title: 'Counting tokens',
    load: async () => (await import('./estimate-speed.ts')).estimateSpeed,
  },
  changes: {
    title: 'Compactions',
    load: async () => (await import('./change-cost.ts')).changeCost,
  },
  decode: {
    title: 'Decoding',
    load: async () => (await import('./decode-speed.ts')).decodeSpeed,
  },
}
