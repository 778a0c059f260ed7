// OpenCode's database: reads a session as the document of `opencode export`, and writes it back.
import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Database } from 'better-sqlite3'
import { PrecisError } from '../../core/errors.ts'
import { unreadable } from '../terminal/io.ts'

/** A session of a database, such as `opencode.db#ses_1e2b…`; without an id the only one. */
export interface DatabaseSession {
  readonly given: string
  readonly file: string
  readonly id?: string
}

const MAGIC = 'SQLite format 3\0'
const GIVE =
  'Give it a session file, or opencode.db, which OpenCode keeps in ~/.local/share/opencode.'
const NAMED = /^(.+)#(ses_\w+)$/

/** Undefined if it is not a database but a session file. */
export function databaseSession(given: string, cwd: string): DatabaseSession | undefined {
  const [, file = given, id] = NAMED.exec(given) ?? []
  const path = resolve(cwd, file)
  if (!startsLikeDatabase(path)) return undefined
  return { given, file: path, ...(id !== undefined && { id }) }
}

function startsLikeDatabase(path: string): boolean {
  const start = Buffer.alloc(MAGIC.length)
  try {
    const file = openSync(path, 'r')
    try {
      return readSync(file, start) === MAGIC.length && start.toString('latin1') === MAGIC
    } finally {
      closeSync(file)
    }
  } catch {
    return false // reading it as a file reports the problem
  }
}

/** The session as one document, and its name including the id. */
export async function readDatabase(
  session: DatabaseSession,
): Promise<{ readonly text: string; readonly name: string }> {
  const db = await openDatabase(session, { readonly: true })
  try {
    const id = readId(db, session)
    return { text: buildDocument(db, id, session), name: `${session.file}#${id}` }
  } catch (thrown) {
    throw isDamaged(thrown) ? damaged(session, thrown) : thrown
  } finally {
    db.close()
  }
}

/**
 * Replaces the session's rows by the document; other sessions stay. Calls `check` with the session before and
 * after, while nothing is visible outside; it rejects to stop.
 */
export async function writeDatabase(
  session: DatabaseSession,
  text: string,
  check: (before: string, after: string) => Promise<void>,
): Promise<void> {
  const db = await openDatabase(session, { readonly: false })
  try {
    const id = readId(db, session)
    db.exec('BEGIN EXCLUSIVE')
    // Its undone messages are rows that the document lacks: they would be deleted.
    if (readRevert(findSession(db, id), session)) throw midUndo(session)
    const before = buildDocument(db, id, session)
    putDocument(db, id, JSON.parse(text), session)
    await check(before, buildDocument(db, id, session))
    db.exec('COMMIT')
  } catch (thrown) {
    if (isLocked(thrown)) throw inUse(session)
    throw isDamaged(thrown) ? damaged(session, thrown) : thrown
  } finally {
    db.close()
  }
}

export async function openDatabase(
  session: DatabaseSession,
  options: { readonly readonly: boolean },
): Promise<Database> {
  const { default: Sqlite } = await import('better-sqlite3')
  const db = new Sqlite(session.file, { ...options, fileMustExist: true, timeout: 0 })
  try {
    // Needs exclusive access: a running OpenCode would continue with what it has read.
    if (!options.readonly) db.pragma('locking_mode = EXCLUSIVE')
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()
    if (['session', 'message', 'part'].every((name) => tables.includes(name))) return db
  } catch (thrown) {
    db.close()
    if (isLocked(thrown)) throw inUse(session)
    throw isDamaged(thrown) ? damaged(session, thrown) : unreadable(session.given, thrown)
  }
  db.close()
  throw new PrecisError('unknown-format', `${session.given} is a database, but not OpenCode's`, {
    where: session.given,
    hint: GIVE,
  })
}

function isDamaged(thrown: unknown): boolean {
  return /^SQLITE_NOTADB|^SQLITE_CORRUPT/.test((thrown as { code?: string }).code ?? '')
}

function damaged(
  { given }: DatabaseSession,
  cause: unknown,
  how = 'begins as a SQLite database and is damaged',
): PrecisError {
  return new PrecisError('invalid-input', `${given} ${how}`, { where: given, hint: GIVE, cause })
}

function isLocked(thrown: unknown): boolean {
  return /^SQLITE_BUSY|^SQLITE_LOCKED/.test((thrown as { code?: string }).code ?? '')
}

function inUse({ given }: DatabaseSession): PrecisError {
  return new PrecisError('version-conflict', `${given} is open in another program`, {
    where: given,
    hint: 'Nothing was written. Close OpenCode, and try again.',
  })
}

function midUndo({ given }: DatabaseSession): PrecisError {
  return new PrecisError('version-conflict', `${given} has messages that are undone in OpenCode`, {
    where: given,
    hint: 'Nothing was written. Finish or redo the undo in OpenCode first: continue the session there, or type /redo.',
  })
}

const LISTED = 10

