// `precis show`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { ShowFlags } from '../recall/recall-archive.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
A ref names an entry: e12 is the twelfth event, c40.0 is the first replacement of the compaction at event
40. For a replacement, precis show prints all the content that it replaced, without likely secrets.
precis recall, inspect and diff print refs. A ref from a hook begins with the agent's own id of the session.

Examples:
  precis show thr_…:e12
  precis show c40.0 --in thr_…
  precis show e12 --in session.jsonl --limit 100000

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<ref>', 'a ref, as in e12, c40.0, thr_…:e12 or 3f2a91c0:e12')
    .option('--in <session>', 'the thread, session file or id that the ref belongs to')
    .option('--offset <chars>', 'the first character to show', '0')
    .option('--limit <chars>', 'the number of characters to show', '20000')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--json', 'print the content as JSON')
    .addHelpText('after', HELP)
    .action(async (ref: string, flags: ShowFlags & ChosenBy) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { showRef } = await import('../recall/recall-archive.ts')
      const where = await chooseSession(flags.in, flags, io)
      await showRef(ref, where === undefined ? flags : { ...flags, in: where }, io)
    })
  choosing(command)
}
