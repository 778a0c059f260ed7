// `precis uninstall`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { InstallFlags } from '../../hosts/install.ts'
import type { Io } from '../../process-io.ts'

const HELP = `
Restores the files that precis install changed, byte for byte. A file that has changed since
keeps its changes and loses only what précis added.

Examples:
  precis uninstall claude-code
  precis uninstall --all

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[agent...]', 'the agents')
    .option('--all', 'every agent')
    .option('--project', 'the installation for the project in this directory')
    .option('--dry-run', 'change nothing and show the files')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (agents: string[], flags: InstallFlags) => {
      const { uninstallHosts } = await import('../../hosts/install.ts')
      await uninstallHosts(agents, flags, io)
    })
}
