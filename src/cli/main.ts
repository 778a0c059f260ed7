// The `precis` command: parses the arguments, runs a command, turns failures into exit codes.
import '../node-guard.ts'
import { resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { nearestWord } from '../core/text/nearest-word.ts'
import { type Definitions, type Io, type Output, processIo } from './process-io.ts'
import { version } from './program-name.ts'

/** Runs the command of `argv` (as Node has it: itself, the script, then the words) and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const [first, second] = argv.slice(2).filter((word) => !word.startsWith('-'))
  const asked = first === 'help' ? second : first
  let program: Command | undefined
  try {
    // Completion needs all of them.
    program = await buildProgram(io, (name) => name === asked || asked === 'completion')
    if (first === 'help' && second !== undefined && !isCommand(second)) throw unknownCommand(second)
    await program.parseAsync([...argv])
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return 2
    const { tellFailure } = await import('./terminal/failure.ts')
    return tellFailure(thrown, argv.includes('--json'), findHelp(program, asked, second), io)
  }
}

function isCommand(word: string | undefined): boolean {
  return COMMAND_TABLE.some(([name]) => name === word)
}

/** The command before `--help`, with its subcommand. */
function findHelp(
  program: Command | undefined,
  asked: string | undefined,
  second: string | undefined,
): string | undefined {
  if (!isCommand(asked)) return undefined
  const own = program?.commands.find((command) => command.name() === asked)?.commands ?? []
  return own.some((command) => command.name() === second) ? `${asked} ${second}` : asked
}

/** In the parser's own words. */
function unknownCommand(word: string): CommanderError {
  const near = nearestWord(
    word,
    COMMAND_TABLE.map(([name]) => name),
  )
  const suggestion = near === undefined ? '' : `\n(Did you mean ${near}?)`
  return new CommanderError(
    2,
    'commander.unknownCommand',
    `error: unknown command '${word}'${suggestion}`,
  )
}

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

/** `whole` selects the commands that get their options; others are only listed. */
export async function buildProgram(io: Io, whole: (name: string) => boolean): Promise<Command> {
  const program = new Command('precis')
    .description('Keeps language-model agents inside their context window without losing anything.')
    .version(version())
    .addHelpText('after', HELP)
    .exitOverride()
    // Errors are printed once, in our words, where they are caught.
    .configureOutput({ ...readOutputs(io), outputError: () => undefined })
    .showSuggestionAfterError()
  for (const [name, module, summary] of COMMAND_TABLE) {
    const command = program.command(name).description(summary)
    if (whole(name)) (await MODULES[module]()).definitions[name]?.(command, io)
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

/** The modules in src/cli/commands, loaded for the running command and for completion. */
const MODULES = {
  compacting: () => import('./commands/compacting.ts'),
  sessions: () => import('./commands/sessions.ts'),
  threads: () => import('./commands/threads.ts'),
  hosts: () => import('./commands/hosts.ts'),
  setup: () => import('./commands/setup.ts'),
  developing: () => import('./commands/developing.ts'),
} as const satisfies Record<string, () => Promise<{ definitions: Definitions }>>

/** In the order of the help. */
export const COMMAND_TABLE: readonly (readonly [
  name: string,
  module: keyof typeof MODULES,
  summary: string,
])[] = [
  ['compact', 'compacting', 'Compact a session file or a thread'],
  ['inspect', 'compacting', 'Show what a session contains and what each strategy would save'],
  [
    'exam',
    'compacting',
    'Compare strategies: ask each context the same questions and mark the answers',
  ],
  ['sessions', 'sessions', "List the agents' sessions on this machine, with usage and cost"],
  ['sync', 'sessions', 'Import what is new in the sessions on this machine'],
  ['import', 'sessions', 'Import session files into the store as threads'],
  ['export', 'sessions', 'Write a thread or a session in another format or as a page'],
  ['threads', 'threads', 'List the threads in the store, newest first, or remove some'],
  ['diff', 'compacting', 'Show what a compaction changed, or compare two sessions'],
  ['undo', 'compacting', 'Undo the last compaction of a thread or a file'],
  ['redo', 'compacting', 'Redo the last undone compaction'],
  ['fork', 'threads', 'Create a thread that shares the history of another'],
  ['pins', 'threads', 'List, add and remove the pins of a thread'],
  ['recall', 'sessions', 'Search the whole history, compacted or not'],
  ['show', 'sessions', 'Show the full content behind a ref'],
  ['install', 'hosts', 'Install précis into Claude Code, Codex, OpenCode or pi'],
  ['uninstall', 'hosts', 'Remove précis from an agent'],
  ['handoff', 'hosts', 'Continue a session in another agent'],
  ['mcp', 'hosts', 'Serve recall and other tools to agents (Model Context Protocol)'],
  ['hook', 'hosts', 'Run by an agent before and after its own compaction'],
  ['chat', 'threads', 'Chat with an agent in the terminal'],
  ['serve', 'setup', 'Serve the API and the web page, for yourself or a team'],
  ['token', 'setup', 'Create, list and revoke access tokens of a server'],
  ['send', 'threads', 'Send one message to an agent and print its answer'],
  ['check', 'developing', "Check a request or history against a provider's rules"],
  ['store', 'setup', 'Copy, back up and check stores'],
  ['config', 'setup', 'Show every setting, its value and its source'],
  ['doctor', 'setup', 'Check this installation and suggest fixes'],
  ['completion', 'developing', 'Print a shell completion script'],
  ['start', 'setup', 'Compact the sample session, or your own, and show what to try next'],
  ['edl', 'developing', 'Edit the files of a directory with an EDL script'],
  ['dev-model', 'developing', 'Serve a strict, deterministic stand-in for model providers'],
]
