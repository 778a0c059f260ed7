// `precis threads`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'
import type { ThreadsFlags } from '../../threads/list-threads.ts'

const HELP = `
Examples:
  precis threads
  precis threads --limit 5 --json
  precis threads rm thr_…`

export function define(command: Command, io: Io): void {
  command
    .option('--limit <number>', 'the number of threads, from 1 to 1000', '20')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: ThreadsFlags) => {
      const { listThreads } = await import('../../threads/list-threads.ts')
      await listThreads(flags, io)
    })
  command
    .command('rm')
    .description('remove threads from the store; their forks and session files stay')
    .argument('<thread...>', 'the threads')
    .option('--json', 'print the result as JSON')
    .action(async (threads: string[], _: unknown, rm: Command) => {
      const { removeThreads } = await import('../../threads/list-threads.ts')
      // Words before and after `rm` count alike.
      await removeThreads(threads, rm.optsWithGlobals(), io)
    })
}
