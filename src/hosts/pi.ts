// The extension for pi: replaces its compaction by précis' own, without a model, and adds `recall`.
import { askPins } from './run-precis.ts'

/** The used part of pi's extension API; a test compiles it against pi's types. */
interface ExtensionApi {
  on(
    event: 'session_before_compact',
    handler: (event: BranchToShorten, context: Context) => Promise<Result | undefined>,
  ): unknown
  registerTool(tool: {
    name: string
    label: string
    description: string
    promptSnippet: string
    parameters: object
    execute(
      callId: string,
      input: unknown,
      signal: AbortSignal | undefined,
      onUpdate: unknown,
      context: Context,
    ): Promise<{ content: { type: 'text'; text: string }[]; details: unknown }>
  }): void
}

interface BranchToShorten {
  readonly preparation: {
    readonly firstKeptEntryId: string
    readonly tokensBefore: number
    readonly settings: { readonly reserveTokens: number; readonly keepRecentTokens: number }
  }
  readonly branchEntries: readonly object[]
  readonly customInstructions?: string
  readonly signal: AbortSignal
}

interface Context {
  readonly cwd: string
  readonly model: { readonly contextWindow: number } | undefined
  readonly sessionManager: {
    getSessionFile(): string | undefined
    getHeader(): object | null
    getEntries(): readonly object[]
  }
}

interface Result {
  compaction: {
    summary: string
    firstKeptEntryId: string
    tokensBefore: number
    details: { by: 'precis'; instructions: string[] }
  }
}

/** `command` starts précis for the user's pins; without it there are none. */
export function plugin(command?: readonly string[]) {
  return (pi: ExtensionApi): void => {
    pi.on('session_before_compact', async (event, context) => {
      try {
        return await compacted(event, context, command)
      } catch (thrown) {
        const { notePluginFailure } = await import('./failure-log.ts')
        await notePluginFailure('pi', thrown)
        return undefined // pi compacts by itself
      }
    })
    pi.registerTool({
      ...RECALL,
      execute: async (_callId, input, _signal, _onUpdate, { sessionManager }) => {
        const [{ recallIn }, { pi: format }] = await Promise.all([
          import('./session-recall.ts'),
          import('../formats/pi/write.ts'),
        ])
        const text = await recallIn(format, writeLines(sessionManager), Object(input))
        return { content: [{ type: 'text', text }], details: undefined }
      },
    })
  }
}

export default plugin()

const RECALL = {
  name: 'recall',
  label: 'recall',
  description:
    'Reads parts of this session that were compacted. Give either `query` (a few words of what it was about) to find where something was said; or `ref` (such as e12, from a note or a find, with `offset`) to read it word for word.',
  promptSnippet: 'Read what was compacted out of this session, by words or by ref',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words to look for.' },
      ref: { type: 'string', description: 'What to read: a ref such as e12.' },
      offset: { type: 'integer', minimum: 0, description: 'The character to begin with.' },
    },
  },
}

const HINT =
  'Call the tool recall with a ref, or with words, to read again what stands here in short.'

async function compacted(
  { preparation, branchEntries, customInstructions, signal }: BranchToShorten,
  { cwd, model, sessionManager }: Context,
  command: readonly string[] | undefined,
): Promise<Result | undefined> {
  const [{ sessionBrief }, { pi: format }, pins] = await Promise.all([
    import('./session-brief.ts'),
    import('../formats/pi/write.ts'),
    askPins(command, 'pi', { transcript_path: sessionManager.getSessionFile(), cwd }),
  ])
  const { firstKeptEntryId, tokensBefore, settings } = preparation
  const instructions = instructionsIn(branchEntries, customInstructions)
  const summary = await sessionBrief({
    format,
    text: writeLines(sessionManager, branchEntries.at(-1)),
    until: firstKeptEntryId,
    budgetTokens: budgetFor(model?.contextWindow ?? 0, settings),
    pins,
    instructions,
    recall: HINT,
  })
  if (signal.aborted) return undefined
  const details = { by: 'precis' as const, instructions }
  return { compaction: { summary, firstKeptEntryId, tokensBefore, details } }
}

/**
 * The session as pi writes it. Its last entry determines the active branch; pi writes none when the user
 * switches branches, so one that follows the given leaf stands for pi's next entry.
 */
function writeLines(session: Context['sessionManager'], leaf?: object): string {
  const { id } = (leaf ?? {}) as { id?: string }
  const next = { type: 'custom', id: 'precis-next', parentId: id, customType: 'precis' }
  const records = [session.getHeader() ?? {}, ...session.getEntries()]
  if (id !== undefined) records.push(next)
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Instructions of earlier compactions by précis stay valid, because no message contains them. */
function instructionsIn(entries: readonly object[], given = ''): string[] {
  const earlier = entries.flatMap((entry) => {
    const { type, details } = entry as {
      type?: string
      details?: Partial<Result['compaction']['details']>
    }
    return type === 'compaction' && details?.by === 'precis' ? (details.instructions ?? []) : []
  })
  // Newest last, including a repeated one.
  return [...new Set([given.trim(), ...earlier.reverse()])].filter(Boolean).reverse()
}

const MOST_TOKENS = 12_000
const LEAST_TOKENS = 1_500

/** A third of what pi leaves free besides its kept messages and the next answer. */
function budgetFor(
  windowTokens: number,
  { reserveTokens, keepRecentTokens }: BranchToShorten['preparation']['settings'],
): number {
  const free = Math.floor((windowTokens - reserveTokens - keepRecentTokens) / 3)
  return windowTokens === 0 ? MOST_TOKENS : Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, free))
}
