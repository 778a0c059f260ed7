// `precis compact`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { CompactFlags } from '../compact-file.ts'

const HELP = `
Where things go:
  Without --output nothing is written: the report on standard output shows what would be.
  --output FILE writes the result as a whole or not at all; the report stays on standard output.
  --output - writes the result to standard output and the report to standard error.
  --json makes the report JSON; errors are then JSON, too.

Examples:
  precis compact session.json
  precis compact session.json --output smaller.json
  precis compact session.json --budget 40% --output smaller.json
  precis compact session.json --strategy summarize --model dev
  cat session.json | precis compact - --output - > smaller.json

Exit codes: 0 done, 1 failed and nothing was written, 2 wrong usage or settings.`

export function compactCommand(program: Command): void {
  program
    .command('compact')
    .description('make the conversation in a file smaller')
    .argument('[file]', 'the conversation; - is standard input')
    .option('--input <file>', 'the same as the argument')
    .option('--output <file>', 'where the result goes; - is standard output')
    .option('--from <format>', 'the format of the input', 'anthropic')
    .option('--to <format>', 'the format of the output', 'anthropic')
    .option('--strategy <id>', 'how to make it smaller')
    .option('--model <name>', 'the model for summaries: provider/model, or dev, the stand-in')
    .option('--budget <tokens|%>', 'fail unless the result is this small, as in 50000 or 40%')
    .option('--redact', 'take what looks like a secret out of the result')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, flags: CompactFlags) => {
      const { compactFile } = await import('../compact-file.ts')
      await compactFile(file, flags)
    })
}
