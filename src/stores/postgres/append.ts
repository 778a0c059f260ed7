// Appending to a thread: one statement in the ordinary case, a transaction otherwise.

import { restlessThread, versionConflict } from '../errors.ts'
import { NO_HASH } from '../rows/hash-chain.ts'
import type { ThreadRow } from '../rows/pages.ts'
import type { AppendRequest, WriteAnswer } from '../rows/requests.ts'
import { recognise } from '../rows/requests.ts'
import type { StoredEvent } from '../rows/stored-event.ts'
import { firstStatement, growStatement, readTime } from './append-statement.ts'
import type { Session } from './database.ts'
import { isTaken } from './failures.ts'
import { FIND_REPEATED, FIND_ROWS, LAST_HASH, LOCK_FAMILIES, LOCK_THREAD } from './statements.ts'

type RepeatedRow = readonly [version: number, place: number | null, ...cells: StoredEvent]

/** Retries when others create or delete the same thread at the same moment. */
const MOST_TRIES = 10

export async function append(session: Session, request: AppendRequest): Promise<WriteAnswer> {
  if (request.rows.length > 0 && (await appendAtOnce(session, request))) return {}
  const stored = await findRepeated(session, request)
  if (stored) return { stored }
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await session.transaction(() => appendCarefully(session, request))
    if (answer) return answer
  }
  throw restlessThread(request.threadId)
}

/** The rows of a log with these ids, up to a sequence number, in the order of `rows`. */
export async function findByIds(
  session: Session,
  key: number,
  rows: readonly StoredEvent[],
  upToSeq: number,
): Promise<readonly (StoredEvent | undefined)[]> {
  if (rows.length === 0) return []
  const found = await session.tuples<[number, ...StoredEvent]>(FIND_ROWS, [
    key,
    readIds(rows),
    upToSeq,
  ])
  return inOrder(rows, found)
}

/** The row of a log with this id. */
export async function findById(
  session: Session,
  threadId: string,
  id: string,
): Promise<StoredEvent | undefined> {
  const [found] = await session.tuples<RepeatedRow>(FIND_REPEATED, [threadId, [id]])
  const [, place = null, ...cells] = found ?? []
  return place === null ? undefined : (cells as unknown as StoredEvent)
}

function readIds(rows: readonly StoredEvent[]): readonly string[] {
  return rows.map((row) => row[1])
}

function inOrder(
  rows: readonly StoredEvent[],
  found: readonly (readonly [place: number, ...StoredEvent])[],
): readonly (StoredEvent | undefined)[] {
  const byPlace = new Map(found.map(([place, ...cells]) => [place, cells]))
  return rows.map((_, index) => byPlace.get(index + 1))
}

/** False, with nothing done, if this is not the ordinary case. */
async function appendAtOnce(session: Session, request: AppendRequest): Promise<boolean> {
  try {
    return await write(session, request, request.expectedVersion === 0 ? 'first' : 'plain')
  } catch (thrown) {
    if (isTaken(thrown)) return false // the id exists
    throw thrown
  }
}

/**
 * The thread is at another version, so the ids alone decide whether this append was made before. No lock is
 * needed: an earlier attempt that is still under way can no longer succeed. One round trip, because with many
 * writers most of them come second.
 */
async function findRepeated(
  session: Session,
  { threadId, expectedVersion, rows }: AppendRequest,
): Promise<readonly StoredEvent[] | undefined> {
  const answer = await session.tuples<RepeatedRow>(FIND_REPEATED, [threadId, readIds(rows)])
  const version = answer[0]?.[0] ?? 0
  if (version === expectedVersion) return undefined
  const found = answer.flatMap(([, place, ...cells]) =>
    place === null ? [] : [[place, ...cells] as const],
  )
  const stored = recognise(threadId, rows, inOrder(rows, found))
  if (!stored) throw versionConflict(threadId, expectedVersion, version)
  return stored
}

/** Undefined if the thread was created just now; the caller retries. */
async function appendCarefully(
  session: Session,
  request: AppendRequest,
): Promise<WriteAnswer | undefined> {
  const { threadId, expectedVersion, rows, snapshot } = request
  await session.rows(LOCK_FAMILIES, [])
  const [thread] = await session.rows<ThreadRow>(LOCK_THREAD, [threadId])
  const version = thread?.version ?? 0
  const found = thread ? await findByIds(session, thread.key, rows, version) : []
  const stored = thread && recognise(threadId, rows, found)
  if (stored) return { stored }
  if (version !== expectedVersion) throw versionConflict(threadId, expectedVersion, version)
  if (rows.length === 0 && !snapshot) return {}
  // A thread of an older version has no hash yet, but if it was a fork, its past may have hashes.
  const isUnchained = thread && thread.head === null
  const hash = isUnchained ? await lastHash(session, thread.key, version) : NO_HASH
  return (await write(session, { ...request, hash }, thread ? 'held' : 'first')) ? {} : undefined
}

/** The last hash up to a sequence number. */
export async function lastHash(session: Session, key: number, upToSeq: number): Promise<string> {
  const [found] = await session.rows<{ hash: string }>(LAST_HASH, [key, upToSeq])
  return found?.hash ?? NO_HASH
}

/** False if the thread is not at the expected version, or exists already. */
async function write(
  session: Session,
  request: AppendRequest & { readonly hash?: string },
  target: 'plain' | 'held' | 'first',
): Promise<boolean> {
  const { expectedVersion: before, ...rest } = request
  const [first, last] = [rest.rows[0], rest.rows.at(-1)]
  const values = { ...rest, before }
  const [statement, parameters] =
    target === 'first' && first && last
      ? firstStatement(values, { createdAt: readTime(first), updatedAt: readTime(last) })
      : growStatement(target === 'plain' ? 'plain' : 'held', values)
  return (await session.rows(statement, parameters)).length > 0
}
