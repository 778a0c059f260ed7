// The page on the command line, made of what the commands say of themselves.
import type { Command } from 'commander'
import { processIo } from '../../src/cli/process-io.ts'
import { programOf } from '../../src/cli/program.ts'

const COLUMNS = 100

const INTRODUCTION = `# The command line

\`precis COMMAND --help\` says what is below; the blocks are what it prints. In a checkout type \`npm run --silent precis --\` in place of \`precis\`.

- **What it works on**: a session file of any format that is read ([formats.md](formats.md)), told by its content; standard input as \`-\`; or a thread of the store, named like \`thr_0mwh…\`.
- **What is printed**: results and reports on standard output, progress and errors on standard error. \`--json\` makes reports and errors JSON. In a pipe there are no colours and no progress; \`NO_COLOR\` and \`FORCE_COLOR\` decide otherwise.
- **Exit codes**: 0 done, 1 failed, 2 wrong usage or settings. A failure changes nothing.
- **Settings**: [configuration.md](configuration.md). \`--trust-folder\`, with any command, obeys all that the project's file sets; without it only harmless keys count. When something goes wrong: [troubleshooting.md](troubleshooting.md), and \`precis doctor\`.
`

export async function cliPage(): Promise<string> {
  const program = await programOf(processIo(), () => true)
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
