// `precis export`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { ExportFlags } from '../export-session.ts'
import type { Io } from '../process-io.ts'

const HELP = `
What is written is the context as it is now. Back in its own format a session keeps its old records as
they were. What the format cannot say is left out or put in other words, and listed.
What looks like a secret is taken out, unless --raw leaves it in.

Formats:
  claude-code, codex, pi, opencode, ai-sdk, openai-responses, openai-chat, anthropic; for people markdown
  and html, one page that needs nothing else (docs/formats.md).

Examples:
  precis export session.jsonl --to anthropic --out messages.json
  precis export thr_… --to html --out talk.html
  precis export thr_… --to markdown | less
  precis export session.jsonl --to codex --out rollout.jsonl --json

Exit codes: 0 done, 1 failed and nothing was written, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<session>', 'a session file or a thread; - is standard input')
    .option('--format <id>', 'the format of the file, where its content does not tell')
    .option('--to <format>', 'the format to write; without it that of the input')
    .option('--out <file>', 'where it goes; - is standard output', '-')
    .option('--force', 'replace the file of --out where it is there already')
    .option('--title <text>', 'the title of a page')
    .option('--raw', 'leave in what looks like a secret')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (session: string, flags: ExportFlags) => {
      const { exportSession } = await import('../export-session.ts')
      await exportSession(session, flags, io)
    })
}
