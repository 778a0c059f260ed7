// `precis dev-model`: the strict stand-in for model providers, on the loopback address until it is stopped.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { DevModelFlags } from '../serve-dev-model.ts'

const HELP = `
It speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Ollama's own API, refuses what
the real ones refuse, and answers by itself: it is deterministic, and no language model.

Examples:
  precis dev-model --port 4321
  ANTHROPIC_BASE_URL=http://127.0.0.1:4321 your-agent`

export function define(command: Command, io: Io): void {
  command
    .option('--port <number>', 'the port to listen on; 0 takes a free one', '0')
    .option('--window <tokens>', 'refuse requests that do not fit a window of so many tokens')
    .option('--json', 'print where it listens as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: DevModelFlags) => {
      const { serveDevModel } = await import('../serve-dev-model.ts')
      await serveDevModel(flags, io)
    })
}
