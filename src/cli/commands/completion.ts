// `precis completion`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
Examples:
  source <(precis completion bash)
  precis completion zsh > "\${fpath[1]}/_precis"
  precis completion fish > ~/.config/fish/completions/precis.fish

Exit codes: 0 done, 2 wrong usage.`

export function define(command: Command, io: Io): void {
  command
    .argument('<shell>', 'bash, zsh or fish')
    .option('--json', 'print the script in a JSON object')
    .addHelpText('after', HELP)
    .action(async (shell: string, flags: { json?: boolean }) => {
      const { printCompletion } = await import('../completion/print-completion.ts')
      await printCompletion(command.parent ?? command, shell, flags.json, io)
    })
}
