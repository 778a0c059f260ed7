// A process that is killed while it works on a store: `node SCRIPT ADDRESS SEED TOLD`.
import type { Store } from '../../src/core/ports.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { type ChildWork, runChild } from './child.ts'

export interface StoreChild extends ChildWork {
  readonly address: string
  /** What its scenario tells it. */
  readonly told: string
}

export function runStoreChild(
  work: (store: Store, child: StoreChild) => Promise<void>,
): Promise<void> {
  return runChild(async (child) => {
    const address = child.folder
    const told = process.argv[4] ?? ''
    await work(await openStore(address), { ...child, address, told })
  })
}
