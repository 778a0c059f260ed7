// `precis check`: options and help. Its action is loaded on demand.
import { type Command, Option } from 'commander'
import { PROFILES } from '../../validate/validate.ts'
import type { CheckFlags } from '../check/check-file.ts'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
Providers:
  ${Object.keys(PROFILES).join(', ')}

What is checked:
  A document with a model is a request. A document without one is a history: it may end with an answer
  or with a call that waits for its result, and it need not define its tools.
  The format is detected unless --format names it, and its rules apply. If the provider uses another
  format, the converted request is checked too. For an agent's session file (docs/formats.md), the
  request that it would send is checked.

Output:
  Each violation is printed with the id of its rule (docs/spec/valid.md), its place and the reason.
  --repair FILE writes a repaired copy and lists each change with its reason.
  --repair - writes the copy to standard output and the report to standard error.
  --json prints the report and errors as JSON.

Examples:
  precis check session.json --provider anthropic
  precis check session.json --provider anthropic --repair repaired.json
  precis check request.json --provider openai-chat --format openai-chat
  precis check session.jsonl --provider anthropic
  cat session.json | precis check - --provider bedrock --json

Exit codes: 0 no violations (in the copy, with --repair), 1 violations or failed,
2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument(
      '[file...]',
      'requests, histories or session files, directories or ids; - reads standard input',
    )
    .requiredOption('--provider <name>', 'the provider whose rules apply')
    .option('--format <format>', 'the format of the file (default: detected)')
    // The name of --format up to 0.1; to be removed in the next version.
    .addOption(new Option('--from <format>').hideHelp())
    .option('--repair <file>', 'write a repaired copy to this file; - is standard output')
    .option('--force', 'overwrite an existing --repair file')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string[], flags: CheckFlags & ChosenBy) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { checkFile } = await import('../check/check-file.ts')
      await eachSession(given, flags, io, (file, io) => checkFile(file, flags, io))
    })
  choosing(command)
}
