// The plug-in for OpenCode: hands what must not be lost to its own compaction
import { runPrecis } from './run-precis.ts'

/** What of OpenCode's plug-in API is used. */
interface PluginInput {
  readonly directory: string
  readonly client: {
    readonly session: {
      messages(given: { path: { id: string } }): Promise<{ data?: unknown }>
      get(given: { path: { id: string } }): Promise<{ data?: unknown }>
    }
  }
}

interface Hooks {
  readonly 'experimental.session.compacting': (
    input: { readonly sessionID: string },
    output: { context: string[]; prompt?: string },
  ) => Promise<void>
}

/** `command` starts précis: the Node and the script, or `['precis']`. */
export function plugin(command: readonly string[] = ['precis']) {
  return async ({ directory, client }: PluginInput): Promise<Hooks> => ({
    'experimental.session.compacting': async ({ sessionID }, output) => {
      try {
        const path = { id: sessionID }
        const [info, messages] = await Promise.all([
          client.session.get({ path }),
          client.session.messages({ path }),
        ])
        const document = { info: info.data, messages: messages.data }
        const input = { hook_event_name: 'Brief', cwd: directory, document }
        const text = await runPrecis(command, 'opencode', input)
        if (text !== '') output.context.push(text)
      } catch {
        return // OpenCode compacts without it
      }
    },
  })
}

export default plugin()