function readId(db: Database, { given, file, id }: DatabaseSession): string {
  const sql = 'SELECT id, title FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC'
  const all = db.prepare(sql).all() as { id: string; title: string }[]
  if (id === undefined && all.length === 1) return all[0]?.id ?? ''
  const isThere = db.prepare('SELECT 1 FROM session WHERE id = ?').get(id ?? '') !== undefined
  if (id !== undefined && isThere) return id
  const latest = all.slice(0, LISTED).map((each) => `${file}#${each.id} (${each.title})`)
  throw new PrecisError(
    id === undefined ? 'usage' : 'not-found',
    id === undefined ? `${given} holds ${all.length} sessions` : `${given}: no such session`,
    {
      where: given,
      hint: `Name one. The latest: ${latest.join('; ') || 'none'}.`,
    },
  )
}

interface Row {
  readonly id: string
  readonly message_id: string
  readonly time_created: number
  readonly data: string
}

type Fields = Record<string, unknown>

function findSession(db: Database, id: string): Fields {
  return db.prepare('SELECT * FROM session WHERE id = ?').get(id) as Fields
}

/** An unfinished undo: OpenCode hides what follows, and deletes it when it continues. */
interface Revert {
  readonly messageID?: string
  readonly partID?: string // the message stays up to this part
}

/** Older versions of OpenCode lack this column. */
function readRevert({ id, revert }: Fields, given: DatabaseSession): Revert | undefined {
  if (revert === undefined || revert === null || revert === 'null') return undefined
  return readFields(revert, `the undo of ${id}`, given)
}

/** As OpenCode deletes them: by id, which only grow. */
function isUndone(id: string, { messageID, partID }: Revert): boolean {
  if (messageID === undefined) return false
  return id > messageID || (id === messageID && partID === undefined)
}

function partsLeft(parts: readonly Row[], { partID }: Revert): readonly Row[] {
  const from = parts.findIndex(({ id }) => id === partID)
  return from === -1 ? parts : parts.slice(0, from)
}

/** The fields of a row, stored as one JSON text. */
function readFields(data: unknown, name: string, given: DatabaseSession): Fields {
  let cause: unknown
  try {
    const fields: unknown = JSON.parse(String(data))
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
      return fields as Fields
  } catch (thrown) {
    cause = thrown
  }
  throw damaged(given, cause, `is damaged: ${name} holds no JSON object`)
}

function buildDocument(db: Database, sessionID: string, given: DatabaseSession): string {
  const session = findSession(db, sessionID)
  const revert = readRevert(session, given) ?? {}
  const parts = Map.groupBy(
    db.prepare('SELECT * FROM part WHERE session_id = ? ORDER BY id').all(sessionID) as Row[],
    (part) => part.message_id,
  )
  const messages = db
    .prepare('SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id')
    .all(sessionID) as Row[]
  const shown = messages.filter(({ id }) => !isUndone(id, revert))
  const written = shown.map(({ id, data }) => {
    const own = partsLeft(parts.get(id) ?? [], revert).map((part) => {
      return { id: part.id, messageID: id, sessionID, ...readFields(part.data, part.id, given) }
    })
    const info = { id, sessionID, ...readFields(data, id, given) }
    return JSON.stringify({ info, parts: own })
  })
  const info = {
    id: sessionID,
    slug: session.slug,
    projectID: session.project_id,
    directory: session.directory,
    ...(typeof session.parent_id === 'string' && { parentID: session.parent_id }),
    title: session.title,
    version: session.version,
    time: { created: session.time_created, updated: session.time_updated },
  }
  return `{"info":${JSON.stringify(info)},"messages":[\n${written.join(',\n')}\n]}\n`
}

interface Document {
  readonly info: { readonly time: { readonly updated: number } }
  readonly messages: readonly { readonly info: Fields; readonly parts: readonly Fields[] }[]
}

/** Rows with equal content stay as they are. */
function putDocument(
  db: Database,
  session: string,
  { info, messages }: Document,
  given: DatabaseSession,
): void {
  const created = (fields: Fields) => Number((fields.time as Fields | undefined)?.created ?? 0)
  const kept = { message: new Set<string>(), part: new Set<string>() }
  const put = (table: 'message' | 'part', row: Fields, data: string) => {
    kept[table].add(String(row.id))
    const there = db.prepare(`SELECT data FROM ${table} WHERE id = ?`).pluck().get(row.id)
    if (there === data) return
    const fields = there === undefined ? undefined : readFields(there, String(row.id), given)
    if (JSON.stringify(fields) === data) return
    const names = [...Object.keys(row), 'data']
    const values = names.map((name) => `@${name}`).join(', ')
    db.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values}) ON CONFLICT (id) DO UPDATE SET data = @data`,
    ).run({ ...row, data })
  }
  for (const message of messages) {
    const { id, sessionID: _, ...facts } = message.info
    const times = { time_created: created(facts), time_updated: created(facts) }
    put('message', { id, session_id: session, ...times }, JSON.stringify(facts))
    for (const part of message.parts) {
      const { id: partId, messageID: _message, sessionID: _session, ...data } = part
      const row = { id: partId, message_id: id, session_id: session, ...times }
      put('part', row, JSON.stringify(data))
    }
  }
  for (const table of ['part', 'message'] as const) {
    const ids = db.prepare(`SELECT id FROM ${table} WHERE session_id = ?`).pluck().all(session)
    const drop = db.prepare(`DELETE FROM ${table} WHERE id = ?`)
    for (const id of ids) if (!kept[table].has(String(id))) drop.run(id)
  }
  const { updated } = info.time
  db.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(updated, session)
}
