// `precis undo`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
A thread: reverts its last compaction and restores the context. Nothing is lost.
A file: restores the backup of precis compact --in-place, byte for byte. It fails if the file has changed
since.

Examples:
  precis undo thr_…
  precis undo session.jsonl

Exit codes: 0 done, 1 failed and nothing was changed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session...]', 'threads, session files, directories or ids')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string[], flags: ChosenBy & { json?: boolean }) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { reverseChange } = await import('../threads/thread-commands.ts')
      await eachSession(given, flags, io, (session, io) =>
        reverseChange('undo', session, flags, io),
      )
    })
  choosing(command)
}
