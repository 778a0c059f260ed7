// Checks a store: every log is whole, every row can be read, every snapshot is what a replay gives.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { inboxReducer } from '../core/agent/frame.ts'
import { pinsReducer, releasedPinsReducer } from '../core/edit/pins.ts'
import { PrecisError } from '../core/errors.ts'
import { announcedEnd, readEvent, readRow } from '../core/log/codec.ts'
import { type ThreadEvent, undecodableOf } from '../core/log/event.ts'
import type { Reducer, Snapshot, Store } from '../core/ports.ts'
import { threadSettingsReducer } from '../core/settings/settings-keys.ts'
import type { Json } from '../core/text/json.ts'
import { FOLD_VERSION } from '../core/view/context.ts'
import { checkpointsReducer } from '../core/view/seam.ts'
import { threadFold } from '../core/view/thread-state.ts'
import { usageReducer } from '../core/window/usage.ts'
import { COPY_NOTES, copyNotes } from './copy-notes.ts'
import { allThreads, straysOf } from './copy-store.ts'
import { computeDigest } from './rows/digest.ts'
import { refuseDamagedName } from './rows/stored-event.ts'

export interface StoreProblem {
  readonly threadId: string
  readonly seq?: number
  readonly problem: string
  /** Derived, and thrown away: it is made again by itself. Or accepted as it is, where that was said. */
  readonly isMended: boolean
}

export interface StoreReport {
  readonly threads: number
  readonly all: number // threads that are there
  readonly events: number
  /** Of all threads with their hashes: equal for two stores with the same logs. */
  readonly hash: string
  /** Events without a hash, which an older program wrote: whether they were altered cannot be told. */
  readonly unverified: number
  readonly problems: readonly StoreProblem[]
  /** Threads whose import was interrupted or is under way: no damage, and the same import goes on. */
  readonly partial: readonly string[]
  readonly isIndexRebuilt: boolean
}

export interface CheckOptions {
  /** Throws away what is derived and wrong, and makes the search index anew. */
  readonly isRepair?: boolean
  /**
   * With `isRepair`: a log that cannot be verified is taken as right where its snapshot says otherwise, and
   * so is what copies into this store left out. Each is reported. An altered event is never accepted here.
   */
  readonly isAccept?: boolean
  /** Asked before each thread: true ends the check there. */
  readonly isEnough?: () => boolean
  readonly onThread?: (threadId: string, done: number, all: number) => void | Promise<void>
}

/** What every thread of this program is read with. */
const FOLD = threadFold([
  ...[pinsReducer, releasedPinsReducer, usageReducer, inboxReducer],
  ...[threadSettingsReducer, checkpointsReducer],
] as readonly Reducer<unknown>[])

/** Threads that others change meanwhile are checked up to where they were; those that they delete, not at all. */
export async function checkStore(store: Store, options: CheckOptions = {}): Promise<StoreReport> {
  const { isRepair = false, onThread = () => undefined } = options
  const isAccept = isRepair && (options.isAccept ?? false)
  const infos = (await allThreads(store)).toSorted((one, other) =>
    one.threadId < other.threadId ? -1 : 1,
  )
  const hash = createHash('sha256')
  const problems: StoreProblem[] = await findLeftOut(store, isAccept)
  for (const lost of await straysOf(store)) problems.push({ ...lost, isMended: false })
  const partial: string[] = []
  let [threads, events, unverified] = [0, 0, 0]
  for (const [index, { threadId }] of infos.entries()) {
    if (options.isEnough?.()) break
    await onThread(threadId, index, infos.length)
    const how = { isRepair, isAccept }
    const checked = await checkThread(store, threadId, how).catch(unreadable(threadId))
    if (!checked) continue
    problems.push(...checked.problems)
    hash.update(`${JSON.stringify([threadId, checked.hash])}\n`)
    threads += 1
    events += checked.events
    unverified += checked.unverified
    if (checked.isPartial) partial.push(threadId)
  }
  if (isRepair) await store.index?.rebuild()
  const isIndexRebuilt = isRepair && store.index !== undefined
  return {
    threads,
    all: infos.length,
    events,
    hash: hash.digest('hex'),
    unverified,
    problems,
    partial,
    isIndexRebuilt,
  }
}

/** What copies into this store left out. Accepted, the notes on it are deleted. */
async function findLeftOut(store: Store, isAccept: boolean): Promise<StoreProblem[]> {
  const problems = (await copyNotes(store)).flatMap(
    ({ from, isEnded, leftOut }): StoreProblem[] => [
      ...(isEnded
        ? []
        : [{ threadId: '*', problem: `the copy from ${from} did not end`, isMended: isAccept }]),
      ...leftOut.map((each) => ({
        ...each,
        problem: `not as it was in ${from}: ${each.problem}`,
        isMended: isAccept,
      })),
    ],
  )
  if (isAccept) await store.delete(COPY_NOTES)
  return problems
}

interface CheckedThread {
  readonly problems: readonly StoreProblem[]
  readonly hash: string
  readonly events: number
  readonly unverified: number
  readonly isPartial?: boolean
}

