// Appending to a thread: at once where it is the ordinary case, and carefully where it is not.

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

/** How often to look again where others make or remove the same thread at the same moment. */
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

/** The rows of a log that have these ids, up to a sequence number, in the order of `rows`. */
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

/** The row of a log that has this id. */
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

/** False, and nothing done, where something is not as in the ordinary case. */
async function appendAtOnce(session: Session, request: AppendRequest): Promise<boolean> {
  try {
    return await write(session, request, request.expectedVersion === 0 ? 'first' : 'plain')
  } catch (thrown) {
    if (isTaken(thrown)) return false // an id is there already
    throw thrown
  }
}

/**
 * Where the thread is at another version, the ids alone decide; and no lock is needed, since an earlier
 * attempt at this append, should it still be under way, can no longer succeed. One journey: where many
 * append to one thread, most of them come second.
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

/** Undefined where the thread came up just now: then once more. */
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
  // A thread of an older program keeps no hash yet; one that was a fork has events with hashes all the same.
  const isUnchained = thread && thread.head === null
  const hash = isUnchained ? await lastHash(session, thread.key, version) : NO_HASH
  return (await write(session, { ...request, hash }, thread ? 'held' : 'first')) ? {} : undefined
}

/** The hash of the last event up to a sequence number that has one. */
export async function lastHash(session: Session, key: number, upToSeq: number): Promise<string> {
  const [found] = await session.rows<{ hash: string }>(LAST_HASH, [key, upToSeq])
  return found?.hash ?? NO_HASH
}

/** False where the thread is not there at the expected version, or there already. */
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
