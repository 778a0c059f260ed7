// `precis token`: its subcommands, their options and help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { TokenFlags } from '../serve-tokens.ts'

const HELP = `
A token opens a server on this store to whoever has it: \`precis serve\`. It is shown once; the store keeps
its hash. Threads belong to the owner of the token that began them.

Examples:
  precis token add ada                            for Ada, who owns what she begins
  precis token add phone --owner ada              the same threads from another device
  precis token add me --owner local               the threads of this machine's commands
  precis token revoke phone                       from now on, on every process`

export function define(command: Command, io: Io): void {
  command.addHelpText('after', HELP)
  command
    .command('add')
    .description('make a token and print it, this once')
    .argument('<name>', 'what it is called in the list')
    .option('--owner <name>', 'whose threads it opens; without it, those of its own name')
    .option('--store <address>', 'in place of the store of your settings')
    .option('--json', 'print it as JSON')
    .action(async (name: string, flags: TokenFlags) => {
      const { addOne } = await import('../serve-tokens.ts')
      await addOne(name, flags, io)
    })
  command
    .command('list')
    .description('the tokens in force, by name')
    .option('--store <address>', 'in place of the store of your settings')
    .option('--json', 'print the list as JSON')
    .action(async (flags: TokenFlags) => {
      const { listAll } = await import('../serve-tokens.ts')
      await listAll(flags, io)
    })
  command
    .command('revoke')
    .description('make a token worthless')
    .argument('<name>', 'the name of the token')
    .option('--store <address>', 'in place of the store of your settings')
    .option('--json', 'print what was done as JSON')
    .action(async (name: string, flags: TokenFlags) => {
      const { revokeOne } = await import('../serve-tokens.ts')
      await revokeOne(name, flags, io)
    })
}
