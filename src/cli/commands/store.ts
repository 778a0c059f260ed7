// `precis store`: subcommands, options and help. Their actions are loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { StoreFlags } from '../threads/store-work.ts'

const HELP = `
A store is \`home\` (the store of your settings), the path of a SQLite file, or postgres://….

Examples:
  precis store copy home backup.db                            back up, even while an agent works
  precis store copy home postgres://me@host/team              copy everything to PostgreSQL
  precis store check
  precis store check backup.db --repair --json`

export function define(command: Command, io: Io): void {
  command.addHelpText('after', HELP)
  command
    .command('copy')
    .description('copy all threads to another store; run it again to continue')
    .argument('<from>', 'the source store')
    .argument('<to>', 'the target store, created if it does not exist')
    .option('--json', 'print the report as JSON')
    .action(async (from: string, to: string, flags: StoreFlags) => {
      const { copyStores } = await import('../threads/store-work.ts')
      await copyStores(from, to, flags, io)
    })
  command
    .command('check')
    .description(
      'verify logs by their hashes, folds and snapshots, and print a hash of the content',
    )
    .argument('[store]', 'the store', 'home')
    .option('--repair', 'delete wrong derived data and rebuild the search index')
    .option('--accept', 'with --repair: accept and list what fails verification or a copy left out')
    .option('--json', 'print the report as JSON')
    .action(async (address: string, flags: StoreFlags) => {
      const { checkOneStore } = await import('../threads/store-work.ts')
      await checkOneStore(address, flags, io)
    })
}
