// What people want of every compaction, from the settings and the command line: what stays, what to mind.
import type { CompactionHooks } from '../../agent/hooks.ts'
import type { CompactionPlan } from '../../compaction/plan.ts'
import type { Composed } from '../../compose.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { readSubject } from '../../core/ledger/intent.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Json } from '../../core/text/json.ts'
import { matchesPath, matchesText } from '../../core/text/words.ts'
import type { ToolCall } from '../../core/view/content.ts'
import { contentOf } from '../../core/view/round-results.ts'
import { roundsOf } from '../../core/view/seam.ts'

export interface Wishes {
  readonly pins: readonly string[] // texts
  readonly protect: Settings['protect']
  readonly instructions?: string
}

export function wishesOf(
  { pins = [], protect, summaries }: Settings,
  given: {
    readonly pins?: readonly string[] | undefined
    readonly instructions?: string | undefined
  } = {},
): Wishes {
  const lines = [
    summaries.instructions,
    summaries.language === undefined ? undefined : `Write in ${summaries.language}.`,
    given.instructions,
  ].filter((line) => line !== undefined)
  return {
    pins: [...new Set([...pins, ...(given.pins ?? [])])],
    protect,
    ...(lines.length > 0 && { instructions: lines.join('\n') }),
  }
}

/** What is to be pinned with a compaction. The gate keeps it then, whatever the strategy. */
export async function wishedPins(
  composed: Pick<Composed, 'threads' | 'store'>,
  threadId: string,
  { pins, protect }: Wishes,
): Promise<NonNullable<CompactionPlan['pins']>> {
  const entries = await protectedEntries(composed, threadId, protect)
  return [
    ...pins.map((text) => ({ text, by: 'user' as const })),
    ...(entries.length > 0 ? [{ entries, by: 'pattern' as const }] : []),
  ]
}

/** The same for an agent, which compacts by itself. */
export function wishesHooks(
  composed: Pick<Composed, 'threads' | 'store'>,
  settings: Settings,
): CompactionHooks[] {
  const wishes = wishesOf(settings)
  const { pins, protect, instructions } = wishes
  if (instructions === undefined && pins.length === 0 && Object.keys(protect).length === 0)
    return []
  return [
    {
      name: 'settings',
      async before({ threadId }) {
        const entries = await protectedEntries(composed, threadId, protect)
        return { pins, entries, ...(instructions !== undefined && { instructions }) }
      },
    },
  ]
}

/** The answers that call a protected tool, or touch a protected file: a pin on one holds its round. */
async function protectedEntries(
  composed: Pick<Composed, 'threads' | 'store'>,
  threadId: string,
  { tools = [], paths = [] }: Wishes['protect'],
): Promise<EntryId[]> {
  if (tools.length === 0 && paths.length === 0) return []
  const { context, eventAt } = await composed.threads.contents(threadId)
  const items = context.items.toArray()
  return roundsOf(items, context.open).flatMap(({ answer }) => {
    const content = contentOf(answer, eventAt)
    const calls = content?.kind === 'answer' ? content.calls : []
    return calls.some((call) => isProtected(call, tools, paths)) ? [answer] : []
  })
}

function isProtected(
  { name, arguments: given }: ToolCall,
  tools: readonly string[],
  paths: readonly string[],
): boolean {
  if (tools.some((pattern) => matchesText(pattern, name))) return true
  const named = pathsIn(given)
  return paths.some((pattern) => named.some((path) => findIsPath(pattern, path)))
}

/** Every text among the arguments could be a path; what is none matches no pattern. */
function pathsIn(given: Json): string[] {
  if (typeof given === 'string') return [given]
  if (typeof given !== 'object' || given === null) return []
  return [readSubject(given), ...Object.values(given)].filter((value) => typeof value === 'string')
}

/** A pattern without a leading slash matches at any depth, as people expect of `*.sql`. */
function findIsPath(pattern: string, path: string): boolean {
  const plain = path.replace(/^\.\//, '')
  if (pattern.startsWith('/')) return matchesPath(pattern, plain)
  return matchesPath(`**/${pattern}`, plain.replace(/^\/+/, ''))
}
