// `precis send`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import { collect } from '../options.ts'
import type { Io } from '../process-io.ts'
import type { SendFlags } from '../send-message.ts'

const HELP = `
Where things go:
  The answer is streamed to standard output; tools, notices and compactions to standard error.
  --json prints one JSON object at the end instead: the thread, the answer, the bill, the window.

What it may do:
  It may read in the folder. To write and to run commands, allow it: --allow or --yes.

Examples:
  precis send --model dev "read package.json"
  precis send --thread thr_… "and now run the tests" --allow "run:npm test*"
  precis send --preset range --yes "refactor the parser"
  echo "a long question" | precis send -

Exit codes: 0 answered, 1 failed, 2 wrong usage or settings. Ctrl-C stops the turn; the thread stays valid.`

export function define(command: Command, io: Io): void {
  command
    .argument('<message>', 'what to say, or a command such as /compact; - is standard input')
    .option('--model <name>', 'provider/model, or dev, the stand-in')
    .option('--thread <id>', 'go on in this thread; without it a new one begins')
    .option('--cwd <folder>', 'the folder that it works in', '.')
    .option('--preset <id>', 'how the thread is compacted')
    .option(
      '--allow <pattern>',
      'what it may do without asking, as in "run:npm test*"; may be given again',
      collect,
    )
    .option('--yes', 'allow everything')
    .option('--read-only', 'nothing is written and nothing is run')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', HELP)
    .action(async (message: string, flags: SendFlags) => {
      const { sendMessage } = await import('../send-message.ts')
      await sendMessage(message, flags, io)
    })
}
