// `precis start`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
Needs no key and no network, and changes nothing. In a checkout, npm start does the same.

Examples:
  precis start
  precis start ~/.claude/projects/my-project/session.jsonl
  precis start thr_…

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file or a thread (default: the sample session)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string | undefined, flags: { json?: boolean }) => {
      const { start } = await import('../start.ts')
      await start(session, flags, io)
    })
}
