// `precis hook`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'

const HELP = `
precis install puts this into the configuration of an agent. It reads the event as JSON from standard input
and writes what the agent expects. It never fails: what goes wrong is shown by precis doctor.

Examples:
  precis hook claude-code < event.json

Exit codes: 0.`

export function define(command: Command, io: Io): void {
  command
    .argument('<agent>', 'the agent that runs it')
    .addHelpText('after', HELP)
    .action(async (agent: string) => {
      const { runHook } = await import('../../hosts/run-hook.ts')
      await runHook(agent, io)
    })
}
