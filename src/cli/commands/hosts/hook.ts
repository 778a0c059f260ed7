// `precis hook`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'

const HELP = `
precis install puts this into the configuration of an agent. It reads the event as JSON from standard input
and writes what the agent expects. It never fails, even with a wrong or missing agent; precis doctor shows
what went wrong.

Examples:
  precis hook claude-code < event.json

Exit codes: 0.`

export function define(command: Command, io: Io): void {
  command
    .argument('[agent]', 'the agent that runs it: claude-code, codex, opencode or pi')
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText('after', HELP)
    .argument(
      '[aside]',
      'aside: the agent does not wait; read the session, keep it for the next hook',
    )
    .action(async (agent: string | undefined, aside: string | undefined) => {
      const { runHook } = await import('../../hosts/run-hook.ts')
      await runHook(agent, io, aside === 'aside')
    })
}
