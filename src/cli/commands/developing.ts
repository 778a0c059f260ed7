// Commands for developers: options and help. Actions are loaded on demand.
import { type Command, Option } from 'commander'
import { PrecisError } from '../../core/errors.ts'
import { PROFILES } from '../../validate/validate.ts'
import type { CheckFlags } from '../check/check-file.ts'
import { buildGrammar, SHELLS } from '../completion/grammar.ts'
import { completionScript } from '../completion/scripts.ts'
import type { EdlFlags } from '../edl/edl-script.ts'
import type { Definitions, Io } from '../process-io.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'
import { print } from '../terminal/terminal.ts'

export const definitions: Definitions = {
  check: defineCheck,
  edl: defineEdl,
  completion: defineCompletion,
  'dev-model': defineDevModel,
}

const CHECK_HELP = `
Providers:
  ${Object.keys(PROFILES).join(', ')}

What is checked:
  A document with a model is a request. A document without one is a history: it may end with an answer
  or with a call that waits for its result, and it need not define its tools.
  The format is detected unless --format names it, and its rules apply. If the provider uses another
  format, the converted request is checked too. For an agent's session file (docs/formats.md), the
  request that it would send is checked.

Output:
  Each violation is printed with the id of its rule (docs/spec/valid.md), its place and the reason.
  --repair FILE writes a repaired copy and lists each change with its reason.
  --repair - writes the copy to standard output and the report to standard error.
  --json prints the report and errors as JSON.

Examples:
  precis check session.json --provider anthropic
  precis check session.json --provider anthropic --repair repaired.json
  precis check request.json --provider openai-chat --format openai-chat
  precis check session.jsonl --provider anthropic
  cat session.json | precis check - --provider bedrock --json

Exit codes: 0 no violations (in the copy, with --repair), 1 violations or failed,
2 wrong usage or settings.`

function defineCheck(command: Command, io: Io): void {
  command
    .argument(
      '[file...]',
      'requests, histories or session files, directories or ids; - reads standard input',
    )
    .requiredOption('--provider <name>', 'the provider whose rules apply')
    .option('--format <format>', 'the format of the file (default: detected)')
    // The name of --format up to 0.1; to be removed in the next version.
    .addOption(new Option('--from <format>').hideHelp())
    .option('--repair <file>', 'write a repaired copy to this file; - is standard output')
    .option('--force', 'overwrite an existing --repair file')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', CHECK_HELP)
    .action(async (given: string[], flags: CheckFlags & ChosenBy) => {
      const { eachSession } = await import('../sessions/choose-sessions.ts')
      const { checkFile } = await import('../check/check-file.ts')
      await eachSession(given, flags, io, (file, io) => checkFile(file, flags, io))
    })
  choosing(command)
}

const EDL_HELP = `
Paths:
  A path in the script is relative to DIR, with or without a leading slash. Nothing outside DIR is read or
  written, neither by .. nor through a link.

Output:
  All or nothing: if one file fails, no file is changed. With --partial, the other files are written
  anyway. Each file is replaced as a whole, and only if it has not changed since it was read.
  --dry-run writes nothing and shows the differences. --diff shows them and writes.
  --json prints the report and errors as JSON.

Examples:
  precis edl change.edl --root docs --dry-run
  precis edl change.edl --root docs
  printf 'file notes.md\\nselect /red/\\nreplace "green"\\n' | precis edl - --root .

docs/edl.md describes the language.

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

function defineEdl(command: Command, io: Io): void {
  command
    .argument('<script>', 'the script; - reads standard input')
    .requiredOption('--root <dir>', 'the directory whose files the script may read and change')
    .option('--dry-run', 'write nothing and show the differences')
    .option('--diff', 'show the differences')
    .option('--partial', 'write the files that succeed even if others fail')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', EDL_HELP)
    .action(async (script: string, flags: EdlFlags) => {
      const { applyScript } = await import('../edl/edl-script.ts')
      await applyScript(script, flags, io)
    })
}

const COMPLETION_HELP = `
Examples:
  source <(precis completion bash)
  precis completion zsh > "\${fpath[1]}/_precis"
  precis completion fish > ~/.config/fish/completions/precis.fish

Exit codes: 0 done, 2 wrong usage.`

function defineCompletion(command: Command, io: Io): void {
  command
    .argument('<shell>', 'bash, zsh or fish')
    .option('--json', 'print the script in a JSON object')
    .addHelpText('after', COMPLETION_HELP)
    .action(async (shell: string, flags: { json?: boolean }) => {
      await printCompletion(command.parent ?? command, shell, flags.json, io)
    })
}

/** `program` must have all commands with their options. */
async function printCompletion(
  program: Command,
  given: string,
  json: boolean | undefined,
  io: Io,
): Promise<void> {
  const shell = SHELLS.find((known) => known === given)
  if (shell === undefined)
    throw new PrecisError('usage', `there is no completion for ${given}`, {
      where: given,
      hint: `Known shells: ${SHELLS.join(', ')}.`,
    })
  const script = completionScript(shell, buildGrammar(program))
  await print(io, { shell, script }, json, ({ script: text }) => text)
}

const DEV_MODEL_HELP = `
The stand-in serves Anthropic Messages, OpenAI Chat Completions and Responses, and Ollama's own API. It
rejects what the real providers reject and answers by itself. It is deterministic and not a language model.

Examples:
  precis dev-model --port 4321
  ANTHROPIC_BASE_URL=http://127.0.0.1:4321 your-agent`

function defineDevModel(command: Command, io: Io): void {
  command
    .option('--port <number>', 'the port to listen on; 0 picks a free port', '0')
    .option('--window <tokens>', 'reject requests that do not fit a window of this size')
    .option('--json', 'print the address as JSON')
    .addHelpText('after', DEV_MODEL_HELP)
    .action((flags: DevModelFlags) => serveDevModel(flags, io))
}

const HIGHEST_PORT = 65_535

interface DevModelFlags {
  readonly port: string
  readonly window?: string
  readonly json?: boolean
}

async function serveDevModel(flags: DevModelFlags, io: Io): Promise<void> {
  const port = wholeNumber(flags.port, '--port', 0, HIGHEST_PORT)
  const windowTokens =
    flags.window === undefined
      ? undefined
      : wholeNumber(flags.window, '--window', 1, Number.MAX_SAFE_INTEGER)
  const { startDevModel } = await import('../../dev-model/index.ts')
  const { signals } = await import('../serve/serve.ts')
  const stopping = signals(io.host)
  const server = await startDevModel({ port, ...(windowTokens !== undefined && { windowTokens }) })
  await writeStream(
    io.stdout,
    flags.json
      ? `${JSON.stringify({ url: server.url })}\n`
      : `The stand-in model listens at ${server.url} (stop it with Ctrl-C). It is not a language model.\n`,
  )
  await stopping.first
  stopping.end()
  await server.close()
}
