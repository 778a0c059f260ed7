// `precis dev-model`: serves the stand-in until it is stopped. Its code is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'

const HELP = `
The stand-in serves Anthropic Messages, OpenAI Chat Completions and Responses, and Ollama's own API. It
rejects what the real providers reject and answers by itself. It is deterministic and not a language model.

Examples:
  precis dev-model --port 4321
  ANTHROPIC_BASE_URL=http://127.0.0.1:4321 your-agent`

export function define(command: Command, io: Io): void {
  command
    .option('--port <number>', 'the port to listen on; 0 picks a free port', '0')
    .option('--window <tokens>', 'reject requests that do not fit a window of this size')
    .option('--json', 'print the address as JSON')
    .addHelpText('after', HELP)
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
