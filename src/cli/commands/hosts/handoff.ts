// `precis handoff`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { HandoffFlags } from '../../hosts/handoff.ts'
import type { Io } from '../../process-io.ts'
import { choosing } from '../../sessions/choosing.ts'

const HELP = `
Writes the context of a session where the other agent keeps its sessions, and prints the command that opens
it there. The original session is not changed. The report lists content that the other agent cannot hold. Likely
secrets are removed unless you pass --raw.

Examples:
  precis handoff --to codex
  precis handoff 3f2a91c0 --to claude-code
  precis handoff thr_… --to pi --json

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument(
      '[session]',
      'a session file, an id or a thread (default: the newest of this directory)',
    )
    .option('--to <agent>', 'the agent to continue in: claude-code, codex, opencode or pi')
    .option('--raw', 'keep likely secrets in the result')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string | undefined, flags: HandoffFlags) => {
      const { handOff } = await import('../../hosts/handoff.ts')
      await handOff(session, flags, io)
    })
  choosing(command)
}
