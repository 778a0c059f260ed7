// `precis start`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
Needs no key and no network, and changes nothing. In a checkout, npm start does the same.

Examples:
  precis start
  precis start ~/.claude/projects/my-project/session.jsonl
  precis start thr_…

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file, a thread or an id (default: the sample session)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, flags: ChosenBy & { json?: boolean }) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { start } = await import('../start.ts')
      await start(await chooseSession(given, flags, io), flags, io)
    })
  choosing(command)
}
