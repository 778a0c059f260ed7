// The commander program: every command by name, with the options of the ones that are needed
import { Command, Option } from 'commander'
import { COMMAND_TABLE } from './command-table.ts'
import type { Io, Output } from './process-io.ts'
import { version } from './version.ts'

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
--trust-folder, with any command, applies every key of this directory's .precis/settings.json.`

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
    .configureOutput({ ...outputsOf(io), outputError: () => undefined })
    .showSuggestionAfterError()
  for (const { name, summary, load } of COMMAND_TABLE) {
    const command = program.command(name).description(summary)
    if (whole(name)) (await load()).define(command, io)
    const leaves = command.commands.length === 0 ? [command] : command.commands
    for (const each of leaves) each.addOption(trustOption())
  }
  return program.hook('preAction', async (_, command) => {
    const { trustFolder } = await import('./settings/trust.ts')
    trustFolder(command.opts().trustFolder === true)
  })
}

/** Every command reads settings, so the option is not repeated in each help. */
function trustOption(): Option {
  return new Option('--trust-folder', "apply all of the project's settings").hideHelp()
}

function outputsOf({ stdout, stderr }: Io) {
  const width = ({ isTTY, columns }: Output) => (isTTY && columns) || UNKNOWN_WIDTH
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    getOutHelpWidth: () => width(stdout),
    getErrHelpWidth: () => width(stderr),
  }
}
