// The session files on this machine: each with its agent, id, size and age, newest first
// Where each agent keeps its session files, by the environment that a command was given
import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { Io } from '../process-io.ts'
import {
  type DatabaseSession,
  databaseSession,
  openDatabase,
} from '../session/opencode-database.ts'

/** So many files of one folder are looked at. */
const MOST_FILES = 200_000
const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Of all agents, or of those that are named. A folder that is not there has none. */
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

/** The one that has the id, or else the only one whose id begins so; undefined where there is none. */
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

/** Every file below a folder that may be a session, whatever wrote it. */
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

/** Another program's database, or one that is locked, hides no other session. */
function noSessions(): FoundSession[] {
  return []
}

/** Folders that cannot be read are passed over, and links to folders are not followed. */
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
    return [] // it is not there, or belongs to another user
  }
}

function newestFirst(a: FoundSession, b: FoundSession): number {
  return b.updatedMs - a.updatedMs || (a.path < b.path ? -1 : 1)
}

/** Every session of the database, as `precis sessions` lists it; those of sub-agents for their costs alone. */
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
  readonly bytes: number | null // of one that is empty
  readonly parent: string | null
}

export interface FoundSession {
  readonly path: string // as every command takes it
  readonly id: string
  /** The id of its format; absent in a folder that belongs to no agent. */
  readonly agent?: string
  readonly bytes: number
  readonly updatedMs: number
  /** What a sub-agent did, where its place tells it. */
  readonly isSubAgent?: boolean
  /** A database says these; of a file they are read from its content. */
  readonly project?: string
  readonly title?: string
}

interface AgentFolders {
  readonly agent: string // the id of its format
  readonly folders: readonly string[]
  /** Which files below them are sessions, by their path from the folder. */
  readonly files: RegExp
  /** Which files are what its sub-agents did: for their costs alone. */
  readonly subAgents?: RegExp
  /** The id of a session in the path of its file, as the first group. */
  readonly id: RegExp
}

interface AgentPlace extends Omit<AgentFolders, 'folders'> {
  folders(home: string, environment: Io['environment']): readonly string[]
}

const UUID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/
/** In a folder that somebody named, the agent need not have written the files. */
const ANY_FILE = /(?:^|[/\\])(?!agent-)[^/\\]+\.(?:jsonl?|db)$/
const STEM = /([^/\\]+)\.jsonl?$/

const KNOWN: readonly AgentPlace[] = [
  {
    agent: 'claude-code',
    folders: (home, { CLAUDE_CONFIG_DIR }) => [
      join(CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
    ],
    // Those of its sub-agents stand in folders of their own, or begin with `agent-`.
    files: /^[^/\\]+[/\\](?!agent-)[^/\\]+\.jsonl$/,
    subAgents: /[/\\]agent-[^/\\]+\.jsonl$/,
    id: STEM,
  },
  {
    agent: 'codex',
    folders: (home, { CODEX_HOME }) =>
      ['sessions', 'archived_sessions'].map((name) =>
        join(CODEX_HOME || join(home, '.codex'), name),
      ),
    files: /rollout-[^/\\]+\.jsonl$/,
    id: UUID,
  },
  {
    agent: 'opencode',
    folders: (home, { XDG_DATA_HOME }) => [
      join(XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode'),
    ],
    files: /^opencode[\w-]*\.db$/,
    id: /#(ses_\w+)$/,
  },
  {
    agent: 'pi',
    folders: (home, { PI_CODING_AGENT_DIR }) => [
      join(PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions'),
    ],
    files: /\.jsonl$/,
    id: UUID,
  },
  {
    agent: 'oh-my-pi',
    folders: (home) => [join(home, '.omp', 'agent', 'sessions')],
    files: /\.jsonl$/,
    id: UUID,
  },
  {
    agent: 'copilot-cli',
    folders: (home) => [join(home, '.copilot', 'session-state')],
    files: /^[^/\\]+(?:\.jsonl|[/\\]events\.jsonl)$/,
    id: /([^/\\]+?)(?:\.jsonl|[/\\]events\.jsonl)$/,
  },
  {
    agent: 'gemini-cli',
    folders: (home) => [join(home, '.gemini', 'tmp')],
    files: /[/\\]chats[/\\]session-[^/\\]+\.jsonl?$/,
    id: STEM,
  },
  {
    agent: 'cline',
    folders: (home) => [
      join(home, '.cline', 'data', 'tasks'),
      ...['Code', 'Cursor'].map((editor) =>
        join(home, '.config', editor, 'User/globalStorage/saoudrizwan.claude-dev/tasks'),
      ),
    ],
    files: /^[^/\\]+[/\\]api_conversation_history\.json$/,
    id: /([^/\\]+)[/\\]api_conversation_history\.json$/,
  },
]

export const SESSION_AGENTS: readonly string[] = KNOWN.map(({ agent }) => agent)

/** Whether a file is named as an agent names the session whose id begins so. */
export function hasId(path: string, beginning: string): boolean {
  return KNOWN.some(({ id }) => id.exec(path)?.[1]?.startsWith(beginning))
}

/** The folders of the settings in place of an agent's own. */
function agentFolders(
  { sessionFolders = {} }: Pick<Settings, 'sessionFolders'>,
  { environment, cwd }: Pick<Io, 'environment' | 'cwd'>,
): AgentFolders[] {
  const home = environment.HOME || environment.USERPROFILE || homedir()
  const own = (folder: string) => resolve(cwd, folder.replace(/^~(?=$|[/\\])/, home))
  const unknown = Object.keys(sessionFolders).find((agent) => !SESSION_AGENTS.includes(agent))
  if (unknown !== undefined) throw unknownAgent(unknown, 'sessionFolders')
  return KNOWN.map(({ folders, ...known }) => {
    const { agent, id } = known
    const given = sessionFolders[agent]?.map(own)
    return given
      ? { agent, folders: given, files: ANY_FILE, id }
      : { ...known, folders: folders(home, environment) }
  })
}

export function unknownAgent(agent: string, where: string): PrecisError {
  const near = nearestWord(agent, SESSION_AGENTS)
  return new PrecisError('usage', `Unknown agent: ${agent}`, {
    where,
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known agents: ${SESSION_AGENTS.join(', ')}.`,
  })
}
