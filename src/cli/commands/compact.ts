// `precis compact`: options and help. Its action is loaded on demand.
import { type Command, Option } from 'commander'
import type { Flags } from '../compact/flags.ts'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import { collectTexts } from '../terminal/arguments.ts'

const HELP = `
Input:
  A session file in any format that précis reads (docs/formats.md), detected from its content; a thread;
  or - for standard input.

Output:
  For a file, nothing is written without --out or --in-place: the report shows what would change.
  --out FILE writes the result, all of it or nothing. An existing file is kept unless you pass --force.
  --out - writes the result to standard output and the report to standard error.
  With several sessions, --out names a directory. Nothing is written unless all of them can be read.
  --in-place replaces the input file and keeps a backup, which precis undo FILE restores.
  A thread is compacted in the store; precis undo reverts it. With --out the thread does not change.
  --dry-run changes nothing and saves the proposal. --apply ID applies it, unless the session has changed.
  --json prints the report and errors as JSON.

Tokens:
  --budget and the sizes before and after are counted by --counter: estimate (the default), chars4
  (characters / 4) or o200k (OpenAI's vocabulary, exact). N% is a share of the input. The sizes of
  removed parts are always estimates.

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

Exit codes: 0 done, 1 failed (what failed is not written), 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session...]', 'session files, directories, ids or threads; - reads standard input')
    .addOption(new Option('--input <file>', 'the same as the argument').hideHelp())
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--to <format>', 'the format of the result (default: the input format)')
    .option('--strategy <id>', 'the compaction strategy (docs/strategies.md)')
    .option(
      '--budget <tokens|%>',
      'the size of the result, as in 50000, 50k or 40%; fails if it is larger',
    )
    .option('--counter <id>', 'the token counter: estimate, chars4 or o200k')
    .option(
      '--model <name>',
      'the model for summaries: provider/model, or dev for the built-in stand-in',
    )
    .option('--instructions <text>', 'instructions for the summary')
    .option('--pin <text>', 'a text to keep word for word; repeatable', collectTexts('--pin'))
    .option('--out <file>', 'write the result to this file; - is standard output')
    .addOption(new Option('--output <file>', 'the same as --out').hideHelp())
    .option('--force', 'overwrite an existing --out file')
    .option('--in-place', 'replace the input file and keep a backup for precis undo')
    .option('--dry-run', 'change nothing and save the proposal')
    .option('--apply <id>', 'apply the proposal of a dry run')
    .option('--redact', 'remove likely secrets from the result')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action((given: string[], flags: Flags & ChosenBy) => compactEach(given, flags, io))
  choosing(command)
}

async function compactEach(given: string[], flags: Flags & ChosenBy, io: Io): Promise<void> {
  const { eachSession } = await import('../sessions/choose-sessions.ts')
  const { makeResultFile, refuseOneFile, resultFile } = await import('../sessions/result-file.ts')
  const { checkCompact, runCompact } = await import('../compact/run-compact.ts')
  const { output, ...rest } = flags
  const out = flags.out ?? output
  const resultOf = (session: string, all: readonly string[]) =>
    resultFile(session, all, out, undefined, io)
  const { stoppable } = await import('../terminal/stoppable.ts')
  let [done, number] = [0, 1]
  const left = () =>
    done === 0
      ? 'Nothing was changed.'
      : `Done: ${done} of ${number} sessions. Nothing else was changed.`
  await stoppable(io, left, (stopping) =>
    eachSession(
      given,
      { ...flags, isChanged: true },
      io,
      async (session, io, all) => {
        const isOne = all.length < 2
        number = all.length
        const file = isOne ? undefined : await makeResultFile(session, all, out, undefined, io)
        const own = file === undefined ? flags : { ...rest, out: file }
        const source = session === '' && given.length === 0 ? undefined : session
        try {
          await runCompact(source, own, io, stopping.hold)
          done += 1
        } finally {
          if (!isOne) stopping.release()
        }
      },
      {
        refuseAll: (all) => refuseOneFile(all, out, true, io),
        resultOf,
        check: async (session, all) => {
          if (out === undefined && !flags.inPlace) return
          const file = resultOf(session, all)
          await checkCompact(session, file === undefined ? flags : { ...rest, out: file }, io)
        },
      },
    ),
  )
}
