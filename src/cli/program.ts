// The commander program: every command by name, with the options of the ones that are needed
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { Io, Output } from './process-io.ts'
import { version } from './program-name.ts'

const HELP = `
Examples:
  precis start                                           compact the sample session
  precis compact session.jsonl                           show what a compaction would save
  precis compact session.jsonl --out smaller.jsonl       write the result
  precis inspect session.jsonl                           show what the session contains
  precis compact --help                                  show all options of a command

A session is a file of Claude Code, Codex, pi, OpenCode and others, detected from its content
(docs/formats.md), or a thread in the store, such as thr_0mwh….

Exit codes: 0 done, 1 failed, 2 wrong usage or settings. --json prints reports and errors as JSON.
--trust-folder, with any command, applies every key of this directory's .precis/settings.json, and its AGENTS.md and CLAUDE.md.`

/** Commander's default width without a terminal. */
const UNKNOWN_WIDTH = 80

/** `whole` selects the commands that get their options; the others are only listed. */
export async function programOf(io: Io, whole: (name: string) => boolean): Promise<Command> {
  const program = new Command('precis')
    .description('Keeps language-model agents inside their context window without losing anything.')
    .version(version())
    .addHelpText('after', HELP)
    .exitOverride()
    // Errors are printed once, in our words, where they are caught.
    .configureOutput({ ...readOutputs(io), outputError: () => undefined })
    .showSuggestionAfterError()
  for (const { name, summary, load } of COMMAND_TABLE) {
    const command = program.command(name).description(summary)
    if (whole(name)) (await load()).define(command, io)
    for (const each of [command, ...command.commands]) each.addOption(trustOption())
  }
  return program.hook('preAction', async (_, command) => {
    const { trustFolder } = await import('./settings/trust.ts')
    const { trustFolder: isTrusted, cwd } = command.opts<{ trustFolder?: boolean; cwd?: string }>()
    trustFolder(isTrusted ? resolve(io.cwd, cwd ?? '.') : undefined)
  })
}

/** Every command reads settings, so the option is not repeated in each help. */
function trustOption(): Option {
  return new Option('--trust-folder', "apply all of the project's settings").hideHelp()
}

function readOutputs({ stdout, stderr }: Io) {
  const width = ({ isTTY, columns }: Output) => (isTTY && columns) || UNKNOWN_WIDTH
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    getOutHelpWidth: () => width(stdout),
    getErrHelpWidth: () => width(stderr),
  }
}

/** The table of commands: name, summary, and a loader for the rest */
interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<CommandModule>
}

/** Gives a command its arguments, options, help and action. */
interface CommandModule {
  define(command: Command, io: Io): void
}

/** In the order in which the help lists them. */
export const COMMAND_TABLE: readonly CommandEntry[] = [
  {
    name: 'compact',
    summary: 'Compact a session file or a thread',
    load: () => import('./commands/compact.ts'),
  },
  {
    name: 'inspect',
    summary: 'Show what a session contains and what each strategy would save',
    load: () => import('./commands/inspect.ts'),
  },
  {
    name: 'exam',
    summary: 'Compare strategies: ask each context the same questions and mark the answers',
    load: () => import('./commands/exam.ts'),
  },
  {
    name: 'sessions',
    summary: "List the agents' sessions on this machine, with usage and cost",
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'sync',
    summary: 'Import what is new in the sessions on this machine',
    load: () => import('./commands/sync.ts'),
  },
  {
    name: 'import',
    summary: 'Import session files into the store as threads',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    summary: 'Write a thread or a session in another format or as a page',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'threads',
    summary: 'List the threads in the store, newest first, or remove some',
    load: () => import('./commands/threads/threads.ts'),
  },
  {
    name: 'diff',
    summary: 'Show what a compaction changed, or compare two sessions',
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'undo',
    summary: 'Undo the last compaction of a thread or a file',
    load: () => import('./commands/undo.ts'),
  },
  {
    name: 'redo',
    summary: 'Redo the last undone compaction',
    load: () => import('./commands/undo.ts'),
  },
  {
    name: 'fork',
    summary: 'Create a thread that shares the history of another',
    load: () => import('./commands/threads/fork.ts'),
  },
  {
    name: 'pins',
    summary: 'List, add and remove the pins of a thread',
    load: () => import('./commands/threads/pins.ts'),
  },
  {
    name: 'recall',
    summary: 'Search the whole history, compacted or not',
    load: () => import('./commands/recall.ts'),
  },
  {
    name: 'show',
    summary: 'Show the full content behind a ref',
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'install',
    summary: 'Install précis into Claude Code, Codex, OpenCode or pi',
    load: () => import('./commands/hosts/install.ts'),
  },
  {
    name: 'uninstall',
    summary: 'Remove précis from an agent',
    load: () => import('./commands/hosts/uninstall.ts'),
  },
  {
    name: 'handoff',
    summary: 'Continue a session in another agent',
    load: () => import('./commands/hosts/handoff.ts'),
  },
  {
    name: 'mcp',
    summary: 'Serve recall and other tools to agents (Model Context Protocol)',
    load: () => import('./commands/hosts/mcp.ts'),
  },
  {
    name: 'hook',
    summary: 'Run by an agent before and after its own compaction',
    load: () => import('./commands/hosts/hook.ts'),
  },
  {
    name: 'chat',
    summary: 'Chat with an agent in the terminal',
    load: () => import('./commands/threads/chat.ts'),
  },
  {
    name: 'serve',
    summary: 'Serve the API and the web page, for yourself or a team',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'token',
    summary: 'Create, list and revoke access tokens of a server',
    load: () => import('./commands/threads/token.ts'),
  },
  {
    name: 'send',
    summary: 'Send one message to an agent and print its answer',
    load: () => import('./commands/threads/send.ts'),
  },
  {
    name: 'check',
    summary: "Check a request or history against a provider's rules",
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'store',
    summary: 'Copy, back up and check stores',
    load: () => import('./commands/store.ts'),
  },
  {
    name: 'config',
    summary: 'Show every setting, its value and its source',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check this installation and suggest fixes',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'start',
    summary: 'Compact the sample session, or your own, and show what to try next',
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'edl',
    summary: 'Edit the files of a directory with an EDL script',
    load: () => import('./commands/edl.ts'),
  },
  {
    name: 'dev-model',
    summary: 'Serve a strict, deterministic stand-in for model providers',
    load: () => import('./commands/dev-model.ts'),
  },
]
