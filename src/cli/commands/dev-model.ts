// `precis dev-model`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { DevModelFlags } from '../serve/serve-dev-model.ts'

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
    .action(async (flags: DevModelFlags) => {
      const { serveDevModel } = await import('../serve/serve-dev-model.ts')
      await serveDevModel(flags, io)
    })
}
