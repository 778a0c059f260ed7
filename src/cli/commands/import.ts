// `precis import`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { choosing } from '../sessions/choosing.ts'
import type { ImportFlags } from '../threads/import-sessions.ts'

const HELP = `
Every record of a file becomes an event, is kept unchanged, or is left out and listed. The report counts
them. Compactions that another tool recorded become compactions that you can undo. Sidechains become
separate threads. If a file fails, the store keeps nothing of it. A killed import
leaves a thread that \`precis threads\` marks as partial; run the same import again to continue it.
A file that is already in the store makes no second thread. If it has grown, only its new end is added. If it
was rewritten, it becomes a new thread that names the earlier one.

Examples:
  precis import session.jsonl
  precis import ~/archive/sessions
  precis import --all
  precis import chat.json --format openai-chat --title "the outage"

Exit codes: 0 done, 1 a file could not be imported, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session...]', 'session files, directories or ids; - reads standard input')
    .option('--all', 'every session on this machine, as precis sync does')
    .option('--format <id>', 'the format of the files (default: detected)')
    .option('--title <text>', 'the title of the thread')
    .option(
      '--no-records',
      'do not keep the original records: half the size, but no export in the same format',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string[], flags: ImportFlags & { all?: boolean }) => {
      if (flags.all && given.length === 0) {
        const { runSync } = await import('../sessions/sync-sessions.ts')
        return runSync(flags, io)
      }
      const { importSessions } = await import('../threads/import-sessions.ts')
      await importSessions(given, flags, io)
    })
  choosing(command)
}
