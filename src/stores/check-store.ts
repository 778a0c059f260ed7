// Checks a store: every log is whole, every row can be read, every snapshot is what a replay gives.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { readEvent, readRow } from '../core/codec.ts'
import { emptyContext, FOLD_VERSION, foldEvent } from '../core/context.ts'
import type { ThreadEvent } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import type { Snapshot, Store, ThreadInfo } from '../core/ports.ts'
import { encodeContext } from '../core/snapshot.ts'
import { allThreads } from './copy-store.ts'
import { digestOf } from './digest.ts'

export interface StoreProblem {
  readonly threadId: string
  readonly seq?: number
  readonly problem: string
  /** Derived, and thrown away: it is made again by itself. */
  readonly isMended: boolean
}

export interface StoreReport {
  readonly threads: number
  readonly events: number
  /** Of all threads with their hashes: equal for two stores with the same logs. */
  readonly hash: string
  readonly problems: readonly StoreProblem[]
  readonly isIndexRebuilt: boolean
}

export interface CheckOptions {
  /** Throws away what is derived and wrong, and makes the search index anew. */
  readonly isRepair?: boolean
  readonly onThread?: (threadId: string, done: number, all: number) => void
}

/** Threads that others change meanwhile are checked up to where they were. */
export async function checkStore(store: Store, options: CheckOptions = {}): Promise<StoreReport> {
  const { isRepair = false, onThread = () => undefined } = options
  const infos = (await allThreads(store)).toSorted((one, other) =>
    one.threadId < other.threadId ? -1 : 1,
  )
  const hash = createHash('sha256')
  const problems: StoreProblem[] = []
  let events = 0
  for (const [index, info] of infos.entries()) {
    onThread(info.threadId, index, infos.length)
    const checked = await checkThread(store, info, isRepair)
    problems.push(...checked.problems)
    hash.update(`${JSON.stringify([info.threadId, checked.hash])}\n`)
    events += checked.events
  }
  if (isRepair) await store.index?.rebuild()
  const isIndexRebuilt = isRepair && store.index !== undefined
  return { threads: infos.length, events, hash: hash.digest('hex'), problems, isIndexRebuilt }
}

async function checkThread(store: Store, { threadId, version }: ThreadInfo, isRepair: boolean) {
  const problems: StoreProblem[] = []
  const report = (problem: string, seq?: number, isMended = false) =>
    problems.push({ threadId, problem, isMended, ...(seq !== undefined && { seq }) })
  const snapshot = await store.snapshot(threadId, FOLD_VERSION)
  const events: ThreadEvent[] = []
  const ids = new Set<string>()
  let context = emptyContext()
  let folded: Json | undefined
  let isWhole = true // only then there is something to fold
  const { hash, events: count } = await digestOf(store, threadId, version, (row) => {
    if (row.seq !== context.version + 1 && isWhole) {
      report('an event is missing before it', row.seq)
      isWhole = false
    }
    if (ids.has(row.id)) report(`its id ${row.id} is there twice`, row.seq)
    ids.add(row.id)
    const read = readEvent(row)
    if (!read.ok) report(read.error.message, row.seq)
    const event = readRow(row)
    events[row.seq - 1] = event
    if (isWhole) context = foldEvent(context, event, (seq) => events[seq - 1])
    if (row.seq === snapshot?.seq) folded = encodeContext(context)
  })
  if (count < version) report(`it has ${count} of ${version} events`)
  for (const { seq, reason } of context.ignored) report(`it has no effect: ${reason}`, seq)
  const isUsed = snapshot && snapshot.state !== null && isWhole
  if (isUsed && !isDeepStrictEqual(contextIn(snapshot), folded)) {
    if (isRepair) await throwAway(store, threadId, version)
    report('its snapshot is not what a replay gives', snapshot.seq, isRepair)
  }
  return { problems, hash, events: count }
}

function contextIn({ state }: Snapshot): Json | undefined {
  const isObject = typeof state === 'object' && state !== null && !Array.isArray(state)
  return isObject ? (state as { readonly context?: Json }).context : undefined
}

/** One that says nothing takes its place: then the thread is replayed, and its next change writes a good one. */
async function throwAway(store: Store, threadId: string, version: number): Promise<void> {
  const snapshot = { seq: version, foldVersion: FOLD_VERSION, state: null }
  await store.append(threadId, [], { expectedVersion: version, snapshot })
}
