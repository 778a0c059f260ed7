// The parts of a context in estimated tokens by category; they add up to the total.
import type { EventAt } from '../log/event.ts'
import type { Block, Part } from '../view/content.ts'
import { type Context, weightOf } from '../view/context.ts'
import { type Item, newEntryAt, parseEntryId } from '../view/entry.ts'
import { contentOf } from '../view/entry-content.ts'
import { roundsOf } from '../view/seam.ts'
import { weighAnswer, weighResult, weighUser } from '../window/tokens/weigh.ts'
import type { EntryId, EntryLabel } from './change.ts'

export interface ToolTokens {
  readonly tool: string
  readonly tokens: number
}

export interface TokenSplit {
  readonly total: number
  readonly system: number // prompts, reminders and checkpoints
  readonly user: number
  readonly assistant: number
  readonly toolCalls: number
  readonly toolResults: readonly ToolTokens[] // heaviest tool first
  readonly thinking: number // without hidden thinking
  readonly images: number
  readonly summaries: number // written by compactions
}

type Category = Exclude<keyof TokenSplit, 'total' | 'toolResults'>

const WRITTEN: ReadonlySet<EntryLabel | undefined> = new Set(['summary', 'brief', 'files'])

/** For results without a call. */
const UNKNOWN_TOOL = 'unknown'

export function splitTokens(context: Context, eventAt: EventAt): TokenSplit {
  const items = context.items.toArray()
  const tools = toolNames(items, context.open, eventAt)
  const sums: Record<Category, number> = {
    system: weightOf(context) - context.tokens,
    user: 0,
    assistant: 0,
    toolCalls: 0,
    thinking: 0,
    images: 0,
    summaries: 0,
  }
  const results = new Map<string, number>()
  items.forEach((item, at) => {
    const images = imageTokens(item, eventAt)
    const rest = item.tokens - images
    sums.images += images
    if (item.kind === 'result') {
      const tool = tools.get(at) ?? UNKNOWN_TOOL
      results.set(tool, (results.get(tool) ?? 0) + rest)
    } else if (item.kind === 'answer') {
      const { text, thinking } = insideAnswer(item, eventAt)
      sums.assistant += text
      sums.thinking += thinking
      sums.toolCalls += rest - text - thinking
    } else sums[computeCategory(item, eventAt)] += rest
  })
  const toolResults = [...results]
    .map(([tool, tokens]) => ({ tool, tokens }))
    .sort((a, b) => b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1))
  return { total: weightOf(context), ...sums, toolResults }
}

function computeCategory(item: Item, eventAt: EventAt): Category {
  if (item.kind !== 'user') return 'system'
  return WRITTEN.has(newEntryAt(item.id, eventAt)?.label) || isOpening(item.id, eventAt)
    ? 'summaries'
    : 'user'
}

/** A message that opens a thread with another one's summary. */
export function isOpening(id: EntryId, eventAt: EventAt): boolean {
  const { original, seq } = parseEntryId(id)
  const event = original ? eventAt(seq) : undefined
  return event?.type === 'USER_MESSAGE' && event.origin === 'summary'
}

/** An answer's text is short compared with its calls' arguments, so only the text is weighed again. */
function insideAnswer(item: Item, eventAt: EventAt): { text: number; thinking: number } {
  const content = contentOf(item.id, eventAt)
  const thinking = item.hide?.includes('thinking') ? 0 : (item.thinkingTokens ?? 0)
  if (content?.kind !== 'answer' || content.answer.calls.length === 0)
    return { text: item.tokens - thinking, thinking }
  return { text: weighAnswer(content.answer), thinking }
}

/** The tool name at each result's place. */
export function toolNames(
  items: readonly Item[],
  open: ReadonlySet<string>,
  eventAt: EventAt,
): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  for (const round of roundsOf(items, open)) {
    const content = contentOf(round.answer, eventAt)
    const calls = content?.kind === 'answer' ? content.calls : []
    for (const { id, name } of calls)
      for (const at of round.results.get(id) ?? []) names.set(at, name)
  }
  return names
}

function imageTokens({ id, kind }: Item, eventAt: EventAt): number {
  if (kind !== 'user' && kind !== 'result') return 0
  return kind === 'user' ? imagesOfUser(id, eventAt) : imagesOfResult(id, eventAt)
}

function imagesOfUser(id: EntryId, eventAt: EventAt): number {
  const content = contentOf(id, eventAt)
  if (content?.kind !== 'user' || typeof content.content === 'string') return 0
  const images = content.content.filter((part: Part) => part.type === 'image')
  return images.length === 0 ? 0 : weighUser(images) - weighUser([])
}

function imagesOfResult(id: EntryId, eventAt: EventAt): number {
  const content = contentOf(id, eventAt)
  if (content?.kind !== 'result') return 0
  const images = content.result.content.filter((block: Block) => block.type === 'image')
  return images.length === 0 ? 0 : weighBlocks(images) - weighBlocks([])
}

function weighBlocks(content: readonly Block[]): number {
  return weighResult({ content, status: 'completed' })
}
