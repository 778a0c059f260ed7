// `precis chat`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { ChatFlags } from '../chat.ts'
import { collect } from '../options.ts'
import type { Io } from '../process-io.ts'

const HELP = `
In it:
  /help lists the commands and the keys. /compact makes the context smaller: in the preset chat, which
  new threads have, it opens a fresh session with a summary. Ctrl+C twice, Ctrl+D or /exit leave.
  The thread that a chat begins with is not kept where nothing was said or done in it.

What it may do:
  It may read in the folder. Before it writes or runs something it asks, unless that is allowed:
  --allow or --yes.

Examples:
  precis chat --model dev                        try it without a key
  precis chat                                    a new thread with the model of your settings
  precis chat --continue                         go on where you left this folder
  precis chat thr_…                              go on in a thread
  precis chat --allow "run:npm test*" --preset precis

Exit codes: 0 left, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[thread]', 'go on in this thread; without it a new one begins')
    .option('-c, --continue', 'go on in the thread of this folder that was used last')
    .option('--model <name>', 'provider/model, or dev, the stand-in')
    .option('--preset <id>', 'how the thread is compacted')
    .option('--cwd <folder>', 'the folder that it works in', '.')
    .option('--plain', 'plain lines without colours and redrawing, as for a screen reader')
    .option(
      '--allow <pattern>',
      'what it may do without asking, as in "run:npm test*"; may be given again',
      collect,
    )
    .option('--yes', 'allow everything')
    .addHelpText('after', HELP)
    .action(async (thread: string | undefined, flags: ChatFlags) => {
      const { chat } = await import('../chat.ts')
      await chat(thread, flags, io)
    })
}
