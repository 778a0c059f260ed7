// `precis doctor`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
Checks Node, the settings, the data directory, the store, which API keys are set (never their values),
local models (Ollama, LM Studio) and the terminal. It sends nothing beyond this machine.
Each problem comes with its fix. docs/troubleshooting.md has more.

Examples:
  precis doctor
  precis doctor --json

Exit codes: 0 no problem found, 1 problems found.`

export function define(command: Command, io: Io): void {
  command
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: { json?: boolean }) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      await runDoctor(flags, io)
    })
}
