// `precis compact`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { CompactFlags } from '../compact/flags.ts'
import { collect } from '../options.ts'
import type { Io } from '../process-io.ts'

const HELP = `
What it works on:
  A session file of any format that is read (docs/formats.md), told by its content; a thread of the store;
  or - for standard input.

Where things go:
  A file: without --out or --in-place nothing is written; the report shows what would be.
  --out FILE writes the result as a whole or not at all; a file that is there already is replaced with
  --force alone. --out - writes it to standard output, and the report to standard error.
  --in-place replaces the input and keeps what it was: precis undo FILE.
  A thread: it is compacted, which precis undo takes back. With --out it stays as it is.
  --dry-run changes nothing and keeps the proposal; --apply ID does exactly that, unless the session has
  changed since.
  --json makes the report JSON; errors are then JSON, too.

Counting:
  --budget, before and after are in tokens of --counter: estimate (the default), chars4 (characters / 4)
  or o200k (OpenAI's vocabulary, exact). N% is of the input. What went is always estimated.

Examples:
  precis compact session.jsonl
  precis compact session.jsonl --out smaller.jsonl
  precis compact session.jsonl --budget 40% --in-place
  precis compact session.jsonl --to anthropic --out messages.json
  precis compact session.jsonl --strategy summarize --model dev --instructions "keep the port numbers"
  precis compact session.jsonl --pin "Never touch the migrations." --out smaller.jsonl
  precis compact session.jsonl --dry-run
  precis compact --apply prp_… --in-place
  precis compact thr_…
  cat session.json | precis compact - --out - > smaller.json

Exit codes: 0 done, 1 failed and nothing was written, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file or a thread; - is standard input')
    .option('--input <file>', 'the same as the argument')
    .option('--format <id>', 'the format of the file, where its content does not tell')
    .option('--to <format>', 'the format of the result; without it that of the input')
    .option('--strategy <id>', 'how to make it smaller')
    .option('--budget <tokens|%>', 'fail unless the result is this small, as in 50000 or 40%')
    .option('--counter <id>', 'how tokens are counted: estimate, chars4 or o200k')
    .option('--model <name>', 'the model for summaries: provider/model, or dev, the stand-in')
    .option('--instructions <text>', 'what a summary has to mind')
    .option('--pin <text>', 'a text to keep word for word; may be given again', collect)
    .option('--out <file>', 'where the result goes; - is standard output')
    .option('--output <file>', 'the same as --out')
    .option('--force', 'replace the file of --out where it is there already')
    .option('--in-place', 'replace the file, and keep what it was for precis undo')
    .option('--dry-run', 'change nothing, and keep the proposal')
    .option('--apply <id>', 'do what a dry run has proposed')
    .option('--redact', 'take what looks like a secret out of the result')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string | undefined, flags: CompactFlags) => {
      const { runCompact } = await import('../compact/run-compact.ts')
      await runCompact(session, flags, io)
    })
}
