// The `precis` command: parses the arguments, runs a command, turns failures into exit codes.
import '../node-guard.ts'
import { CommanderError } from 'commander'
import { type Io, processIo } from './process-io.ts'
import { COMMAND_TABLE, programOf } from './program.ts'

/** Runs the command of `argv` (as Node has it: itself, the script, then the words) and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const [first, second] = argv.slice(2).filter((word) => !word.startsWith('-'))
  const asked = first === 'help' ? second : first
  try {
    // Completion is about all of them.
    const program = await programOf(io, (name) => name === asked || asked === 'completion')
    await program.parseAsync([...argv])
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return 2
    const { tellFailure } = await import('./terminal/failure.ts')
    const isCommand = COMMAND_TABLE.some(({ name }) => name === asked)
    return tellFailure(thrown, argv.includes('--json'), isCommand ? asked : undefined, io)
  }
}
