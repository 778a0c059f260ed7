// The `precis` command: parses the arguments, runs a command, turns failures into exit codes.
import '../node-guard.ts'
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { secretsOf } from '../redact/known.ts'
import { checkCommand } from './commands/check.ts'
import { compactCommand } from './commands/compact.ts'
import { devModelCommand } from './commands/dev-model.ts'
import { edlCommand } from './commands/edl.ts'
import { sendCommand } from './commands/send.ts'
import { threadsCommand } from './commands/threads.ts'
import { failureOf, printFailure } from './failure.ts'
import { writeStream } from './io.ts'

const HELP = `
Examples:
  precis compact session.json                          show what a compaction would save
  precis compact session.json --output smaller.json    write the result
  precis compact --help                                all options of a command`

/** Runs the command of `argv` (as in `process.argv`) and gives its exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  // A reader that goes away must not end in a stack trace; the writes themselves report errors.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    await programOf().parseAsync([...argv])
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return 2
    const error = failureOf(thrown)
    const secrets = secretsOf(process.env)
    await writeStream(process.stderr, printFailure(error, argv.includes('--json'), secrets))
    return error.exitCode
  }
}

function programOf(): Command {
  const program = new Command('precis')
    .description('Keeps language-model agents inside their context window without losing anything.')
    .version(version())
    .addHelpText('after', HELP)
    .exitOverride()
    // Errors are told once, in our words, where they are caught.
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError()
  compactCommand(program)
  sendCommand(program)
  threadsCommand(program)
  checkCommand(program)
  devModelCommand(program)
  edlCommand(program)
  for (const command of program.commands) command.copyInheritedSettings(program)
  return program
}

function version(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  const { version: number }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return number
}
