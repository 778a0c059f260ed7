// The page on the command line, made of what the commands say of themselves.
import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/main.ts'
import { processIo } from '../../src/cli/process-io.ts'

const COLUMNS = 100

const INTRODUCTION = `# The command line

\`precis COMMAND --help\` prints the blocks below. In a checkout, type \`npx precis\` in place of \`precis\`.

- **Input**: a session file in any format that précis reads ([formats.md](formats.md)), detected from its content; \`-\` for standard input; or a thread in the store, such as \`thr_0mwh…\`.
- **Output**: results and reports go to standard output, progress and errors to standard error. \`--json\` prints reports and errors as JSON. In a pipe there are no colours and no progress. \`NO_COLOR\` and \`FORCE_COLOR\` override that.
- **Exit codes**: 0 done, 1 failed, 2 wrong usage or settings. A failed command changes nothing.
- **Settings**: [configuration.md](configuration.md). \`--trust-folder\`, with any command, applies every key of the settings file of this directory, and its AGENTS.md and CLAUDE.md. Without it only safe keys apply.
- **Problems**: run \`precis doctor\`, or see [troubleshooting.md](troubleshooting.md).
- **Old names**: \`check --from\` is now \`check --format\`. \`compact --input\` and \`--output\` still work; use the argument and \`--out\`.
`

export async function cliPage(): Promise<string> {
  const program = await buildProgram(processIo(), () => true)
  const list = program.commands.map(
    (command) =>
      `| [\`${command.name()}\`](#precis-${command.name()}) | ${command.description()} |`,
  )
  const sections = program.commands.flatMap((command) => [
    sectionOf('##', command),
    ...command.commands.map((inner) => sectionOf('###', inner)),
  ])
  const table = ['| command | |', '|---|---|', ...list].join('\n')
  return [INTRODUCTION, `${table}\n`, ...sections].join('\n')
}

function sectionOf(heading: string, command: Command): string {
  const outer = command.parent?.parent ? `${command.parent.name()} ` : ''
  const title = `${heading} precis ${outer}${command.name()}`
  return `${title}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\`\n`
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (piece) => {
      text += piece
    },
    getOutHelpWidth: () => COLUMNS,
  })
  command.outputHelp()
  return text
}
