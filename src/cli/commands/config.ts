// `precis config`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { ConfigFlags } from '../settings/show-config.ts'

const HELP = `
Settings come from five places: the defaults, your own file, the project's file, the environment
(PRECIS_…) and the options of a command. A later place wins. An unknown key is an error that names the
nearest known key. docs/configuration.md describes every setting.

Examples:
  precis config
  precis config --json | jq '.settings[] | select(.origin != "default")'
  precis config --schema > precis-settings.schema.json

With {"$schema": "precis-settings.schema.json", …} in a settings file, editors complete and check it.

Exit codes: 0 done, 1 failed, 2 a setting is invalid.`

export function define(command: Command, io: Io): void {
  command
    .option('--schema', 'print the JSON schema of settings files, for editors')
    .option('--json', 'print the settings as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: ConfigFlags) => {
      const { showConfig } = await import('../settings/show-config.ts')
      await showConfig(flags, io)
    })
}
