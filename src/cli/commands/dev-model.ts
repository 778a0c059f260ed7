// `precis dev-model`: the strict stand-in for model providers, on the loopback address until it is stopped.
import type { Command } from 'commander'

const HELP = `
It speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Ollama's own API, refuses what
the real ones refuse, and answers by itself: it is deterministic, and no language model.

Examples:
  precis dev-model --port 4321
  ANTHROPIC_BASE_URL=http://127.0.0.1:4321 your-agent`

interface DevModelFlags {
  readonly port: string
  readonly window?: string
}

export function devModelCommand(program: Command): void {
  program
    .command('dev-model')
    .description('serve a strict, deterministic stand-in for model providers on this machine')
    .option('--port <number>', 'the port to listen on; 0 takes a free one', '0')
    .option('--window <tokens>', 'refuse requests that do not fit a window of so many tokens')
    .addHelpText('after', HELP)
    .action(async (flags: DevModelFlags) => {
      const { serveDevModel } = await import('../serve-dev-model.ts')
      await serveDevModel(flags)
    })
}
