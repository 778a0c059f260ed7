// What a compaction has finished of its work, kept with its thread until the compaction is through.
import type { Notes } from '../compaction/run-tab.ts'
import type { Scratch } from '../core/edit/strategy.ts'
import type { Store } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'

/**
 * It is kept as a snapshot of a fold that no program has: derived, in the store of the thread, there after
 * a crash, no event of the log, and gone at no loss.
 */
const SCRATCH_VERSION = 1_000_000_001
const BILLS_VERSION = 1_000_000_002
const MAX_ENTRIES = 8
/** Others may append meanwhile. */
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
          () => false, // someone was first, or the store is full: it is done again at worst
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

/** What compactions have spent and no event says yet: apart, since it outlives the work of a compaction. */
export function threadBills(store: ScratchStore, threadId: string): Notes {
  return threadScratch(store, threadId, BILLS_VERSION)
}

function isEntry(value: Json): boolean {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}

/** A store that cannot be read or written says so where it matters: at the next append. */
function nothing(): undefined {
  return undefined
}
