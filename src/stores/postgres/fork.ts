// Forking and deleting threads, each in one transaction.
import { restlessThread, unknownThread } from '../errors.ts'
import type { ThreadRow } from '../rows/pages.ts'
import {
  checkForkIds,
  type ForkRequest,
  type Parent,
  recogniseFork,
  type WriteAnswer,
} from '../rows/requests.ts'
import { checkNumber } from '../rows/stored-event.ts'
import { findByIds, lastHash } from './append.ts'
import { firstStatement, readTime } from './append-statement.ts'
import type { Session } from './database.ts'
import {
  FIND_OWNER,
  FIND_THREAD,
  LOCK_FAMILIES,
  LOCK_FAMILIES_ALONE,
  LOCK_THREAD,
  MOVE_ROWS,
  REBASE,
  REBASE_OTHERS,
  REMOVE_THREAD,
  SHARING,
} from './statements.ts'

/** Retries when others create or delete the same thread at the same moment. */
const MOST_TRIES = 10

export async function fork(session: Session, request: ForkRequest): Promise<WriteAnswer> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await session.transaction(() => tryToFork(session, request))
    if (answer) return answer
  }
  throw restlessThread(request.threadId)
}

/** The key of a thread; keys are never reused. */
export async function findKey(session: Session, threadId: string): Promise<number | undefined> {
  return (await session.rows<ThreadRow>(FIND_THREAD, [threadId]))[0]?.key
}

/**
 * Rows shared with forks move to the fork that shares most, and the others then share with it. False if the
 * thread of this key no longer exists.
 */
export function remove(session: Session, threadId: string, key: number): Promise<boolean> {
  return session.transaction(async () => {
    await session.rows(LOCK_FAMILIES_ALONE, [])
    const [thread] = await session.rows<ThreadRow>(LOCK_THREAD, [threadId])
    if (thread?.key !== key) return false
    const [heir] = await session.rows<{ key: number; baseSeq: number }>(SHARING, [key])
    if (heir) {
      await session.rows(MOVE_ROWS, [key, heir.key, heir.baseSeq])
      await session.rows(REBASE, [heir.key, thread.baseKey, thread.baseSeq])
      await session.rows(REBASE_OTHERS, [key, heir.key])
    }
    await session.rows(REMOVE_THREAD, [key])
    return true
  })
}

/** Undefined if a thread with this id was created just now; the caller retries. */
async function tryToFork(session: Session, request: ForkRequest): Promise<WriteAnswer | undefined> {
  const { parentId, seq, threadId, rows } = request
  await session.rows(LOCK_FAMILIES, [])
  const [there] = await session.rows<ThreadRow>(FIND_THREAD, [threadId])
  if (there) {
    const found = await findByIds(session, there.key, rows, there.version)
    return { stored: recogniseFork(request, findParent(there), found) }
  }
  const [parent] = await session.rows<ThreadRow>(FIND_THREAD, [parentId])
  if (!parent) throw unknownThread(parentId)
  checkNumber(`the number to fork ${parentId} at`, seq, 1, parent.version)
  checkForkIds(threadId, await findByIds(session, parent.key, rows, seq))
  return (await write(session, parent, request)) ? {} : undefined
}

async function write(
  session: Session,
  parent: ThreadRow,
  { parentId, seq, ...request }: ForkRequest,
): Promise<boolean> {
  const owners = await session.rows<{ key: number; time: string }>(FIND_OWNER, [parent.key, seq])
  const [owner = { key: parent.key, time: '' }] = owners
  const [first, last] = [request.rows[0], request.rows.at(-1)]
  const [statement, parameters] = firstStatement(
    { ...request, before: seq, hash: await lastHash(session, parent.key, seq) },
    {
      createdAt: first ? readTime(first) : Date.parse(owner.time),
      updatedAt: last ? readTime(last) : Date.parse(owner.time),
      parentId,
      baseKey: owner.key,
    },
  )
  return (await session.rows(statement, parameters)).length > 0
}

export function findParent({ parentId, parentSeq }: ThreadRow): Parent | undefined {
  return parentId === null || parentSeq === null
    ? undefined
    : { threadId: parentId, seq: parentSeq }
}
