// The plug-in for OpenCode: keeps its requests below the window without a model, and feeds its own
// compaction.
import type { Client, OpenCodeMessage, OpenCodeViews } from './opencode-views.ts'
import { askPins } from './run-precis.ts'

/** The used part of OpenCode's plug-in API; a test compiles it against OpenCode's types. */
interface PluginInput {
  readonly directory: string
  readonly client: Client
}

interface Hooks {
  'experimental.session.compacting': (
    input: { sessionID: string },
    output: { context: string[] },
  ) => Promise<void>
  'experimental.chat.messages.transform': (
    input: object,
    output: { messages: OpenCodeMessage[] },
  ) => Promise<void>
}

const HINT =
  'Call the tool recall of the MCP server precis with a few words to read again what stands here in short.'

/** `command` starts précis for the user's pins; without it there are none. */
export function plugin(command?: readonly string[]) {
  return async ({ directory, client }: PluginInput): Promise<Hooks> => {
    const brief = async (sessionID: string, until: string | undefined, budgetTokens: number) => {
      const path = { id: sessionID }
      const [{ sessionBrief }, { openCode: format }, pins, info, messages] = await Promise.all([
        import('./session-brief.ts'),
        import('../formats/opencode/write.ts'),
        askPins(command, 'opencode', { transcript_path: findDatabase(sessionID), cwd: directory }),
        client.session.get({ path }),
        client.session.messages({ path }),
      ])
      const text = JSON.stringify({ info: info.data, messages: messages.data })
      return sessionBrief({ format, text, until, budgetTokens, pins, recall: HINT })
    }
    let views: Promise<OpenCodeViews> | undefined
    const open = () => {
      views ??= import('./opencode-views.ts').then(
        ({ OpenCodeViews: Views }) => new Views(client, brief),
      )
      return views
    }
    return {
      'experimental.session.compacting': ({ sessionID }, output) =>
        guarded(async () => {
          ;(await open()).isCompacting(sessionID)
          const text = await brief(sessionID, undefined, FED_TOKENS)
          output.context.push(
            `Keep the following in the summary; sentences of the user word for word:\n\n${text}`,
          )
        }),
      'experimental.chat.messages.transform': (_, { messages }) =>
        guarded(async () => (await open()).rewrite(messages)),
    }
  }
}

export default plugin()

/** What OpenCode's own compaction receives. */
const FED_TOKENS = 4_000

/** OpenCode's session, as `precis sync` names it. */
function findDatabase(sessionID: string): string {
  const { XDG_DATA_HOME, HOME = '' } = process.env
  return `${XDG_DATA_HOME || `${HOME}/.local/share`}/opencode/opencode.db#${sessionID}`
}

/** A plug-in must not break its host: OpenCode continues with what it has. */
async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    const { notePluginFailure } = await import('./failure-log.ts')
    await notePluginFailure('opencode', thrown)
  }
}
