// `precis sessions`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { SessionsFlags } from '../sessions/list-sessions.ts'
import { collect } from '../terminal/arguments.ts'

const HELP = `
Finds the session files of Claude Code, Codex, OpenCode, pi, Oh My Pi, Copilot CLI, Gemini CLI and Cline
in their own directories; the setting sessionFolders adds others (docs/use-with-agents.md).
Every command takes a session by the beginning of its id (compact, undo and redo: at least 6 characters),
and --last for the newest.
The cost is the recorded usage at the listed prices.

Examples:
  precis sessions
  precis sessions --here --json
  precis sessions --agent codex --since 7d
  precis sessions --by day
  precis sessions --by model --project shop
  precis sessions ~/archive/2026

Exit codes: 0 done (also without a session), 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[folder...]', 'look in these directories (default: those of the agents)')
    .option('--agent <id>', 'only sessions of this agent; repeatable', collect)
    .option('--project <text>', 'only projects whose path contains this')
    .option('--since <time>', 'only sessions used since: 12h, 7d, 2w or a date')
    .option('--here', 'only sessions of this directory')
    .option('--last', 'only the newest session')
    .option('--by <group>', 'sum up usage and cost by day, model, project or agent')
    .option('--limit <number>', 'the number of sessions', '20')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (folders: string[], flags: SessionsFlags) => {
      const { listSessions } = await import('../sessions/list-sessions.ts')
      await listSessions(folders, flags, io)
    })
}
