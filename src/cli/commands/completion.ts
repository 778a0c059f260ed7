// `precis completion`: prints the script for a shell, made of the commands as they are.
import type { Command } from 'commander'
import { PrecisError } from '../../core/errors.ts'
import { buildGrammar, SHELLS } from '../completion/grammar.ts'
import { completionScript } from '../completion/scripts.ts'
import type { Io } from '../process-io.ts'
import { print } from '../terminal/terminal.ts'

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
      await printCompletion(command.parent ?? command, shell, flags.json, io)
    })
}

/** `program` has all its commands with their options. */
async function printCompletion(
  program: Command,
  given: string,
  json: boolean | undefined,
  io: Io,
): Promise<void> {
  const shell = SHELLS.find((known) => known === given)
  if (shell === undefined)
    throw new PrecisError('usage', `there is no completion for ${given}`, {
      where: given,
      hint: `Known shells: ${SHELLS.join(', ')}.`,
    })
  const script = completionScript(shell, buildGrammar(program))
  await print(io, { shell, script }, json, ({ script: text }) => text)
}
