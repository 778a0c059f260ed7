// `precis diff`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import type { DiffFlags } from '../threads/diff-sessions.ts'

const HELP = `
With one session, shows what its last compaction removed and added. That includes compactions that another
tool recorded, and precis compact --in-place on a file. An undone compaction does not count.
With two sessions, shows what only one of them contains.

Examples:
  precis diff thr_…
  precis diff thr_… --from 40 --to 80
  precis diff session.jsonl smaller.jsonl
  precis diff session.jsonl --full | less

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session]', 'a thread, a session file or an id')
    .argument('[other]', 'a second one to compare with')
    .option('--from <event>', 'compare the context after this event …')
    .option('--to <event>', '… with the context after this event (default: now)')
    .option('--full', 'show every removed and added line')
    .option('--format <id>', 'the format of the files (default: detected)')
    .option('--json', 'print the difference as JSON')
    .addHelpText('after', HELP)
    .action(
      async (one: string | undefined, two: string | undefined, flags: DiffFlags & ChosenBy) => {
        const { chooseSession } = await import('../sessions/choose-sessions.ts')
        const { diffSessions } = await import('../threads/diff-sessions.ts')
        const session = (await chooseSession(one, flags, io)) ?? ''
        await diffSessions(session, await chooseSession(two, {}, io), flags, io)
      },
    )
  choosing(command)
}
