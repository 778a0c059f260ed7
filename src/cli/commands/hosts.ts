// Commands for précis inside other agents: options and help. Actions are loaded on demand.
import type { Command } from 'commander'
import type { HandoffFlags } from '../hosts/handoff.ts'
import type { InstallFlags } from '../hosts/install.ts'
import type { McpFlags } from '../mcp/run-mcp.ts'
import type { Definitions, Io } from '../process-io.ts'
import { choosing } from '../sessions/choosing.ts'

export const definitions: Definitions = {
  install: defineInstall,
  uninstall: defineUninstall,
  handoff: defineHandoff,
  mcp: defineMcp,
  hook: defineHook,
}

const INSTALL_HELP = `
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

function defineInstall(command: Command, io: Io): void {
  command
    .argument('[agent...]', 'the agents')
    .option('--all', 'every agent that is on this machine')
    .option('--project', 'only for the project in this directory (default: for you)')
    .option('--dry-run', 'change nothing and show the files')
    .option('--status', 'show what is installed')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', INSTALL_HELP)
    .action(async (agents: string[], flags: InstallFlags) => {
      const { installHosts } = await import('../hosts/install.ts')
      await installHosts(agents, flags, io)
    })
}

const UNINSTALL_HELP = `
Restores the files that precis install changed, byte for byte. A file that has changed since
keeps its changes and loses only what précis added.

Examples:
  precis uninstall claude-code
  precis uninstall --all

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineUninstall(command: Command, io: Io): void {
  command
    .argument('[agent...]', 'the agents')
    .option('--all', 'every agent')
    .option('--project', 'the installation for the project in this directory')
    .option('--dry-run', 'change nothing and show the files')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', UNINSTALL_HELP)
    .action(async (agents: string[], flags: InstallFlags) => {
      const { uninstallHosts } = await import('../hosts/install.ts')
      await uninstallHosts(agents, flags, io)
    })
}

const HANDOFF_HELP = `
Writes the context of a session where the other agent keeps its sessions, and prints the command that opens
it there. The original session is not changed. The report lists content that the other agent cannot hold. Likely
secrets are removed unless you pass --raw.

Examples:
  precis handoff --to codex
  precis handoff 3f2a91c0 --to claude-code
  precis handoff thr_… --to pi --json

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineHandoff(command: Command, io: Io): void {
  command
    .argument(
      '[session]',
      'a session file, an id or a thread (default: the newest of this directory)',
    )
    .option('--to <agent>', 'the agent to continue in: claude-code, codex, opencode or pi')
    .option('--raw', 'keep likely secrets in the result')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HANDOFF_HELP)
    .action(async (session: string | undefined, flags: HandoffFlags) => {
      const { handOff } = await import('../hosts/handoff.ts')
      await handOff(session, flags, io)
    })
  choosing(command)
}

const MCP_HELP = `
Speaks the Model Context Protocol over standard input and output; an agent starts it (precis install).
With --http it listens on this machine and prints its address and token as JSON.

Tools:      recall, show, pins, constraints, files, sessions, compact
Resources:  precis://sessions, precis://brief/THREAD
Prompts:    hand-over

It serves the threads that commands on this machine created: all of them, or with --project-only those of the
working directory. Likely secrets are removed, and text from transcripts is marked as data.

Examples:
  precis mcp
  precis mcp --project-only
  precis mcp --http --port 4748

Exit codes: 0 the client disconnected, 1 failed, 2 wrong usage or settings.`

function defineMcp(command: Command, io: Io): void {
  command
    .option('--http', 'listen on 127.0.0.1 instead of standard input')
    .option('--port <number>', 'with --http: the port to listen on (default: a free one)')
    .option('--project-only', 'serve only the sessions of the working directory')
    .option('--no-sync', 'answer from the store as it is, without looking for new sessions')
    .addHelpText('after', MCP_HELP)
    .action(async (flags: McpFlags) => {
      const { runMcp } = await import('../mcp/run-mcp.ts')
      await runMcp(flags, io)
    })
}

const HOOK_HELP = `
precis install puts this into the configuration of an agent. It reads the event as JSON from standard input
and writes what the agent expects. It never fails, even with a wrong or missing agent; precis doctor shows
what went wrong.

Examples:
  precis hook claude-code < event.json

Exit codes: 0.`

function defineHook(command: Command, io: Io): void {
  command
    .argument('[agent]', 'the agent that runs it: claude-code, codex, opencode or pi')
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText('after', HOOK_HELP)
    .argument(
      '[aside]',
      'aside: the agent does not wait; read the session, keep it for the next hook',
    )
    .action(async (agent: string | undefined, aside: string | undefined) => {
      const { runHook } = await import('../hosts/run-hook.ts')
      await runHook(agent, io, aside === 'aside')
    })
}
