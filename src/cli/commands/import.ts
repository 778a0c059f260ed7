// `precis import`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { ImportFlags } from '../import-sessions.ts'
import type { Io } from '../process-io.ts'

const HELP = `
Every record of a file becomes an event, is kept as it is, or is listed as left out; the report counts
them. Compactions that a tool recorded come in as compactions: they can be undone. Sidechains become
threads of their own. A failure leaves nothing in the store. An import that was killed leaves a thread that
\`precis threads\` shows as partial; the same import again goes on with it.

Examples:
  precis import session.jsonl
  precis import ~/.claude/projects/*/*.jsonl
  precis import chat.json --format openai-chat --title "the outage"

Exit codes: 0 done, 1 a file could not be imported, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<file...>', 'session files; - is standard input')
    .option('--format <id>', 'the format, where the content does not tell')
    .option('--title <text>', 'what the thread is called')
    .option(
      '--no-records',
      'keep only what the records became: half the size, not to be written back',
    )
    .option('--json', 'print the account as JSON')
    .addHelpText('after', HELP)
    .action(async (files: string[], flags: ImportFlags) => {
      const { importSessions } = await import('../import-sessions.ts')
      await importSessions(files, flags, io)
    })
}
