// `precis pins`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'
import { collect, collectTexts } from '../../terminal/arguments.ts'
import type { PinsFlags } from '../../threads/thread-commands.ts'

const HELP = `
A pin survives every compaction word for word, with any strategy.

Examples:
  precis pins thr_…
  precis pins thr_… --add "Never touch the migrations."
  precis pins thr_… --remove pin_…

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<thread>', 'the thread')
    .option('--add <text>', 'pin a text; repeatable', collectTexts('--add'))
    .option('--remove <id>', 'remove a pin; repeatable', collect)
    .option('--json', 'print the pins as JSON')
    .addHelpText('after', HELP)
    .action(async (thread: string, flags: PinsFlags) => {
      const { changePins } = await import('../../threads/thread-commands.ts')
      await changePins(thread, flags, io)
    })
}
