// `precis threads`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { ThreadsFlags } from '../threads/list-threads.ts'

const HELP = `
Examples:
  precis threads
  precis threads --limit 5 --json`

export function define(command: Command, io: Io): void {
  command
    .option('--limit <number>', 'the number of threads, from 1 to 1000', '20')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: ThreadsFlags) => {
      const { listThreads } = await import('../threads/list-threads.ts')
      await listThreads(flags, io)
    })
}
