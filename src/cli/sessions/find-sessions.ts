// The session files on this machine: each with its agent, id, size and age, newest first.
import { readdirSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import {
  type DatabaseSession,
  databaseSession,
  openDatabase,
} from '../session/opencode-database.ts'
import { type AgentFolders, agentFolders, SESSION_AGENTS, unknownAgent } from './agent-folders.ts'

/** Files examined in one folder. */
const MOST_FILES = 200_000
const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Of all agents, or of the named ones. A missing folder has none. */
export async function findSessions(
  settings: Pick<Settings, 'sessionFolders'>,
  io: Pick<Io, 'environment' | 'cwd'>,
  agents?: readonly string[],
  subAgents = false,
): Promise<FoundSession[]> {
  for (const agent of agents ?? [])
    if (!SESSION_AGENTS.includes(agent)) throw unknownAgent(agent, '--agent')
  const found: FoundSession[] = []
  for (const each of agentFolders(settings, io)) {
    if (agents && !agents.includes(each.agent)) continue
    for (const folder of each.folders)
      for await (const session of sessionsBelow(folder, each, subAgents)) found.push(session)
  }
  return found.sort(newestFirst)
}

/** The session with this id, or the only one whose id starts with it; otherwise undefined. */
export function sessionById<T extends FoundSession>(
  given: string,
  sessions: readonly T[],
): T | undefined {
  if (given === '') return undefined
  const whole = sessions.filter(({ id }) => id === given)
  const fitting = whole.length > 0 ? whole : sessions.filter(({ id }) => id.startsWith(given))
  if (fitting.length < 2) return fitting[0]
  const ids = fitting.slice(0, LISTED).map(({ id }) => id)
  throw new PrecisError(
    'usage',
    `${given} is ambiguous: ${fitting.length} session ids begin with it`,
    {
      where: given,
      hint: `Give more of it: ${ids.join(', ')}.`,
    },
  )
}

const LISTED = 5

const SESSION_FILE = /\.(?:jsonl?|db|traj)$|\.chat\.history\.md$/

/** Every possible session file below a folder, whatever wrote it. */
export async function sessionsIn(
  folder: string,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<FoundSession[]> {
  const found: FoundSession[] = []
  const any = { files: SESSION_FILE, id: /([^/\\]+?)(?:\.[^/\\.]+)?$/ }
  for await (const session of sessionsBelow(resolve(cwd, folder), any)) found.push(session)
  return found.sort(newestFirst)
}

type FolderQuery = Pick<AgentFolders, 'files' | 'id' | 'subAgents'> & { readonly agent?: string }

async function* sessionsBelow(
  folder: string,
  { agent, files, id, subAgents: ofSubAgents }: FolderQuery,
  subAgents = false,
): AsyncGenerator<FoundSession> {
  for (const path of filesBelow(folder)) {
    const name = relative(folder, path)
    const isSubAgent = subAgents && (ofSubAgents?.test(name) ?? false)
    if (!isSubAgent && !files.test(name)) continue
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size === 0) continue
    if (path.endsWith('.db')) {
      const database = databaseSession(path, folder)
      if (database)
        yield* await listDatabase(database, agent ?? 'opencode', subAgents).catch(noSessions)
      continue
    }
    const { size: bytes, mtimeMs } = stats
    const named = id.exec(path)?.[1] ?? basename(path)
    const updatedMs = Math.floor(mtimeMs)
    const known = { ...(agent !== undefined && { agent }), ...(isSubAgent && { isSubAgent }) }
    yield { path, id: named, bytes, updatedMs, ...known }
  }
}

/** A foreign or locked database does not hide other sessions. */
function noSessions(): FoundSession[] {
  return []
}

/** Skips unreadable folders, and does not follow links. */
function* filesBelow(folder: string): Generator<string> {
  const waiting = [folder]
  let looked = 0
  for (let next = waiting.pop(); next !== undefined && looked < MOST_FILES; next = waiting.pop()) {
    for (const entry of readEntries(next)) {
      looked += 1
      const path = join(next, entry.name)
      if (!entry.isDirectory()) yield path
      else if (!NOT_ENTERED.has(entry.name)) waiting.push(path)
    }
  }
}

function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // missing, or another user's
  }
}

function newestFirst(a: FoundSession, b: FoundSession): number {
  return b.updatedMs - a.updatedMs || (a.path < b.path ? -1 : 1)
}

/** Every session of the database, as in `precis sessions`; those of sub-agents only for costs. */
export async function listDatabase(
  database: DatabaseSession,
  agent: string,
  subAgents = false,
): Promise<FoundSession[]> {
  const db = await openDatabase(database, { readonly: true })
  try {
    const sizes = `(SELECT SUM(OCTET_LENGTH(data)) FROM part WHERE session_id = session.id)
      + (SELECT SUM(OCTET_LENGTH(data)) FROM message WHERE session_id = session.id)`
    const sql = `SELECT id, title, directory AS project, time_updated AS updatedMs, ${sizes} AS bytes, parent_id AS parent
      FROM session${subAgents ? '' : ' WHERE parent_id IS NULL'}`
    const rows = db.prepare(sql).all() as DatabaseRow[]
    return rows.map(({ parent, ...row }) => {
      const path = `${database.file}#${row.id}`
      const isSubAgent = parent !== null && { isSubAgent: true }
      return { ...row, bytes: row.bytes ?? 0, path, agent, ...isSubAgent }
    })
  } finally {
    db.close()
  }
}

interface DatabaseRow {
  readonly id: string
  readonly title: string
  readonly project: string
  readonly updatedMs: number
  readonly bytes: number | null // null for an empty one
  readonly parent: string | null
}

export interface FoundSession {
  readonly path: string // as every command accepts it
  readonly id: string
  /** Format id; absent in a folder of no agent. */
  readonly agent?: string
  readonly bytes: number
  readonly updatedMs: number
  /** A sub-agent's session, if its path shows that. */
  readonly isSubAgent?: boolean
  /** Known from a database; for files, read from the content. */
  readonly project?: string
  readonly title?: string
}
