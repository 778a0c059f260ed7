// The program as commander knows it: every command by name, and the whole of those that are asked for.
import { Command, Option } from 'commander'
import { COMMAND_TABLE } from './command-table.ts'
import type { Io, Output } from './process-io.ts'
import { version } from './version.ts'

const HELP = `
Examples:
  precis start                                           the sample session, before and after
  precis compact session.jsonl                           show what a compaction would save
  precis compact session.jsonl --out smaller.jsonl       write the result
  precis inspect session.jsonl                           what is in it
  precis compact --help                                  all options of a command

A session is a file of Claude Code, Codex, pi, OpenCode and others (docs/formats.md), told by its content,
or a thread of the store, as in thr_0mwh….

Exit codes: 0 done, 1 failed, 2 wrong usage or settings. --json makes reports and errors JSON.
--trust-folder, with any command, obeys all that .precis/settings.json of this folder sets.`

/** What commander takes where there is no terminal. */
const UNKNOWN_WIDTH = 80

/** `whole` says which commands get their options; a command without them is only listed. */
export async function programOf(io: Io, whole: (name: string) => boolean): Promise<Command> {
  const program = new Command('precis')
    .description('Keeps language-model agents inside their context window without losing anything.')
    .version(version())
    .addHelpText('after', HELP)
    .exitOverride()
    // Errors are told once, in our words, where they are caught.
    .configureOutput({ ...outputsOf(io), outputError: () => undefined })
    .showSuggestionAfterError()
  for (const { name, summary, load } of COMMAND_TABLE) {
    const command = program.command(name).description(summary)
    if (whole(name)) (await load()).define(command, io)
    const leaves = command.commands.length === 0 ? [command] : command.commands
    for (const each of leaves) each.addOption(trustOption())
  }
  return program.hook('preAction', async (_, command) => {
    const { trustFolder } = await import('./trust.ts')
    trustFolder(command.opts().trustFolder === true)
  })
}

/** Every command reads settings; the help of each need not say so. */
function trustOption(): Option {
  return new Option('--trust-folder', "obey all of the project's settings").hideHelp()
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
