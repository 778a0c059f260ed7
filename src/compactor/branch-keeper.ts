// Stores the branches of a compactor: the first in the named thread, the others next to it.
import { PrecisError } from '../core/errors.ts'
import type { Store } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'
import type { Journal } from '../threads/journal.ts'
import { Branch, type PinState, type Restored } from './branch.ts'

/** Branches followed at once: sub-agents, alternatives. */
export const MOST_BRANCHES = 16

interface StoredState {
  /** Latest last. */
  readonly branches: readonly Branch[]
  /** The compactor's state in its latest record. */
  readonly pinState: PinState | undefined
}

/** A thread of the store: number 0 is the named one. */
interface Slot {
  readonly number: number
  readonly journal: Journal
}

export class BranchKeeper {
  readonly #store: Store
  readonly #threadId: string
  readonly #slots = new Map<Branch, Slot>()
  /** Threads of abandoned branches, reused for new ones. */
  readonly #free: number[] = []
  /** The number of each conversation; unique. */
  readonly #roots = new Map<object, number>()
  #lastRoot = -1
  #turn = 0
  #count = 0
  #hasNamed = false
  #opened: Promise<StoredState> | undefined

  constructor(store: Store, threadId: string) {
    this.#store = store
    this.#threadId = threadId
  }

  /** Reads the store once. A failed call may be repeated. */
  open(): Promise<StoredState> {
    this.#opened ??= this.#load().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #load(): Promise<StoredState> {
    this.#slots.clear()
    this.#roots.clear()
    this.#free.length = 0
    const threads = await this.#threads()
    const found: (Restored & { readonly slot: Slot; readonly at: number })[] = []
    for (const { number, at } of threads) {
      const journal = await this.#journal(number)
      const restored = Branch.restore(await journal.load())
      if (number === 0) requireNoBranch(this.#threadId, restored)
      if (restored && (number === 0 || isBranchOf(this.#threadId, restored)))
        found.push({ ...restored, slot: { number, journal }, at })
    }
    this.#hasNamed = threads[0]?.number === 0
    this.#count = (threads.at(-1)?.number ?? -1) + 1
    // Deleting the named thread means forgetting everything.
    if (!this.#hasNamed)
      for (const { slot } of found.splice(0)) await this.#store.delete(this.#name(slot.number))
    for (const { branch, pinState, slot } of found) {
      this.#slots.set(branch, slot)
      this.#adopt(branch, pinState.root)
    }
    const latest = found
      .toSorted((one, other) => readTurn(one) - readTurn(other) || one.at - other.at)
      .slice(-MOST_BRANCHES)
    this.#turn = Math.max(0, ...found.map(readTurn))
    const branches = latest.map(({ branch }) => branch)
    this.#release(branches)
    return { branches, pinState: latest.at(-1)?.pinState }
  }

  /** Existing threads in order. Some may be missing: deleted, or not yet rewritten. */
  async #threads(): Promise<{ readonly number: number; readonly at: number }[]> {
    const found: { number: number; at: number }[] = []
    for (let first = 0; ; first += MOST_BRANCHES + 1) {
      const numbers = Array.from({ length: MOST_BRANCHES + 1 }, (_, index) => first + index)
      const infos = await Promise.all(numbers.map((each) => this.#store.info(this.#name(each))))
      const more = numbers.flatMap((number, index) => {
        const at = infos[index]?.updatedAt.getTime()
        return at === undefined ? [] : [{ number, at }]
      })
      found.push(...more)
      if (more.every(({ number }) => number === 0)) return found
    }
  }

  /** Branches of one conversation share a root. */
  #adopt(branch: Branch, number: number): void {
    const root = [...this.#roots].find(([, each]) => each === number)?.[0]
    if (root) branch.root = root
    else this.#roots.set(branch.root, number)
    this.#lastRoot = Math.max(this.#lastRoot, number)
  }

  /** Drops abandoned branches. The named thread keeps its events. */
  #release(followed: readonly Branch[]): void {
    const branches = new Set(followed)
    const roots = new Set<object>(followed.map(({ root }) => root))
    for (const [branch, { number }] of this.#slots) {
      if (branches.has(branch)) continue
      this.#slots.delete(branch)
      if (number > 0) this.#free.push(number)
    }
    for (const root of this.#roots.keys()) if (!roots.has(root)) this.#roots.delete(root)
  }

  /** Writes what the store lacks, latest branch last. */
  async save(
    branches: readonly Branch[],
    pinState: Omit<PinState, 'threadId' | 'root' | 'turn'>,
  ): Promise<void> {
    this.#release(branches)
    for (const branch of branches) {
      const { journal } = this.#slots.get(branch) ?? (await this.#newSlot(branch))
      const turn = this.#turn + 1
      const record = branch.record({
        ...pinState,
        threadId: this.#threadId,
        root: this.#rootOf(branch),
        turn,
      })
      if (record) {
        this.#turn = turn
        branch.log.append({ type: 'FOREIGN', data: record as unknown as Json })
      }
      await journal.save(branch.log.events)
    }
  }

  async #newSlot(branch: Branch): Promise<Slot> {
    const number = await this.#newNumber()
    this.#hasNamed = true
    this.#count = Math.max(this.#count, number + 1)
    const slot = { number, journal: await this.#journal(number) }
    this.#slots.set(branch, slot)
    return slot
  }

  async #newNumber(): Promise<number> {
    if (!this.#hasNamed) return 0
    const old = this.#free.at(-1)
    if (old !== undefined) {
      await this.#store.delete(this.#name(old))
      this.#free.pop()
      return old
    }
    // A foreign thread may have the name.
    while (await this.#store.info(this.#name(this.#count))) this.#count += 1
    return this.#count
  }

  #rootOf({ root }: Branch): number {
    const known = this.#roots.get(root)
    if (known !== undefined) return known
    this.#lastRoot += 1
    this.#roots.set(root, this.#lastRoot)
    return this.#lastRoot
  }

  #name(number: number): string {
    return number === 0 ? this.#threadId : `${this.#threadId}~${number}`
  }

  /** Loaded only with a store: reading events needs all their schemas. */
  async #journal(number: number): Promise<Journal> {
    const { Journal } = await import('../threads/journal.ts')
    return new Journal(this.#store, this.#name(number))
  }
}

function readTurn({ pinState }: { readonly pinState: PinState }): number {
  return pinState.turn ?? 0
}

/** A thread of another compactor may have the name. Old records do not tell: turn 1 is never a branch's. */
function isBranchOf(threadId: string, { pinState, firstTurn }: Restored): boolean {
  return pinState.threadId === undefined ? firstTurn > 1 : pinState.threadId === threadId
}

function requireNoBranch(threadId: string, restored: Restored | undefined): void {
  const of = restored?.pinState.threadId
  if (of === undefined || !threadId.startsWith(`${of}~`)) return
  if (!/^[1-9]\d*$/.test(threadId.slice(of.length + 1))) return
  throw new PrecisError('id-conflict', `The thread ${threadId} is a branch of ${of}.`, {
    where: threadId,
    hint: 'Give the compactor another threadId.',
  })
}
