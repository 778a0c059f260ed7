// Counts the parts of a context in the tokens of the requested counter.
import { splitTokens, type TokenSplit, toolNames } from '../../core/edit/token-split.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Block, Part } from '../../core/view/content.ts'
import { type Context, headIds } from '../../core/view/context.ts'
import { type Item, newEntryAt } from '../../core/view/entry.ts'
import { contentOf, type EntryContent } from '../../core/view/entry-content.ts'
import {
  chars4Counter,
  estimateCounter,
  type TokenCounter,
} from '../../core/window/tokens/counter.ts'
import { loadO200k } from '../../providers/o200k.ts'

export const COUNTERS = ['estimate', 'chars4', 'o200k'] as const satisfies TokenCounter['id'][]

export async function loadCounter(id: TokenCounter['id']): Promise<TokenCounter> {
  if (id === 'o200k') return loadO200k()
  return id === 'chars4' ? chars4Counter : estimateCounter
}

export function requireCounter(id: string): TokenCounter['id'] {
  const found = COUNTERS.find((known) => known === id)
  if (found) return found
  throw new PrecisError('usage', `Unknown counter: ${id}`, {
    where: '--counter',
    hint: `Known counters: ${COUNTERS.join(', ')}.`,
  })
}

/**
 * Contexts use the estimate anyway. Other counters count only text, without the provider's overhead; for
 * other content (an image) the estimate applies.
 */
export function countContext(
  context: Context,
  eventAt: EventAt,
  counter: TokenCounter,
): TokenSplit {
  const estimated = splitTokens(context, eventAt)
  if (counter.id === 'estimate') return estimated
  const items = context.items.toArray()
  const tools = toolNames(items, context.open, eventAt)
  const results = new Map<string, number>()
  const sums = { system: 0, user: 0, assistant: 0, toolCalls: 0, thinking: 0, summaries: 0 }
  for (const id of headIds(context)) sums.system += counter.count(promptAt(id, eventAt))
  items.forEach((item, at) => {
    const content = contentOf(item.id, eventAt)
    if (content?.kind === 'result') {
      const tool = tools.get(at) ?? 'unknown'
      const tokens = counter.count(textOfBlocks(content.result.content))
      results.set(tool, (results.get(tool) ?? 0) + tokens)
    } else if (content) countInto(sums, item, content, counter, eventAt)
  })
  const toolResults = [...results]
    .map(([tool, tokens]) => ({ tool, tokens }))
    .sort((a, b) => b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1))
  const { images } = estimated
  const total = [...Object.values(sums), ...results.values(), images].reduce((a, b) => a + b, 0)
  return { total, ...sums, images, toolResults }
}

type Sums = Record<'system' | 'user' | 'assistant' | 'toolCalls' | 'thinking' | 'summaries', number>

const WRITTEN: ReadonlySet<string | undefined> = new Set(['summary', 'brief', 'files'])

function countInto(
  sums: Sums,
  item: Item,
  content: Exclude<EntryContent, { kind: 'result' }>,
  counter: TokenCounter,
  eventAt: EventAt,
): void {
  switch (content.kind) {
    case 'user': {
      const isWritten = WRITTEN.has(newEntryAt(item.id, eventAt)?.label)
      sums[isWritten ? 'summaries' : 'user'] += counter.count(textOfParts(content.content, 'said'))
      break
    }
    case 'answer': {
      const { answer, calls } = content
      const parts = answer.parts ?? answer.content
      sums.assistant += counter.count(textOfParts(parts, 'said'))
      if (!item.hide?.includes('thinking'))
        sums.thinking += counter.count(textOfParts(parts, 'thought'))
      for (const { name, arguments: given } of calls)
        sums.toolCalls += counter.count(`${name} ${JSON.stringify(given)}`)
      break
    }
    case 'reminder':
      sums.system += counter.count(content.text)
      break
    case 'checkpoint':
      sums.system += counter.count(content.id)
      break
    default:
  }
}

function promptAt(id: string, eventAt: EventAt): string {
  const event = eventAt(Number(id.slice(1)))
  return event && typeof event.data === 'string' ? event.data : ''
}

function textOfParts(content: string | readonly Part[], which: 'said' | 'thought'): string {
  if (typeof content === 'string') return which === 'said' ? content : ''
  return content.map((part) => textOfPart(part, which)).join('\n')
}

function textOfPart(part: Part, which: 'said' | 'thought'): string {
  if (part.type === 'thinking') return which === 'thought' ? part.thinking : ''
  if (which === 'thought') return ''
  if (part.type === 'text') return part.text
  if (part.type === 'document') return part.media.text ?? ''
  return part.type === 'native' ? JSON.stringify(part.value) : ''
}

function textOfBlocks(blocks: readonly Block[]): string {
  return blocks
    .map(({ text, value }) => text ?? (value === undefined ? '' : JSON.stringify(value)))
    .join('\n')
}
