// `precis fork`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'

const HELP = `
The new thread shares everything up to the event, and goes on by itself; the other stays as it is.

Examples:
  precis fork thr_…
  precis fork thr_… --at 40 --json

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<thread>', 'the thread to share the past of')
    .option('--at <event>', 'up to this event; without it all of it')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', HELP)
    .action(async (thread: string, flags: { at?: string; json?: boolean }) => {
      const { forkThread } = await import('../thread-commands.ts')
      await forkThread(thread, flags, io)
    })
}
