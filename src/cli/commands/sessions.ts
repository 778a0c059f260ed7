// Commands on sessions and their history: options and help. Actions are loaded on demand.
import type { Command } from 'commander'
import type { Definitions, Io } from '../process-io.ts'
import type { RecallFlags, ShowFlags } from '../recall/recall-archive.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import type { SessionsFlags } from '../sessions/list-sessions.ts'
import type { SyncFlags } from '../sessions/sync-sessions.ts'
import { collect } from '../terminal/arguments.ts'
import type { ExportFlags } from '../threads/export-session.ts'
import type { ImportFlags } from '../threads/import-sessions.ts'

export const definitions: Definitions = {
  sessions: defineSessions,
  sync: defineSync,
  import: defineImport,
  export: defineExport,
  recall: defineRecall,
  show: defineShow,
}

const SESSIONS_HELP = `
Finds the session files of Claude Code, Codex, OpenCode, pi, Oh My Pi, Copilot CLI, Gemini CLI and Cline
in their own directories; the setting sessionFolders names others (docs/use-with-agents.md).
Every command takes a session by the beginning of its id (compact, undo and redo: at least 6 characters),
and --last for the newest.
The cost is the recorded usage at the listed prices.

Examples:
  precis sessions
  precis sessions --here --json
  precis sessions --agent codex --since 7d
  precis sessions --by day
  precis sessions --by model --project shop
  precis sessions ~/archive/2026

Exit codes: 0 done (also without a session), 1 failed, 2 wrong usage or settings.`

function defineSessions(command: Command, io: Io): void {
  command
    .argument('[folder...]', 'look in these directories (default: those of the agents)')
    .option('--agent <id>', 'only sessions of this agent; repeatable', collect)
    .option('--project <text>', 'only projects whose path contains this')
    .option('--since <time>', 'only sessions used since: 12h, 7d, 2w or a date')
    .option('--here', 'only sessions of this directory')
    .option('--last', 'only the newest session')
    .option('--by <group>', 'sum up usage and cost by day, model, project or agent')
    .option('--limit <number>', 'the number of sessions', '20')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', SESSIONS_HELP)
    .action(async (folders: string[], flags: SessionsFlags) => {
      const { listSessions } = await import('../sessions/list-sessions.ts')
      await listSessions(folders, flags, io)
    })
}

const SYNC_HELP = `
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

function defineSync(command: Command, io: Io): void {
  command
    .option('--agent <id>', 'only sessions of this agent; repeatable', collect)
    .option('--project <text>', 'only projects whose path contains this')
    .option('--since <time>', 'only sessions used since: 12h, 7d, 2w or a date')
    .option('--here', 'only sessions of this directory')
    .option('--last', 'only the newest session')
    .option('--watch', 'keep running until Ctrl-C, and sync whatever changes')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', SYNC_HELP)
    .action(async ({ watch, ...flags }: SyncFlags & { readonly watch?: boolean }) => {
      const { runSync } = await import('../sessions/sync-sessions.ts')
      const { watchSessions } = await import('../sessions/watch-sessions.ts')
      await (watch ? watchSessions : runSync)(flags, io)
    })
}

const IMPORT_HELP = `
Every record of a file becomes an event, is kept unchanged, or is left out and listed. The report counts
them. Compactions that another tool recorded become compactions that you can undo. Sidechains become
separate threads. If a file fails, the store keeps nothing of it. A killed import
leaves a thread that \`precis threads\` marks as partial; run the same import again to continue it.
A file that is already in the store makes no second thread. If it has grown, only its new end is added. If it
was rewritten, it becomes a new thread that names the earlier one.

Examples:
  precis import session.jsonl
  precis import ~/archive/sessions
  precis import --all
  precis import chat.json --format openai-chat --title "the outage"

Exit codes: 0 done, 1 a file could not be imported, 2 wrong usage or settings.`

function defineImport(command: Command, io: Io): void {
  command
    .argument('[session...]', 'session files, directories or ids; - reads standard input')
    .option('--all', 'every session on this machine, as precis sync does')
    .option('--format <id>', 'the format of the files (default: detected)')
    .option('--title <text>', 'the title of the thread')
    .option(
      '--no-records',
      'do not keep the original records: half the size, but no export in the same format',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', IMPORT_HELP)
    .action(async (given: string[], flags: ImportFlags & { all?: boolean }) => {
      if (flags.all && given.length === 0) {
        const { runSync } = await import('../sessions/sync-sessions.ts')
        return runSync(flags, io)
      }
      const { importSessions } = await import('../threads/import-sessions.ts')
      await importSessions(given, flags, io)
    })
  choosing(command)
}

const EXPORT_HELP = `
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

function defineExport(command: Command, io: Io): void {
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
    .addHelpText('after', EXPORT_HELP)
    .action(async (given: string[], flags: ExportFlags & ChosenBy) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { makeResultFile, refuseOneFile, resultFile } = await import(
        '../sessions/result-file.ts'
      )
      const { askedFormat, chooseEnding, exportSession } = await import(
        '../threads/export-session.ts'
      )
      const ending = chooseEnding(askedFormat({ ...flags, out: '' }))
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

const RECALL_HELP = `
Searches the log, not the context, so it also finds compacted content. Matches are ranked by how many of
the words they contain, how rare these are and how close together. Each match has a ref: precis show reads it
in full. A match lists the names (paths, identifiers, versions) near the words. Parts of a name match (config
finds parseConfig), and so do other forms (queries finds query). The search covers messages and tool calls,
but not thinking and system prompts.

Examples:
  precis recall port 4321
  precis recall "connection refused" --in thr_…
  precis recall migrations --in session.jsonl --json

Exit codes: 0 done (also without a match), 1 failed, 2 wrong usage or settings.`

function defineRecall(command: Command, io: Io): void {
  command
    .argument('<query...>', 'the words to search for')
    .option('--in <session>', 'search this thread, session file or id (default: all threads)')
    .option('--limit <number>', 'the number of matches, from 1 to 100', '5')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--json', 'print the matches as JSON')
    .addHelpText('after', RECALL_HELP)
    .action(async (query: string[], flags: RecallFlags & ChosenBy) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { recallWords } = await import('../recall/recall-archive.ts')
      const where = await chooseSession(flags.in, flags, io)
      await recallWords(query, where === undefined ? flags : { ...flags, in: where }, io)
    })
  choosing(command)
}

const SHOW_HELP = `
A ref names an entry: e12 is the twelfth event, c40.0 is the first replacement of the compaction at event
40. For a replacement, precis show prints all the content that it replaced, without likely secrets.
precis recall, inspect and diff print refs. A ref from a hook begins with the agent's own id of the session.

Examples:
  precis show thr_…:e12
  precis show c40.0 --in thr_…
  precis show e12 --in session.jsonl --limit 100000

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineShow(command: Command, io: Io): void {
  command
    .argument('<ref>', 'a ref, as in e12, c40.0, thr_…:e12 or 3f2a91c0:e12')
    .option('--in <session>', 'the thread, session file or id that the ref belongs to')
    .option('--offset <chars>', 'the first character to show', '0')
    .option('--limit <chars>', 'the number of characters to show', '20000')
    .option('--format <id>', 'the format of the file (default: detected)')
    .option('--json', 'print the content as JSON')
    .addHelpText('after', SHOW_HELP)
    .action(async (ref: string, flags: ShowFlags & ChosenBy) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      const { showRef } = await import('../recall/recall-archive.ts')
      const where = await chooseSession(flags.in, flags, io)
      await showRef(ref, where === undefined ? flags : { ...flags, in: where }, io)
    })
  choosing(command)
}
