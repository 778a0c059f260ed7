// `precis undo` and `precis redo`: options and help. Their action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed and nothing was changed, 2 wrong usage or settings.'

const UNDO_HELP = `
A thread: reverts its last compaction and restores the context. Nothing is lost.
A file: restores the backup of precis compact --in-place, byte for byte. It fails if the file has changed
since.

Examples:
  precis undo thr_…
  precis undo session.jsonl

${EXIT_CODES}`

const REDO_HELP = `
Examples:
  precis redo thr_…
  precis redo session.jsonl

${EXIT_CODES}`

export function define(command: Command, io: Io): void {
  const way = command.name() === 'redo' ? 'redo' : 'undo'
  command
    .argument('[session...]', 'threads, session files, directories or ids')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', way === 'redo' ? REDO_HELP : UNDO_HELP)
    .action(async (given: string[], flags: ChosenBy & { json?: boolean }) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { reverseChange } = await import('../threads/thread-commands.ts')
      await eachSession(given, { ...flags, isChanged: true }, io, (session, io) =>
        reverseChange(way, session, flags, io),
      )
    })
  choosing(command)
}
