// `precis check`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import { PROFILES } from '../../validate/profiles.ts'
import type { CheckFlags } from '../check-file.ts'
import { WIRE_FORMATS } from '../check-format.ts'
import type { Io } from '../process-io.ts'

const HELP = `
Providers:
  ${Object.keys(PROFILES).join(', ')}

What is checked:
  A document with a model is a request. One without is a history: it may end with an answer, or with
  a call that waits for its result, and its tools need not be defined. It is judged by the rules of its
  own format, which is told from what stands in it unless --from names it. For a provider of another
  format, what would be sent to it is judged as well. Of a session file of an agent (docs/formats.md),
  what would be sent is judged.

Where things go:
  Each broken rule is printed with its id (see docs/spec/valid.md), its place and what is wrong.
  --repair FILE writes a copy that keeps the rules, and lists what was changed and why.
  --repair - writes the copy to standard output and the report to standard error.
  --json makes the report JSON; errors are then JSON, too.

Examples:
  precis check session.json --provider anthropic
  precis check session.json --provider anthropic --repair mended.json
  precis check request.json --provider openai-chat --from openai-chat
  precis check session.jsonl --provider anthropic
  cat session.json | precis check - --provider bedrock --json

Exit codes: 0 all rules are kept (by the copy, with --repair), 1 some are broken or it failed,
2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<file>', 'the request, the history or the session; - is standard input')
    .requiredOption('--provider <name>', 'whose rules')
    .option('--from <format>', `the format of the input: ${WIRE_FORMATS.join(', ')}`)
    .option('--repair <file>', 'where a repaired copy goes; - is standard output')
    .option('--force', 'replace the file of --repair where it is there already')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: CheckFlags) => {
      const { checkFile } = await import('../check-file.ts')
      await checkFile(file, flags, io)
    })
}
