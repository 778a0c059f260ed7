// `precis store`: its subcommands, their options and help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { StoreFlags } from '../store-work.ts'

const HELP = `
A store is \`home\` (your own, as the settings name it), the path of a SQLite file, or postgres://….

Examples:
  precis store copy home backup.db                            a backup, also while an agent works
  precis store copy home postgres://me@host/team              everything into PostgreSQL
  precis store check
  precis store check backup.db --repair --json`

export function define(command: Command, io: Io): void {
  command.addHelpText('after', HELP)
  command
    .command('copy')
    .description('copy all threads into another store; again, it goes on where it was')
    .argument('<from>', 'a store')
    .argument('<to>', 'another one, there or to be made')
    .option('--json', 'print the report as JSON')
    .action(async (from: string, to: string, flags: StoreFlags) => {
      const { copyStores } = await import('../store-work.ts')
      await copyStores(from, to, flags, io)
    })
  command
    .command('check')
    .description('verify logs by their hashes, folds and snapshots, and print a hash of it all')
    .argument('[store]', 'a store', 'home')
    .option('--repair', 'throw away what is derived and wrong, and make the search index anew')
    .option(
      '--accept',
      'with --repair: accept, and list, what cannot be verified or a copy left out',
    )
    .option('--json', 'print the report as JSON')
    .action(async (address: string, flags: StoreFlags) => {
      const { checkOneStore } = await import('../store-work.ts')
      await checkOneStore(address, flags, io)
    })
}
