// What a context weighs by category and in its largest parts, and the irreducible error: the floor and the budget.
import { PrecisError } from '../errors.ts'
import { readSubject } from '../ledger/intent.ts'
import type { EventAt } from '../log/event.ts'
import { isFields, type Json } from '../text/json.ts'
import { type Block, type Part, textOfUserContent } from '../view/content.ts'
import { type Context, headIds, weightOf } from '../view/context.ts'
import { findRoot, type Item, newEntryAt, parseEntryId } from '../view/entry.ts'
import { contentOf } from '../view/entry-content.ts'
import { roundsOf } from '../view/seam.ts'
import { cutHead, weighAnswer, weighResult, weighText, weighUser } from '../window/tokens/weigh.ts'
import type { EntryId, EntryLabel } from './change.ts'
import { type Pins, pinnedText } from './pins.ts'
import type { Proposal } from './strategy.ts'

export interface Irreducible {
  readonly floor: number // estimated tokens below which nothing gets it
  readonly budget: number
  readonly biggest: readonly BigPart[] // the heaviest first
}

export interface BigPart {
  readonly ref?: EntryId // none for what is not in the context
  readonly what: string
  readonly tokens: number
}

const BIGGEST = 5

/** What is left if nothing more can go, and the pins that go with it. */
interface Lowest {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins?: Pins | undefined
}

/** The error of a compaction that came this far down, and no further. */
export function irreducible(
  lowest: Lowest,
  { floor, budget }: Pick<Irreducible, 'floor' | 'budget'>,
): PrecisError {
  const biggest = biggestParts(lowest)
  const list = biggest.map(({ what, tokens }) => `${what} (${tokens})`).join('; ')
  return new PrecisError(
    'irreducible',
    `The content that must stay takes ${floor} tokens, and the budget is ${budget}.`,
    {
      hint: `Remove pins, shorten the system prompt, or use a model with a larger window. The biggest parts: ${list}.`,
      // A caller that can do with less asks again, as after a refusal of the gate.
      details: { reason: 'above-target', floor, budget, biggest },
    },
  )
}

/** What an error of this kind says; undefined for any other. */
export function irreducibleOf(error: unknown): Irreducible | undefined {
  if (!PrecisError.is(error) || error.code !== 'irreducible') return undefined
  const { floor, budget, biggest } = error.details
  return typeof floor === 'number' && typeof budget === 'number' && Array.isArray(biggest)
    ? { floor, budget, biggest: biggest as readonly BigPart[] }
    : undefined
}

function biggestParts(lowest: Lowest): BigPart[] {
  const { context, eventAt } = lowest
  const pinned = weighNewPins(lowest)
  const { systemTokens, userSystemTokens } = context.head
  const head = headIds(context).map((ref) => {
    const isSystem = ref === `e${context.head.system}`
    const tokens = isSystem ? systemTokens : userSystemTokens
    return { ref, tokens, what: isSystem ? 'system prompt' : "user's system prompt" }
  })
  const items = [...context.items]
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, BIGGEST)
    .map(({ id, tokens }) => ({
      ref: findRoot(id, eventAt),
      tokens,
      what: nameOfEntry(id, eventAt),
    }))
  const texts = pinned === 0 ? [] : [{ tokens: pinned, what: 'pinned texts' }]
  return [...head, ...texts, ...items].sort((a, b) => b.tokens - a.tokens).slice(0, BIGGEST)
}

/** Of the pinned texts, where they are not in the context yet. */
export function weighNewPins({ context, eventAt, pins = [] }: Lowest): number {
  const text = pinnedText(pins)
  if (text === undefined) return 0
  const stands = [...context.items].some(({ id }) => {
    const entry = id.startsWith('c') ? newEntryAt(id, eventAt) : undefined
    return entry?.label === 'pins' && entry.data === text
  })
  return stands ? 0 : weighText(text)
}

// A type, since it is put into an event as JSON.
/** The proposal for a context that already fits its budget, distinct from a failure */
type MetTarget = { readonly tokens: number; readonly targetTokens: number }

export function proposeNothing(met: MetTarget): Proposal {
  return { edits: [], metadata: { met } }
}

/** For the metadata of a strategy that nobody has given a target: the one that it took. */
export function ownTarget(
  { targetTokens }: { readonly targetTokens?: number | undefined },
  defaultTargetTokens: number,
) {
  return targetTokens === undefined ? { defaultTargetTokens } : {}
}

/** Logs are data: what has another shape is passed over. */
export function metTargetIn(metadata: Json | undefined): MetTarget | undefined {
  const met = isFields(metadata) ? metadata.met : undefined
  if (!isFields(met)) return undefined
  const { tokens, targetTokens } = met
  return typeof tokens === 'number' && typeof targetTokens === 'number'
    ? { tokens, targetTokens }
    : undefined
}

// A name for an entry that a person recognises: who said it and how it starts, or which call it answers.

const NAME_CHARS = 80

/** One line, without the characters that a terminal acts on. */
export function nameOfEntry(id: EntryId, eventAt: EventAt): string {
  const name = longName(id, eventAt)
    .slice(0, 4 * NAME_CHARS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return cutHead(name, NAME_CHARS)
}

function longName(id: EntryId, eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  switch (content?.kind) {
    case 'user':
      return `user: ${textOfUserContent(content.content)}`
    case 'answer':
      return `answer: ${content.answer.content || content.calls.map(({ name }) => name).join(', ')}`
    case 'result':
      return `result of ${callName(id, content.result.id, eventAt)}`
    case 'reminder':
      return `reminder: ${content.text}`
    case 'checkpoint':
      return `checkpoint ${content.id}`
    default:
      return id
  }
}

/** The call of the round that the result is in. */
function callName(id: EntryId, callId: string | undefined, eventAt: EventAt): string {
  const root = parseEntryId(findRoot(id, eventAt))
  for (let at = root.seq - 1; at > 0; at -= 1) {
    const event = eventAt(at)
    if (event === undefined || event.type === 'AGENT_MESSAGE' || event.type === 'USER_MESSAGE')
      break
    if (event.type === 'TOOL_CALL' && event.data.id === callId)
      return `${event.data.name} ${readSubject(event.data.arguments)}`
  }
  return callId ?? 'a call'
}

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
  readonly toolResults: readonly ToolTokens[] // the heaviest tool first
  readonly thinking: number // without what is hidden
  readonly images: number
  readonly summaries: number // what compactions wrote
}

type Category = Exclude<keyof TokenSplit, 'total' | 'toolResults'>

const WRITTEN: ReadonlySet<EntryLabel | undefined> = new Set(['summary', 'brief', 'files'])
/** A result whose call is not there. */
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

/** A message that opens a thread with the summary of another one. */
export function isOpening(id: EntryId, eventAt: EventAt): boolean {
  const { original, seq } = parseEntryId(id)
  const event = original ? eventAt(seq) : undefined
  return event?.type === 'USER_MESSAGE' && event.origin === 'summary'
}

/** The texts of answers are short beside the arguments of their calls: only they are weighed again. */
function insideAnswer(item: Item, eventAt: EventAt): { text: number; thinking: number } {
  const content = contentOf(item.id, eventAt)
  const thinking = item.hide?.includes('thinking') ? 0 : (item.thinkingTokens ?? 0)
  if (content?.kind !== 'answer' || content.answer.calls.length === 0)
    return { text: item.tokens - thinking, thinking }
  return { text: weighAnswer(content.answer), thinking }
}

/** The name of the tool by the place of its result. */
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
