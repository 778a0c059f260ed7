// Keeps the branches of a compactor in a store: the first in the thread that was named, the others beside it
import type { Store } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'
import type { Journal } from '../threads/journal.ts'
import { Branch, type PinState } from './branch.ts'

interface Kept {
  readonly branches: readonly Branch[]
  /** What the latest of them says of the compactor. */
  readonly pinState: PinState | undefined
}

export class BranchKeeper {
  readonly #store: Store
  readonly #threadId: string
  readonly #journals = new Map<Branch, Journal>()
  /** The number of each root among the branches. */
  readonly #roots = new Map<object, number>()
  #count = 0
  #opened: Promise<Kept> | undefined

  constructor(store: Store, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  /** Reads the store once. A call that fails may be repeated. */
  open(): Promise<Kept> {
    this.#opened ??= this.#load().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #load(): Promise<Kept> {
    this.#journals.clear()
    this.#roots.clear()
    const found: { branch: Branch; pinState: PinState; at: number }[] = []
    this.#count = 0
    for (;;) {
      const info = await this.#store.info(this.#name(this.#count))
      if (!info) break
      const journal = await this.#journal(this.#count)
      const restored = Branch.restore(await journal.load())
      if (restored) {
        found.push({ ...restored, at: info.updatedAt.getTime() })
        this.#journals.set(restored.branch, journal)
        this.#adopt(restored.branch, restored.pinState.root)
      }
      this.#count += 1
    }
    const latest = found.toSorted((one, other) => one.at - other.at)
    return { branches: latest.map(({ branch }) => branch), pinState: latest.at(-1)?.pinState }
  }

  /** Branches of one conversation have one root, and answer for each other. */
  #adopt(branch: Branch, number: number): void {
    const root = [...this.#roots].find(([, each]) => each === number)?.[0]
    if (root) branch.root = root
    else this.#roots.set(branch.root, number)
  }

  /** Writes what the store does not have yet, the latest branch last. */
  async save(branches: readonly Branch[], pinState: Omit<PinState, 'root'>): Promise<void> {
    for (const branch of branches) {
      const journal = this.#journals.get(branch) ?? (await this.#journal(this.#count))
      if (!this.#journals.has(branch)) {
        this.#journals.set(branch, journal)
        if (!this.#roots.has(branch.root)) this.#roots.set(branch.root, this.#count)
        this.#count += 1
      }
      const root = this.#roots.get(branch.root) ?? 0
      const record = branch.record({ ...pinState, root })
      if (record) branch.log.append({ type: 'FOREIGN', data: record as unknown as Json })
      await journal.save(branch.log.events)
    }
  }

  #name(number: number): string {
    return number === 0 ? this.#threadId : `${this.#threadId}~${number}`
  }

  /** Loaded where there is a store: reading events again needs the schemas of all of them. */
  async #journal(number: number): Promise<Journal> {
    const { Journal } = await import('../threads/journal.ts')
    return new Journal(this.#store, this.#name(number))
  }
}
