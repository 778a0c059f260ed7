// Entries a compaction keeps: protected tools and files, and system messages.
import type { Composed } from '../../compose.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { readSubject } from '../../core/ledger/call-fields.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { fieldsIn, type Json } from '../../core/text/json.ts'
import { matchesPath, matchesText } from '../../core/text/patterns.ts'
import type { ToolCall } from '../../core/view/content.ts'
import { parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { roundsOf } from '../../core/view/seam.ts'

/** Answers that call a protected tool or touch a protected file: a pin on one keeps its round. */
export async function protectedEntries(
  composed: Pick<Composed, 'threads'>,
  threadId: string,
  { tools = [], paths = [] }: Settings['protect'],
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

/** Message formats whose `system` and `developer` messages come from the agent's author. */
const MESSAGE_FORMATS: ReadonlySet<unknown> = new Set([
  'anthropic',
  'openai-chat',
  'openai-responses',
  'ai-sdk',
])

/** System messages in the middle of a history bind like those at its head. */
export async function systemEntries(
  { threads }: Pick<Composed, 'threads'>,
  threadId: string,
): Promise<EntryId[]> {
  const { context, eventAt } = await threads.contents(threadId)
  return context.items.toArray().flatMap(({ id }) => {
    const { original, seq } = parseEntryId(id)
    const event = original ? eventAt(seq) : undefined
    if (event?.type !== 'SYSTEM_REMINDER') return []
    return MESSAGE_FORMATS.has(fieldsIn(event.source).format) ? [id] : []
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

/** Any string argument may be a path; others match no pattern. */
function pathsIn(given: Json): string[] {
  if (typeof given === 'string') return [given]
  if (typeof given !== 'object' || given === null) return []
  return [readSubject(given), ...Object.values(given)].filter((value) => typeof value === 'string')
}

/** As people expect of `*.sql`, a pattern without a leading slash matches at any depth. */
function findIsPath(pattern: string, path: string): boolean {
  const plain = path.replace(/^\.\//, '')
  if (pattern.startsWith('/')) return matchesPath(pattern, plain)
  return matchesPath(`**/${pattern}`, plain.replace(/^\/+/, ''))
}
