// Commands that compact or show a compaction: options and help. Actions are loaded on demand.
import { type Command, Option } from 'commander'
import type { Flags } from '../compact/flags.ts'
import type { ExamFlags } from '../exam/run-exam.ts'
import type { InspectFlags } from '../inspect/run-inspect.ts'
import type { Definitions, Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import { collectTexts } from '../terminal/arguments.ts'
import type { DiffFlags } from '../threads/diff-sessions.ts'

export const definitions: Definitions = {
  compact: defineCompact,
  inspect: defineInspect,
  exam: defineExam,
  diff: defineDiff,
  undo: defineUndo,
  redo: defineUndo,
}

const COMPACT_HELP = `
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

function defineCompact(command: Command, io: Io): void {
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
    .addHelpText('after', COMPACT_HELP)
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
  const { stoppable } = await import('../terminal/progress.ts')
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

const INSPECT_HELP = `
Shows the tokens by kind and by turn, the largest parts with their refs (read them with precis show), the
files read and changed, the compactions and what they lost, and the result of each strategy that needs no
model. Nothing is changed.

Examples:
  precis inspect session.jsonl
  precis inspect thr_… --counter o200k
  precis inspect session.jsonl --json | jq '.largest[0]'

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineInspect(command: Command, io: Io): void {
  command
    .argument('[session...]', 'session files, directories, ids or threads; - reads standard input')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--counter <id>', 'the token counter: estimate, chars4 or o200k')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', INSPECT_HELP)
    .action(async (given: string[], flags: InspectFlags & ChosenBy) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { runInspect } = await import('../inspect/run-inspect.ts')
      await eachSession(given, flags, io, (session, io) => runInspect(session, flags, io))
    })
  choosing(command)
}

const EXAM_HELP = `
Compacts a copy of the session with each strategy to the same size. Then it asks every context the same
questions (goal, state, constraint, exact values, files, reason, next step), marks the answers and prints a
table.

Without --model and --files it asks no model: a mark says whether the context contains the expected words.
With --model the model answers; with --questions model it also writes the questions and marks the answers.
With --files every prompt is written to a file. Write each answer beside it (.answer.md instead of .md) and
run the same command again: it continues with these answers. So any model or person can take the exam.
The session does not change.

Examples:
  precis exam session.jsonl
  precis exam session.jsonl --strategies extract,brief --budget 4000 --model anthropic/claude-opus-5-5
  precis exam session.jsonl --questions model --files exam
  precis exam session.jsonl --model dev                     see that it runs, without a key

Exit codes: 0 done (also if prompts wait for answers), 1 failed, 2 wrong usage or settings.`

function defineExam(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file, id or thread; - reads standard input')
    .option('--strategies <ids>', 'the strategies, separated by commas')
    .option('--budget <tokens|%>', 'the size of each context, as in 4000, 4k or 10%', '10%')
    .option('--model <name>', 'who answers: provider/model, or dev for the built-in stand-in')
    .option('--questions <by>', 'who writes the questions: template or model', 'template')
    .option('--files <dir>', 'write each prompt to a file, and read its answer from one')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', EXAM_HELP)
    .action(async (given: string | undefined, flags: ExamFlags & ChosenBy) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { runExam } = await import('../exam/run-exam.ts')
      const session = await chooseSession(given, flags, io)
      await runExam(session ?? '', flags, io)
    })
  choosing(command)
}

const DIFF_HELP = `
With one session, shows what its last compaction removed and added. That includes compactions that another
tool recorded, and precis compact --in-place on a file. An undone compaction does not count.
With two sessions, shows what only one of them contains.

Examples:
  precis diff thr_…
  precis diff thr_… --from 40 --to 80
  precis diff session.jsonl smaller.jsonl
  precis diff session.jsonl --full | less

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineDiff(command: Command, io: Io): void {
  command
    .argument('[session]', 'a thread, a session file or an id')
    .argument('[other]', 'a second one to compare with')
    .option('--from <event>', 'compare the context after this event …')
    .option('--to <event>', '… with the context after this event (default: now)')
    .option('--full', 'show every removed and added line')
    .option('--format <id>', 'the format of the files (default: detected)')
    .option('--json', 'print the difference as JSON')
    .addHelpText('after', DIFF_HELP)
    .action(
      async (one: string | undefined, two: string | undefined, flags: DiffFlags & ChosenBy) => {
        const { chooseSession } = await import('../sessions/choose-sessions.ts')
        const { diffSessions } = await import('../threads/diff-sessions.ts')
        const session = (await chooseSession(one, flags, io)) ?? ''
        await diffSessions(session, await chooseSession(two, {}, io), flags, io)
      },
    )
  choosing(command)
}

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed and nothing was changed, 2 wrong usage or settings.'

const UNDO_HELP = `
A thread: reverts its last compaction and restores the context. Nothing is lost.
A file: restores the backup of precis compact --in-place, byte for byte. It fails if the file has changed
since.

Examples:
  precis undo thr_…
  precis undo session.jsonl

${EXIT_CODES}`

const REDO_HELP = `
Examples:
  precis redo thr_…
  precis redo session.jsonl

${EXIT_CODES}`

function defineUndo(command: Command, io: Io): void {
  const way = command.name() === 'redo' ? 'redo' : 'undo'
  command
    .argument('[session...]', 'threads, session files, directories or ids')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', way === 'redo' ? REDO_HELP : UNDO_HELP)
    .action(async (given: string[], flags: ChosenBy & { json?: boolean }) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { reverseChange } = await import('../threads/thread-commands.ts')
      await eachSession(given, { ...flags, isChanged: true }, io, (session, io) =>
        reverseChange(way, session, flags, io),
      )
    })
  choosing(command)
}
