// `precis send`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'
import { collect } from '../../terminal/arguments.ts'
import type { SendFlags } from '../../threads/send-message.ts'

const HELP = `
Output:
  The answer is streamed to standard output. Tool calls, notices and compactions go to standard error.
  --json prints one JSON object at the end instead: the thread, the answer, the cost and the window.

Permissions:
  The agent may read files in the working directory. To let it write files and run commands, pass --allow
  or --yes.

Examples:
  precis send --model dev "read package.json"
  precis send --thread thr_… "and now run the tests" --allow "run:npm test*"
  precis send --preset range --yes "refactor the parser"
  echo "a long question" | precis send -

Exit codes: 0 answered, 1 failed, 2 wrong usage or settings. Ctrl-C stops the turn; the thread stays valid.`

export function define(command: Command, io: Io): void {
  command
    .argument('<message>', 'the message, or a command such as /compact; - reads standard input')
    .option('--model <name>', 'provider/model, or dev for the built-in stand-in')
    .option('--thread <id>', 'the thread to continue (default: a new one)')
    .option('--cwd <dir>', 'the working directory', '.')
    .option('--preset <id>', 'how to compact the thread: a preset (docs/configuration.md)')
    .option(
      '--allow <pattern>',
      'allow this without asking, as in "run:npm test*"; repeatable',
      collect,
    )
    .option('--yes', 'allow everything without asking')
    .option('--read-only', 'write no file and run no command')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (message: string, flags: SendFlags) => {
      const { sendMessage } = await import('../../threads/send-message.ts')
      await sendMessage(message, flags, io)
    })
}
