// `precis export`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import type { ExportFlags } from '../threads/export-session.ts'

const HELP = `
Writes the current context. In its own format a session keeps its old records unchanged. Content that the
target format cannot express is left out or reworded, and the report lists it.
Likely secrets are removed unless you pass --raw.
--full writes a page of everything that was said, with a table of contents and each compaction where it
happened.

Formats:
  claude-code, codex, pi, opencode, ai-sdk, openai-responses, openai-chat, anthropic; for reading markdown
  and html, a single self-contained page (docs/formats.md).

Examples:
  precis export session.jsonl --to anthropic --out messages.json
  precis export thr_… --to html --out talk.html
  precis export thr_… --to markdown | less
  precis export session.jsonl --full --out session.html
  precis export session.jsonl --to codex --out rollout.jsonl --json

Exit codes: 0 done, 1 failed and nothing was written, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('[session...]', 'session files, directories, ids or threads; - reads standard input')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option(
      '--to <format>',
      'the format of the result (default: by --out .html or .md, else the input format)',
    )
    .option('--out <file>', 'write the result to this file; - is standard output', '-')
    .option('--force', 'overwrite an existing --out file')
    .option('--full', 'a page with the whole transcript and every compaction, not only the context')
    .option('--title <text>', 'the title of a Markdown or HTML page')
    .option('--raw', 'keep likely secrets in the result')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string[], flags: ExportFlags & ChosenBy) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { makeResultFile, refuseOneFile, resultFile } = await import(
        '../sessions/result-file.ts'
      )
      const { askedFormat, endingOf, exportSession } = await import('../threads/export-session.ts')
      const ending = endingOf(askedFormat({ ...flags, out: '' }))
      await eachSession(
        given,
        flags,
        io,
        async (session, io, all) => {
          const out =
            all.length < 2 ? flags.out : await makeResultFile(session, all, flags.out, ending, io)
          await exportSession(session, out === undefined ? flags : { ...flags, out }, io)
        },
        {
          refuseAll: (all) =>
            refuseOneFile(all, flags.out, command.getOptionValueSource('out') === 'cli', io),
          resultOf: (session, all) => resultFile(session, all, flags.out, ending, io),
        },
      )
    })
  choosing(command)
}
