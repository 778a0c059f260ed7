// `precis inspect`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { InspectFlags } from '../inspect/run-inspect.ts'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
Shows the tokens by kind and by turn, the largest parts with their refs (read them with precis show), the
files read and changed, the compactions and what they lost, and the result of each strategy that needs no
model. Nothing is changed.

Examples:
  precis inspect session.jsonl
  precis inspect thr_… --counter o200k
  precis inspect session.jsonl --json | jq '.largest[0]'

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session...]', 'session files, directories, ids or threads; - reads standard input')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--counter <id>', 'the token counter: estimate, chars4 or o200k')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string[], flags: InspectFlags & ChosenBy) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { runInspect } = await import('../inspect/run-inspect.ts')
      await eachSession(given, flags, io, (session, io) => runInspect(session, flags, io))
    })
  choosing(command)
}
