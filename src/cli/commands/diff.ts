// `precis diff`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { DiffFlags } from '../diff-sessions.ts'
import type { Io } from '../process-io.ts'

const HELP = `
One session: what its last compaction took out and put in, also one that another tool recorded, and what
precis compact --in-place did to a file; what was undone does not count. Two sessions: what one says and
the other does not.

Examples:
  precis diff thr_…
  precis diff thr_… --from 40 --to 80
  precis diff session.jsonl smaller.jsonl
  precis diff session.jsonl --full | less

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<session>', 'a thread or a session file')
    .argument('[other]', 'another one to compare it with')
    .option('--from <event>', 'the context after this event')
    .option('--to <event>', 'and after this one; with --from alone as it is now')
    .option('--full', 'show every line of what went and came')
    .option('--format <id>', 'the format of the files, where their content does not tell')
    .option('--json', 'print the difference as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string, other: string | undefined, flags: DiffFlags) => {
      const { diffSessions } = await import('../diff-sessions.ts')
      await diffSessions(session, other, flags, io)
    })
}
