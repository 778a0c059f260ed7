// Checks a store: every log is complete, every row is readable, every snapshot equals a replay.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { inboxReducer } from '../core/agent/inbox.ts'
import { pinsReducer, releasedPinsReducer } from '../core/edit/pins.ts'
import { PrecisError } from '../core/errors.ts'
import { readEvent, readRow } from '../core/log/codec.ts'
import { type ThreadEvent, undecodableOf } from '../core/log/event.ts'
import { announcedEnd } from '../core/log/import-end.ts'
import type { Reducer, Snapshot, Store, ThreadInfo } from '../core/ports.ts'
import { threadSettingsReducer } from '../core/settings/settings-keys.ts'
import type { Json } from '../core/text/json.ts'
import { checkpointsReducer } from '../core/view/checkpoint.ts'
import { FOLD_VERSION } from '../core/view/context.ts'
import { threadFold } from '../core/view/thread-state.ts'
import { usageReducer } from '../core/window/usage.ts'
import { COPY_NOTES, copyNotes } from './copy-notes.ts'
import { allThreads, findStrays } from './copy-store.ts'
import { computeDigest } from './rows/digest.ts'
import { refuseDamagedName } from './rows/stored-event.ts'

export interface StoreProblem {
  readonly threadId: string
  readonly seq?: number
  readonly problem: string
  /** True if the problem was in derived data, which was discarded, or if the caller accepted it. */
  readonly isMended: boolean
}

export interface StoreReport {
  readonly threads: number
  readonly all: number // threads in the store
  readonly events: number
  /** Covers all threads and their hashes. Two stores with the same logs have the same hash. */
  readonly hash: string
  /** Events written without a hash by an older version. The check cannot tell whether they were altered. */
  readonly unverified: number
  readonly problems: readonly StoreProblem[]
  /** Threads whose import was interrupted or is still running. Not damage: the same import continues them. */
  readonly partial: readonly string[]
  readonly isIndexRebuilt: boolean
}

export interface CheckOptions {
  /** Discards wrong derived data and rebuilds the search index. */
  readonly isRepair?: boolean
  /**
   * With `isRepair`: accepts a log that cannot be verified and disagrees with its snapshot, and accepts what
   * copies into this store left out. Each acceptance is reported. An altered event is never accepted.
   */
  readonly isAccept?: boolean
  /** Called before each thread; true ends the check there. */
  readonly isEnough?: () => boolean
  readonly onThread?: (threadId: string, done: number, all: number) => void | Promise<void>
}

/** The reducers this program uses for every thread. */
const FOLD = threadFold([
  ...[pinsReducer, releasedPinsReducer, usageReducer, inboxReducer],
  ...[threadSettingsReducer, checkpointsReducer],
] as readonly Reducer<unknown>[])

/**
 * A thread that grows during the check is checked up to its version at the start. A deleted one is skipped.
 */
