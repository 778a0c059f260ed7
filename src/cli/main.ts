// The `precis` command: parses the arguments, runs a command, turns failures into exit codes.
import '../node-guard.ts'
import { type Command, CommanderError } from 'commander'
import { nearestWord } from '../core/text/words.ts'
import { type Io, processIo } from './process-io.ts'
import { COMMAND_TABLE, programOf } from './program.ts'

/** Runs the command of `argv` (as Node has it: itself, the script, then the words) and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const [first, second] = argv.slice(2).filter((word) => !word.startsWith('-'))
  const asked = first === 'help' ? second : first
  let program: Command | undefined
  try {
    // Completion is about all of them.
    program = await programOf(io, (name) => name === asked || asked === 'completion')
    if (first === 'help' && second !== undefined && !isCommand(second)) throw unknownCommand(second)
    await program.parseAsync([...argv])
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return 2
    const { tellFailure } = await import('./terminal/failure.ts')
    return tellFailure(thrown, argv.includes('--json'), helpOf(program, asked, second), io)
  }
}

function isCommand(word: string | undefined): boolean {
  return COMMAND_TABLE.some(({ name }) => name === word)
}

/** The words before `--help` that show what was asked for: a command, with its own command where it has one. */
function helpOf(
  program: Command | undefined,
  asked: string | undefined,
  second: string | undefined,
): string | undefined {
  if (!isCommand(asked)) return undefined
  const own = program?.commands.find((command) => command.name() === asked)?.commands ?? []
  return own.some((command) => command.name() === second) ? `${asked} ${second}` : asked
}

/** As the parser says it of a command that is run. */
function unknownCommand(word: string): CommanderError {
  const near = nearestWord(
    word,
    COMMAND_TABLE.map(({ name }) => name),
  )
  const suggestion = near === undefined ? '' : `\n(Did you mean ${near}?)`
  return new CommanderError(
    2,
    'commander.unknownCommand',
    `error: unknown command '${word}'${suggestion}`,
  )
}
