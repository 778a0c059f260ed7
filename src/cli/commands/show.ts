// `precis show`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { ShowFlags } from '../recall-archive.ts'

const HELP = `
A ref is the name of an entry: e12 is the twelfth event, c40.0 is what the compaction of event 40 put in;
of that, everything it stands for is shown, but for what looks like a secret. precis recall, inspect and
diff name refs.

Examples:
  precis show thr_…:e12
  precis show c40.0 --in thr_…
  precis show e12 --in session.jsonl --limit 100000

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<ref>', 'as in e12, c40.0 or thr_…:e12')
    .option('--in <session>', 'the thread or session file that the ref is of')
    .option('--offset <chars>', 'where to begin', '0')
    .option('--limit <chars>', 'how much to show', '20000')
    .option('--format <id>', 'the format of the file, where its content does not tell')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (ref: string, flags: ShowFlags) => {
      const { showRef } = await import('../recall-archive.ts')
      await showRef(ref, flags, io)
    })
}