/** Damage to one thread is told with its name, and the others are looked at all the same. */
function unreadable(threadId: string): (thrown: unknown) => CheckedThread {
  return (thrown) => {
    if (!PrecisError.is(thrown) || thrown.code !== 'store-corrupt') throw thrown
    return {
      problems: [{ threadId, problem: thrown.message, isMended: false }],
      hash: '',
      events: 0,
      unverified: 0,
    }
  }
}

/** Undefined where the thread was deleted meanwhile. */
async function checkThread(
  store: Store,
  threadId: string,
  { isRepair, isAccept }: { readonly isRepair: boolean; readonly isAccept: boolean },
): Promise<CheckedThread | undefined> {
  refuseDamagedName(threadId)
  const problems: StoreProblem[] = []
  const report = (problem: string, seq?: number, isMended = false) =>
    problems.push({ threadId, problem, isMended, ...(seq !== undefined && { seq }) })
  const verdict = await store.verify?.(threadId)
  for (const { seq, problem } of verdict?.misfits ?? []) report(problem, seq)
  // In this order: what the snapshot covers is in the log by then.
  const snapshot = await store.snapshot(threadId, FOLD_VERSION)
  const { version = 0, parent } = (await store.info(threadId)) ?? {}
  const events: ThreadEvent[] = []
  const ids = new Set<string>()
  const placeholders = new Set<number>() // of a copy, which has noted them
  let state = FOLD.init()
  let folded: Json | undefined
  let isWhole = true // only then there is something to fold
  const { hash, events: count } = await computeDigest(store, threadId, version, (row) => {
    if (row.seq !== state.context.version + 1 && isWhole) {
      report('an event is missing before it', row.seq)
      isWhole = false
    }
    if (ids.has(row.id)) report(`its id ${row.id} is there twice`, row.seq)
    ids.add(row.id)
    const read = readEvent(row)
    if (!read.ok) report(read.error.message, row.seq)
    const event = readRow(row)
    if (read.ok && undecodableOf(event)) placeholders.add(row.seq)
    events[row.seq - 1] = event
    if (isWhole) state = FOLD.step(state, event, (seq) => events[seq - 1])
    if (row.seq === snapshot?.seq) folded = FOLD.encode(state).state
  })
  if (count < version) {
    if (!(await isThere(store, threadId, version))) return undefined
    report(`it has ${count} of ${version} events`)
  }
  for (const { seq, reason } of state.context.ignored)
    if (!placeholders.has(seq)) report(`it has no effect: ${reason}`, seq)
  const isUsed = snapshot && snapshot.state !== null && isWhole
  const { unverified = count, misfits = [] } = verdict ?? {}
  if (isUsed && !isReplayed(snapshot, folded)) {
    // The snapshot may be what is right, and the log altered: then it is the only witness.
    const isTrusted = misfits.length === 0 && (unverified === 0 || isAccept)
    if (isRepair && isTrusted) await throwAway(store, threadId)
    const why = isTrusted ? '' : ', and its events cannot be verified: either may be altered'
    report(`its snapshot is not what a replay gives${why}`, snapshot.seq, isRepair && isTrusted)
  }
  const end = parent ? undefined : announcedEnd(events[0])
  const isPartial = end !== undefined && !ids.has(end)
  const isGone = version === 0 && problems.length === 0
  return isGone ? undefined : { problems, hash, events: count, unverified, isPartial }
}

interface StoredState {
  readonly context?: Json
  readonly reducers?: readonly (StoredReducer | null)[]
}

interface StoredReducer {
  readonly name: string
  readonly version: number
}

/** Of the reducers those are compared that this program knows; others may have stored more. */
function isReplayed(snapshot: Snapshot, folded: Json | undefined): boolean {
  const stored = snapshot.state as StoredState
  // As it comes back from a store: as JSON.
  const made = JSON.parse(JSON.stringify(folded ?? null)) as StoredState | null
  if (!Array.isArray(stored.reducers)) return false
  const isEachSame = stored.reducers.every((reducer: StoredReducer | null) => {
    const own = made?.reducers?.find((known) => known?.name === reducer?.name)
    return own?.version !== reducer?.version || isDeepStrictEqual(reducer, own)
  })
  return isEachSame && isDeepStrictEqual(stored.context, made?.context)
}

/** Not where it was deleted, nor where another one has its id since. */
async function isThere(store: Store, threadId: string, version: number): Promise<boolean> {
  const now = await store.info(threadId)
  return now !== undefined && now.version >= version
}

/** How often others may append between looking and writing. */
const MOST_TRIES = 10

/** One that says nothing takes its place: then the thread is replayed, and its next change writes a good one. */
async function throwAway(store: Store, threadId: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const info = await store.info(threadId)
    if (!info) return
    const snapshot = { seq: info.version, foldVersion: FOLD_VERSION, state: null }
    try {
      await store.append(threadId, [], { expectedVersion: info.version, snapshot })
      return
    } catch (thrown) {
      const isLate = PrecisError.is(thrown) && thrown.code === 'version-conflict'
      if (!isLate || tries === MOST_TRIES) throw thrown
    }
  }
}
