// Options that replace a session's name, in every command that takes one.
import type { Command } from 'commander'

export interface ChosenBy {
  readonly last?: boolean
  readonly here?: boolean
}

export function choosing(command: Command): void {
  command
    .option('--last', 'the newest session on this machine, of any agent')
    .option('--here', 'the sessions of this directory; with --last the newest of them')
}
