// `precis inspect`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { InspectFlags } from '../inspect/run-inspect.ts'
import type { Io } from '../process-io.ts'

const HELP = `
It shows the tokens by kind and by turn, the largest parts with their refs (precis show reads them), the
files that were read and changed, the compactions in it and what they lost, and what each strategy that
needs no model would give. Nothing is changed.

Examples:
  precis inspect session.jsonl
  precis inspect thr_… --counter o200k
  precis inspect session.jsonl --json | jq '.largest[0]'

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<session>', 'a session file or a thread; - is standard input')
    .option('--format <id>', 'the format of the file, where its content does not tell')
    .option('--counter <id>', 'how tokens are counted: estimate, chars4 or o200k')
    .option('--json', 'print everything as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string, flags: InspectFlags) => {
      const { runInspect } = await import('../inspect/run-inspect.ts')
      await runInspect(session, flags, io)
    })
}