export async function checkStore(store: Store, options: CheckOptions = {}): Promise<StoreReport> {
  const { isRepair = false, onThread = () => undefined } = options
  const isAccept = isRepair && (options.isAccept ?? false)
  const infos = (await allThreads(store)).toSorted((one, other) =>
    one.threadId < other.threadId ? -1 : 1,
  )
  const hash = createHash('sha256')
  const problems: StoreProblem[] = await findLeftOut(store, isAccept)
  for (const lost of await findStrays(store)) problems.push({ ...lost, isMended: false })
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

/** What copies into this store left out. Accepting it deletes the notes. */
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

/** Damage to one thread is reported under its name, and the check goes on. */
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

/** Undefined if the thread was deleted meanwhile. */
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
  // Read the snapshot first: then the log contains everything the snapshot covers.
  const snapshot = await store.snapshot(threadId, FOLD_VERSION)
  const info = await store.info(threadId)
  const { version = 0, parent } = info ?? {}
  const marks = new Map<number, Mark>()
  const marked = new Set([1, parent?.seq ?? 1, (parent?.seq ?? 0) + 1, version])
  const events: ThreadEvent[] = []
  const ids = new Set<string>()
  const placeholders = new Set<number>() // of a copy, already listed in its notes
  let state = FOLD.init()
  let folded: Json | undefined
  let isWhole = true // the log can be folded only while this holds
  const { hash, events: count } = await computeDigest(store, threadId, version, (row) => {
    if (row.seq !== state.context.version + 1 && isWhole) {
      report('an event is missing before it', row.seq)
      isWhole = false
    }
    if (ids.has(row.id)) report(`its id ${row.id} is there twice`, row.seq)
    ids.add(row.id)
    if (marked.has(row.seq)) marks.set(row.seq, { id: row.id, time: Date.parse(row.timestamp) })
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
  if (info && problems.length === 0)
    for (const problem of await findWrongFact(store, info, marks)) report(problem)
  for (const { seq, reason } of state.context.ignored)
    if (!placeholders.has(seq)) report(`it has no effect: ${reason}`, seq)
  const isUsed = snapshot && snapshot.state !== null && isWhole
  const { unverified = count, misfits = [] } = verdict ?? {}
  if (isUsed && !isReplayed(snapshot, folded)) {
    // If the log was altered, the snapshot may be the only correct copy left.
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

/** What is compared of an event. */
interface Mark {
  readonly id: string
  readonly time: number // ms since 1970
}

/** What the list says of a thread follows from its events, whose hashes cover it (decision 0016). */
async function findWrongFact(
  store: Store,
  { createdAt, updatedAt, parent, version }: ThreadInfo,
  marks: ReadonlyMap<number, Mark>,
): Promise<readonly string[]> {
  const isTimeOf = (date: Date, seq: number) => marks.get(seq)?.time === date.getTime()
  if (!isTimeOf(updatedAt, version)) return ['its last change is not that of its last event']
  // A fork without an event of its own began with the last one that it shares.
  const firsts = parent ? [parent.seq, parent.seq + 1] : [1]
  if (!firsts.some((seq) => isTimeOf(createdAt, seq)))
    return ['neither its creation nor its origin is that of its first event']
  const origin = parent && (await store.info(parent.threadId))
  // A later thread of the same id is another one.
  if (!origin || origin.createdAt >= createdAt) return []
  const [shared] = await store.read(parent.threadId, { from: parent.seq, to: parent.seq })
  const isShared = shared?.id === marks.get(parent.seq)?.id
  return isShared ? [] : [`${parent.threadId} is not its origin: event ${parent.seq} is not shared`]
}

interface StoredState {
  readonly context?: Json
  readonly reducers?: readonly (StoredReducer | null)[]
}

interface StoredReducer {
  readonly name: string
  readonly version: number
}

/** Compares only the reducers this program knows; another version may have stored more. */
function isReplayed(snapshot: Snapshot, folded: Json | undefined): boolean {
  const stored = snapshot.state as StoredState
  // Compare as JSON, the form a store returns.
  const made = JSON.parse(JSON.stringify(folded ?? null)) as StoredState | null
  if (!Array.isArray(stored.reducers)) return false
  const isEachSame = stored.reducers.every((reducer: StoredReducer | null) => {
    const own = made?.reducers?.find((known) => known?.name === reducer?.name)
    return own?.version !== reducer?.version || isDeepStrictEqual(reducer, own)
  })
  return isEachSame && isDeepStrictEqual(stored.context, made?.context)
}

/** False if the thread was deleted, even if a new one has its id. */
async function isThere(store: Store, threadId: string, version: number): Promise<boolean> {
  const now = await store.info(threadId)
  return now !== undefined && now.version >= version
}

/** Retries when others append between the read and the write. */
const MOST_TRIES = 10

/**
 * Replaces the snapshot with an empty one. The thread is then replayed, and its next change writes a good
 * snapshot.
 */
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
