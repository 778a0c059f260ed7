// `precis recall`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { RecallFlags } from '../recall-archive.ts'

const HELP = `
It searches the log, not the context: what was compacted is found as well. What has all the words is
found, best first; only where nothing has all, what has some of them. Each find has a ref, which
precis show reads in full. A name is found by its parts (config finds parseConfig), and one by several
(configs finds config). What was said and done is searched; thinking and system prompts are not.

Examples:
  precis recall port 4321
  precis recall "connection refused" --in thr_…
  precis recall migrations --in session.jsonl --json

Exit codes: 0 done (also where nothing was found), 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<query...>', 'words to look for')
    .option('--in <session>', 'in this thread or session file; without it in all threads')
    .option('--limit <number>', 'how many finds, from 1 to 100', '10')
    .option('--format <id>', 'the format of the file, where its content does not tell')
    .option('--json', 'print the finds as JSON')
    .addHelpText('after', HELP)
    .action(async (query: string[], flags: RecallFlags) => {
      const { recallWords } = await import('../recall-archive.ts')
      await recallWords(query, flags, io)
    })
}
