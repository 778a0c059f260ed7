// `precis undo`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
A thread: its last compaction is taken back, and the context is what it was; nothing is lost.
A file: what precis compact --in-place made of it is taken back, byte for byte, unless somebody has gone
on writing to it.

Examples:
  precis undo thr_…
  precis undo session.jsonl

Exit codes: 0 done, 1 failed and nothing was changed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<session>', 'a thread, or a session file')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string, flags: { json?: boolean }) => {
      const { reverseChange } = await import('../thread-commands.ts')
      await reverseChange('undo', session, flags, io)
    })
}
