// `precis fork`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'

const HELP = `
The new thread shares every event up to --at and then continues independently. The original does not
change.

Examples:
  precis fork thr_…
  precis fork thr_… --at 40 --json

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<thread>', 'the thread to fork')
    .option('--at <event>', 'the last event to share (default: the newest)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (thread: string, flags: { at?: string; json?: boolean }) => {
      const { forkThread } = await import('../../threads/thread-commands.ts')
      await forkThread(thread, flags, io)
    })
}
