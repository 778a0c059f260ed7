// Where each agent keeps its session files, by the environment of the command.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { Io } from '../process-io.ts'

export interface AgentFolders {
  readonly agent: string // the id of its format
  readonly folders: readonly string[]
  /** Matches session files by their path below the folder. */
  readonly files: RegExp
  /** Matches files of sub-agents, used only for costs. */
  readonly subAgents?: RegExp
  /** Captures the session id in a file's path. */
  readonly id: RegExp
}

interface AgentPlace extends Omit<AgentFolders, 'folders'> {
  folders(home: string, environment: Io['environment']): readonly string[]
}

const UUID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/

/** In a folder the user named, other programs may have written the files. */
const ANY_FILE = /(?:^|[/\\])(?!agent-)[^/\\]+\.(?:jsonl?|db)$/

const STEM = /([^/\\]+)\.jsonl?$/

const KNOWN: readonly AgentPlace[] = [
  {
    agent: 'claude-code',
    folders: (home, { CLAUDE_CONFIG_DIR }) => [
      join(CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
    ],
    // Sub-agents have their own folders, or files that begin with `agent-`.
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

/** Whether the file name contains a session id with this start. */
export function hasId(path: string, beginning: string): boolean {
  return KNOWN.some(({ id }) => id.exec(path)?.[1]?.startsWith(beginning))
}

/** Folders from the settings instead of an agent's own. */
export function agentFolders(
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
