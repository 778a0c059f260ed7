// `precis chat`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { ChatFlags } from '../../chat.ts'
import type { Io } from '../../process-io.ts'
import { collect } from '../../terminal/arguments.ts'

const HELP = `
In the chat:
  /help lists commands and keys. /compact makes the context smaller. New threads have the preset chat:
  there, /compact opens a fresh session that starts with a summary.
  Ctrl+C twice, Ctrl+D or /exit leave the chat. A new thread without messages is not saved.

Permissions:
  The agent may read files in the working directory. It asks before it writes a file or runs a command,
  unless --allow or --yes allows it.

Examples:
  precis chat --model dev                        try it without a key
  precis chat                                    start a thread with your default model
  precis chat --continue                         continue the last thread of this directory
  precis chat thr_…                              continue a thread
  precis chat --allow "run:npm test*" --preset precis

Exit codes: 0 you left the chat, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[thread]', 'the thread to continue (default: a new one)')
    .option('-c, --continue', 'continue the last thread of this directory')
    .option('--model <name>', 'provider/model, or dev for the built-in stand-in')
    .option('--preset <id>', 'how to compact the thread: a preset (docs/configuration.md)')
    .option('--cwd <dir>', 'the working directory', '.')
    .option('--plain', 'plain lines without colours or redrawing, for screen readers')
    .option(
      '--allow <pattern>',
      'allow this without asking, as in "run:npm test*"; repeatable',
      collect,
    )
    .option('--yes', 'allow everything without asking')
    .addHelpText('after', HELP)
    .action(async (thread: string | undefined, flags: ChatFlags) => {
      const { chat } = await import('../../chat.ts')
      await chat(thread, flags, io)
    })
}
