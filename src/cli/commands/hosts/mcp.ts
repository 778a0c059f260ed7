// `precis mcp`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { McpFlags } from '../../mcp/run-mcp.ts'
import type { Io } from '../../process-io.ts'

const HELP = `
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

export function define(command: Command, io: Io): void {
  command
    .option('--http', 'listen on 127.0.0.1 instead of standard input')
    .option('--port <number>', 'with --http: the port to listen on (default: a free one)')
    .option('--project-only', 'serve only the sessions of the working directory')
    .option('--no-sync', 'answer from the store as it is, without looking for new sessions')
    .addHelpText('after', HELP)
    .action(async (flags: McpFlags) => {
      const { runMcp } = await import('../../mcp/run-mcp.ts')
      await runMcp(flags, io)
    })
}
