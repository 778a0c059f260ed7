// `precis doctor`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
It looks at Node, the settings, the folder for state, the store, which keys are set (never what they are),
models on this machine (Ollama, LM Studio), and the terminal. Nothing is sent beyond this machine.
Each fault comes with its fix; docs/troubleshooting.md has more.

Examples:
  precis doctor
  precis doctor --json

Exit codes: 0 nothing is wrong, 1 something is.`

export function define(command: Command, io: Io): void {
  command
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: { json?: boolean }) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      await runDoctor(flags, io)
    })
}
