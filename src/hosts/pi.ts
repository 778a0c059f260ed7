// The extension for pi: replaces its compaction by one of précis, and falls back to pi's own
import { runPrecis } from './run-precis.ts'

/** What of pi's extension API is used; pi checks the rest. */
interface ExtensionApi {
  on(
    event: 'session_before_compact',
    handler: (
      event: BeforeCompact,
      context: ExtensionContext,
    ) => Promise<CompactionResult | undefined>,
  ): void
}

interface BeforeCompact {
  readonly preparation: { readonly firstKeptEntryId: string; readonly tokensBefore: number }
}

interface ExtensionContext {
  readonly cwd?: string
  readonly sessionManager?: { getSessionFile(): string | undefined }
}

interface CompactionResult {
  readonly compaction: {
    readonly summary: string
    readonly firstKeptEntryId: string
    readonly tokensBefore: number
    readonly details: { readonly by: 'precis' }
  }
}

/** `command` starts précis: the Node and the script, or `['precis']`. */
export function plugin(command: readonly string[] = ['precis']) {
  return (pi: ExtensionApi): void => {
    pi.on('session_before_compact', async ({ preparation }, context) => {
      const transcript_path = context.sessionManager?.getSessionFile()
      const { cwd = '' } = context
      const input = { hook_event_name: 'Summary', transcript_path, cwd }
      const summary = await runPrecis(command, 'pi', input)
      if (summary === '') return undefined // pi compacts by itself
      const { firstKeptEntryId, tokensBefore } = preparation
      return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { by: 'precis' } } }
    })
  }
}

export default plugin()
