// `precis exam`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { ExamFlags } from '../exam/run-exam.ts'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
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

export function define(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file, id or thread; - reads standard input')
    .option('--strategies <ids>', 'the strategies, separated by commas')
    .option('--budget <tokens|%>', 'the size of each context, as in 4000, 4k or 10%', '10%')
    .option('--model <name>', 'who answers: provider/model, or dev for the built-in stand-in')
    .option('--questions <by>', 'who writes the questions: template or model', 'template')
    .option('--files <dir>', 'write each prompt to a file, and read its answer from one')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, flags: ExamFlags & ChosenBy) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { runExam } = await import('../exam/run-exam.ts')
      const session = await chooseSession(given, flags, io)
      await runExam(session ?? '', flags, io)
    })
  choosing(command)
}
