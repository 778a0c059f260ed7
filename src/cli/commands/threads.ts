// Commands for stored threads and for talking in them: options and help. Actions are loaded on demand.
import type { Command } from 'commander'
import type { ChatFlags } from '../chat.ts'
import type { Definitions, Io } from '../process-io.ts'
import { collect, collectTexts } from '../terminal/arguments.ts'
import type { SendFlags } from '../threads/send-message.ts'
import type { PinsFlags, ThreadsFlags } from '../threads/thread-commands.ts'

export const definitions: Definitions = {
  threads: defineThreads,
  fork: defineFork,
  pins: definePins,
  chat: defineChat,
  send: defineSend,
}

const THREADS_HELP = `
Examples:
  precis threads
  precis threads --limit 5 --json
  precis threads rm thr_…`

function defineThreads(command: Command, io: Io): void {
  command
    .option('--limit <number>', 'the number of threads, from 1 to 1000', '20')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', THREADS_HELP)
    .action(async (flags: ThreadsFlags) => {
      const { listThreads } = await import('../threads/thread-commands.ts')
      await listThreads(flags, io)
    })
  command
    .command('rm')
    .description('remove threads from the store; their forks and session files stay')
    .argument('<thread...>', 'the threads')
    .option('--json', 'print the result as JSON')
    .action(async (threads: string[], _: unknown, rm: Command) => {
      const { removeThreads } = await import('../threads/thread-commands.ts')
      // Options before and after `rm` count alike.
      await removeThreads(threads, rm.optsWithGlobals(), io)
    })
}

const FORK_HELP = `
The new thread shares every event up to --at and then continues independently. The original does not
change.

Examples:
  precis fork thr_…
  precis fork thr_… --at 40 --json

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineFork(command: Command, io: Io): void {
  command
    .argument('<thread>', 'the thread to fork')
    .option('--at <event>', 'the last event to share (default: the newest)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', FORK_HELP)
    .action(async (thread: string, flags: { at?: string; json?: boolean }) => {
      const { forkThread } = await import('../threads/thread-commands.ts')
      await forkThread(thread, flags, io)
    })
}

const PINS_HELP = `
A pin survives every compaction word for word, with any strategy.

Examples:
  precis pins thr_…
  precis pins thr_… --add "Never touch the migrations."
  precis pins thr_… --remove pin_…

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function definePins(command: Command, io: Io): void {
  command
    .argument('<thread>', 'the thread')
    .option('--add <text>', 'pin a text; repeatable', collectTexts('--add'))
    .option('--remove <id>', 'remove a pin; repeatable', collect)
    .option('--json', 'print the pins as JSON')
    .addHelpText('after', PINS_HELP)
    .action(async (thread: string, flags: PinsFlags) => {
      const { changePins } = await import('../threads/thread-commands.ts')
      await changePins(thread, flags, io)
    })
}

const CHAT_HELP = `
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

function defineChat(command: Command, io: Io): void {
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
    .addHelpText('after', CHAT_HELP)
    .action(async (thread: string | undefined, flags: ChatFlags) => {
      const { chat } = await import('../chat.ts')
      await chat(thread, flags, io)
    })
}

const SEND_HELP = `
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

function defineSend(command: Command, io: Io): void {
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
    .addHelpText('after', SEND_HELP)
    .action(async (message: string, flags: SendFlags) => {
      const { sendMessage } = await import('../threads/send-message.ts')
      await sendMessage(message, flags, io)
    })
}
