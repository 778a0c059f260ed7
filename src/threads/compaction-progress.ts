// Keeps the finished work of an unfinished compaction with its thread.
import type { Notes } from '../compaction/run-tab.ts'
import type { Scratch } from '../core/edit/strategy.ts'
import type { Store } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'

/**
 * Stored as a snapshot of a fold version no program uses: derived data in the thread's store, which survives
 * a crash, is no event, and may be lost.
 */
const SCRATCH_VERSION = 1_000_000_001
const BILLS_VERSION = 1_000_000_002
const MAX_ENTRIES = 8
/** Retries when others append meanwhile. */
const TRIES = 5

type ScratchStore = Pick<Store, 'append' | 'info' | 'snapshot'>
type Entries = readonly (readonly [key: string, value: Json])[]

export function threadScratch(
  store: ScratchStore,
  threadId: string,
  foldVersion = SCRATCH_VERSION,
): Scratch & Notes {
  const read = async (): Promise<Entries> => {
    const state = (await store.snapshot(threadId, foldVersion))?.state
    return Array.isArray(state) ? (state.filter(isEntry) as Entries) : []
  }
  const write = async (change: (entries: Entries) => Entries): Promise<void> => {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const info = await store.info(threadId)
      if (!info) return
      const state = change(await read()) as Json
      const snapshot = { seq: info.version, foldVersion, state }
      const isKept = await store
        .append(threadId, [], { expectedVersion: info.version, snapshot })
        .then(
          () => true,
          () => false, // another was first, or the store is full: at worst the work is repeated
        )
      if (isKept) return
    }
  }
  const get: Notes['get'] = (key) =>
    read().then((entries) => entries.find(([each]) => each === key)?.[1], nothing)
  const change: Notes['change'] = (key, next) =>
    write((entries) => {
      const held = entries.find(([each]) => each === key)?.[1]
      const others = entries.filter(([each]) => each !== key)
      return [...others, [key, next(held)] as const].slice(-MAX_ENTRIES)
    }).catch(nothing)
  return {
    get,
    change,
    set: (key, value) => change(key, () => value),
    async clear() {
      const entries = await read().catch(nothing)
      if (entries?.length) await write(() => []).catch(nothing)
    },
  }
}

/** Spending that no event records yet; separate, since it outlives a compaction's work. */
export function threadBills(store: ScratchStore, threadId: string): Notes {
  return threadScratch(store, threadId, BILLS_VERSION)
}

function isEntry(value: Json): boolean {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}

/** A failing store is reported where it matters: at the next append. */
function nothing(): undefined {
  return undefined
}
