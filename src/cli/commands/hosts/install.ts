// `precis install`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { InstallFlags } from '../../hosts/install.ts'
import type { Io } from '../../process-io.ts'

const HELP = `
Agents: claude-code, codex, opencode, pi

Changes the agent's own configuration: hooks around its compaction, and the MCP server precis. Nothing runs
unless the agent starts it. It keeps a backup. precis uninstall restores each file byte for byte; if you
have changed a file since, it removes only what précis added. Run it again after you move or update précis.
--all skips an agent if neither its directory nor its program is on this machine.
docs/use-with-agents.md says what it does in each agent.

Examples:
  precis install claude-code
  precis install --all --dry-run
  precis install codex --project
  precis install --status

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[agent...]', 'the agents')
    .option('--all', 'every agent that is on this machine')
    .option('--project', 'only for the project in this directory (default: for you)')
    .option('--dry-run', 'change nothing and show the files')
    .option('--status', 'show what is installed')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (agents: string[], flags: InstallFlags) => {
      const { installHosts } = await import('../../hosts/install.ts')
      await installHosts(agents, flags, io)
    })
}
