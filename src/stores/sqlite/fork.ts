// Forks and deletes threads inside a transaction.

import { unknownThread } from '../errors.ts'
import type { ThreadRow } from '../rows/pages.ts'
import {
  checkForkIds,
  type ForkRequest,
  recogniseFork,
  type WriteAnswer,
} from '../rows/requests.ts'
import { checkNumber } from '../rows/stored-event.ts'
import { findParent } from './read.ts'
import type { Tables } from './tables.ts'
import { findByIds, findOwner, insertRows, lastHash, readTime } from './writes.ts'

export function fork(tables: Tables, request: ForkRequest): WriteAnswer {
  const { parentId, seq, threadId, rows } = request
  const there = tables.threads.find(threadId)
  if (there) {
    const found = findByIds(tables, there, rows, there.version)
    return { stored: recogniseFork(request, findParent(there), found) }
  }
  const parent = tables.threads.find(parentId)
  if (!parent) throw unknownThread(parentId)
  checkNumber(`the number to fork ${parentId} at`, seq, 1, parent.version)
  checkForkIds(threadId, findByIds(tables, parent, rows, seq))
  write(tables, parent, request)
  return {}
}

/** Rows shared with forks move to the fork that shares most; the others then share with it. */
export function remove(tables: Tables, { threadId }: { readonly threadId: string }): boolean {
  const thread = tables.threads.find(threadId)
  if (!thread) return false
  const [heir, ...others] = tables.threads.sharing(thread.key)
  if (heir) {
    tables.events.moveUpTo(heir.baseSeq, thread.key, heir.key)
    tables.threads.rebase(heir.key, thread.baseKey, thread.baseSeq)
    for (const other of others) tables.threads.rebase(other.key, heir.key, other.baseSeq)
  }
  tables.events.remove(thread.key)
  tables.snapshots.remove(thread.key)
  tables.threads.remove(thread.key)
  return true
}

function write(tables: Tables, parent: ThreadRow, request: ForkRequest): void {
  const { parentId, seq, threadId, rows, snapshot } = request
  const owner = findOwner(tables, parent, seq)
  const first = rows[0] ?? [...tables.events.iterate(owner.key, seq, seq)][0]
  const last = rows.at(-1) ?? first
  const before = lastHash(tables, parent, seq)
  const key = tables.threads.create({
    threadId,
    version: seq + rows.length,
    createdAt: first ? readTime(first) : parent.createdAt,
    updatedAt: last ? readTime(last) : parent.updatedAt,
    parentId,
    parentSeq: seq,
    baseKey: owner.key,
    baseSeq: seq,
    head: before,
  })
  const head = insertRows(tables, key, rows, before)
  const end = rows.at(-1)
  if (end && head !== undefined) tables.threads.grow(key, end[0], readTime(end), head)
  if (snapshot) tables.snapshots.put(key, snapshot)
}
