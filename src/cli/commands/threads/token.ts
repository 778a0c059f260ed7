// `precis token`: subcommands, options and help. Their actions are loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../../process-io.ts'
import type { TokenFlags } from '../../serve/serve-tokens.ts'

const HELP = `
A token gives access to a server on this store (precis serve). It is shown once; the store keeps only its
hash. A thread belongs to the owner of the token that created it.

Examples:
  precis token add ada                            for Ada, who owns the threads she creates
  precis token add phone --owner ada              the same threads from another device
  precis token add me --owner local               the threads of the commands on this machine
  precis token revoke phone                       takes effect at once, on every process`

export function define(command: Command, io: Io): void {
  command.addHelpText('after', HELP)
  command
    .command('add')
    .description('create a token and print it once')
    .argument('<name>', 'the name of the token')
    .option('--owner <name>', 'the owner of its threads (default: the name)')
    .option('--store <address>', 'the store (default: from the settings)')
    .option('--json', 'print the token as JSON')
    .action(async (name: string, flags: TokenFlags) => {
      const { addOne } = await import('../../serve/serve-tokens.ts')
      await addOne(name, flags, io)
    })
  command
    .command('list')
    .description('list the valid tokens by name')
    .option('--store <address>', 'the store (default: from the settings)')
    .option('--json', 'print the list as JSON')
    .action(async (flags: TokenFlags) => {
      const { listAll } = await import('../../serve/serve-tokens.ts')
      await listAll(flags, io)
    })
  command
    .command('revoke')
    .description('revoke a token')
    .argument('<name>', 'the name of the token')
    .option('--store <address>', 'the store (default: from the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (name: string, flags: TokenFlags) => {
      const { revokeOne } = await import('../../serve/serve-tokens.ts')
      await revokeOne(name, flags, io)
    })
}
