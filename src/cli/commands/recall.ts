// `precis recall`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { RecallFlags } from '../recall/recall-archive.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
Searches the log, not the context, so it also finds compacted content. Matches contain every word, best
match first; if there are none, matches contain some of the words. Each match has a ref: precis show reads
it in full. Parts of a name match (config finds parseConfig), and so does the plural (configs finds config).
The search covers messages and tool calls. It does not cover thinking and system prompts.

Examples:
  precis recall port 4321
  precis recall "connection refused" --in thr_…
  precis recall migrations --in session.jsonl --json

Exit codes: 0 done (also without a match), 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<query...>', 'the words to search for')
    .option('--in <session>', 'search this thread, session file or id (default: all threads)')
    .option('--limit <number>', 'the number of matches, from 1 to 100', '10')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--json', 'print the matches as JSON')
    .addHelpText('after', HELP)
    .action(async (query: string[], flags: RecallFlags & ChosenBy) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { recallWords } = await import('../recall/recall-archive.ts')
      const where = await chooseSession(flags.in, flags, io)
      await recallWords(query, where === undefined ? flags : { ...flags, in: where }, io)
    })
  choosing(command)
}
