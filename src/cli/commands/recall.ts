// `precis recall`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { RecallFlags } from '../recall/recall-archive.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
Searches the log, not the context, so it also finds compacted content. Matches are ranked by how many of
the words they contain, how rare these are and how close together. Each match has a ref: precis show reads it
in full. A match lists the names (paths, identifiers, versions) near the words. Parts of a name match (config
finds parseConfig), and so do other forms (queries finds query). The search covers messages and tool calls,
but not thinking and system prompts.

Examples:
  precis recall port 4321
  precis recall "connection refused" --in thr_…
  precis recall migrations --in session.jsonl --json

Exit codes: 0 done (also without a match), 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<query...>', 'the words to search for')
    .option('--in <session>', 'search this thread, session file or id (default: all threads)')
    .option('--limit <number>', 'the number of matches, from 1 to 100', '5')
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
