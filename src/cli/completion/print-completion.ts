// `precis completion`: the script for a shell, made of the commands as they are.
import type { Command } from 'commander'
import { PrecisError } from '../../core/errors.ts'
import type { Io } from '../process-io.ts'
import { print } from '../terminal/terminal.ts'
import { buildGrammar, SHELLS } from './grammar.ts'
import { completionScript } from './scripts.ts'

/** `program` has all its commands with their options. */
export async function printCompletion(
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
  await print(io, { shell, script }, json, (told) => told.script)
}
