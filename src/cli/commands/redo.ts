// `precis redo`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
Examples:
  precis redo thr_…
  precis redo session.jsonl

Exit codes: 0 done, 1 failed and nothing was changed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<session>', 'a thread or a session file')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string, flags: { json?: boolean }) => {
      const { reverseChange } = await import('../threads/thread-commands.ts')
      await reverseChange('redo', session, flags, io)
    })
}
