// `precis sync`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { SyncFlags } from '../sessions/sync-sessions.ts'
import { collect } from '../terminal/arguments.ts'

const HELP = `
Imports the sessions that precis sessions finds. A new session becomes a thread. If a session has grown, only
its new end is added. If its agent rewrote it, it becomes a new thread that names the earlier one.
Sessions that have not changed are not read. A thread that you removed with precis threads rm does not
come back until its session changes. Ctrl-C stops after the current session.

With --watch it keeps running: it looks for changes about once a second and prints a report for each. With
--json, each report is one line.

Examples:
  precis sync
  precis sync --here --json
  precis sync --agent claude-code --since 30d
  precis sync --watch --here

Exit codes: 0 done, 1 a session could not be imported, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .option('--agent <id>', 'only sessions of this agent; repeatable', collect)
    .option('--project <text>', 'only projects whose path contains this')
    .option('--since <time>', 'only sessions used since: 12h, 7d, 2w or a date')
    .option('--here', 'only sessions of this directory')
    .option('--last', 'only the newest session')
    .option('--watch', 'keep running until Ctrl-C, and sync whatever changes')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async ({ watch, ...flags }: SyncFlags & { readonly watch?: boolean }) => {
      const { runSync } = await import('../sessions/sync-sessions.ts')
      const { watchSessions } = await import('../sessions/watch-sessions.ts')
      await (watch ? watchSessions : runSync)(flags, io)
    })
}
