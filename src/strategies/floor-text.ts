// The entry behind a summary: what the summary lost, what is answered, and how to read the originals again.
import type { Edit, NewEntry } from '../core/change.ts'
import { textOfParts, textOfUserContent } from '../core/content.ts'
import {
  type Item,
  isNewEntry,
  itemOfNewEntry,
  newId,
  parseEntryId,
  rootOf,
} from '../core/entry.ts'
import { contentOf } from '../core/entry-content.ts'
import type { EventAt } from '../core/event.ts'
import {
  answeredLine,
  type LastRequest,
  lastRequest,
  requestRoom,
  requestSection,
} from '../core/last-request.ts'
import { findRuns } from '../core/run.ts'
import type { StrategyInput } from '../core/strategy.ts'
import { asRef } from './elision.ts'
import { OPENING } from './extract/brief-frame.ts'
import { contextDigest } from './extract/context-digest.ts'
import { type Digest, digestReducer } from './extract/digest.ts'
import { draftOf } from './extract/draft.ts'

/** A context as edits would leave it. */
export interface Standing {
  /** What no longer stands there. */
  readonly goes: readonly Item[]
  readonly stays: readonly Item[]
  readonly entries: readonly NewEntry[]
  readonly tokens: number
  /** Everything that can be read there. */
  readonly texts: readonly string[]
}

export function standingAfter(edits: readonly Edit[], input: StrategyInput): Standing {
  const { context, eventAt } = input
  const items = context.items.toArray()
  const index = new Map(items.map((item, at) => [item.id, at] as const))
  const gone = new Set<Item>()
  const placed = (runs: Edit['covers']): readonly Item[] => {
    const place = findRuns(runs, items, index)
    return place ? items.slice(place.start, place.end) : []
  }
  for (const { covers, put } of edits) {
    for (const item of placed(covers)) gone.add(item)
    for (const one of put)
      if ('keep' in one) for (const item of placed([one.keep])) gone.delete(item)
  }
  const stays = items.filter((item) => !gone.has(item))
  const entries = edits.flatMap(({ put }) => put.filter(isNewEntry))
  return {
    goes: [...gone],
    stays,
    entries,
    tokens: weigh(stays) + weighEntries(entries, eventAt),
    texts: [...stays.map(({ id }) => textOf(id, eventAt)), ...entries.map(textOfEntry)],
  }
}

export function weigh(items: readonly Item[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The name is not known yet, and weighs nothing. */
function weighEntries(entries: readonly NewEntry[], eventAt: EventAt): number {
  return weigh(entries.map((entry) => itemOfNewEntry(newId(1, 0), entry, eventAt)))
}

export function textOfEntry(entry: NewEntry): string {
  if (entry.type === 'USER_MESSAGE') return textOfUserContent(entry.data)
  if (entry.type === 'AGENT_MESSAGE')
    return entry.data.content || textOfParts(entry.data.parts ?? [])
  if (entry.type === 'SYSTEM_REMINDER') return entry.data
  return entry.data.content.map(({ text = '' }) => text).join('\n')
}

function textOf(id: Item['id'], eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  if (content?.kind === 'result')
    return content.result.content.map(({ text = '' }) => text).join('\n')
  return saidIn(id, eventAt)
}

/** What the user or the agent said in it, with the arguments of calls; nothing of results. */
export function saidIn(id: Item['id'], eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  if (content?.kind === 'user') return textOfUserContent(content.content)
  if (content?.kind !== 'answer') return ''
  const { answer, calls } = content
  return [answer.content, ...calls.map((call) => JSON.stringify(call.arguments))].join('\n')
}

export interface FloorText {
  readonly input: StrategyInput
  readonly standing: Standing
  /** For the facts alone; what must be said takes more. */
  readonly maxTokens: number
}

/** Less would be a heading with nothing under it. */
const LEAST_TOKENS = 120

export async function floorText({ input, standing, maxTokens }: FloorText): Promise<string> {
  const { context, eventAt, targetTokens } = input
  const { goes, stays } = standing
  const request = lastRequest(context.items.toArray(), eventAt)
  const isGone = request !== undefined && !stays.some(({ id }) => id === request.id)
  const facts = maxTokens < LEAST_TOKENS ? '' : await lostFacts({ input, standing, maxTokens })
  return [
    noteFor(goes, eventAt),
    ...(facts === '' ? [] : [`${FACTS}\n${facts}`]),
    ...(request ? [answeredLine(request)] : []),
    ...(request && isGone ? [requestSection(request, requestRoom(weigh(goes), targetTokens))] : []),
  ].join('\n\n')
}

const FACTS = 'What the summary does not say, word for word from the log:'

function noteFor(goes: readonly Item[], eventAt: EventAt): string {
  const originals = goes
    .map(({ id }) => rootOf(id, eventAt))
    .filter((id) => parseEntryId(id).original)
  const [first, last] = [originals[0], originals.at(-1)]
  const which =
    first === undefined || last === undefined
      ? 'what stood here was'
      : `the entries ${asRef(first)} to ${asRef(last)} were`
  const such = last === undefined ? '' : ` (such as ${last})`
  return `[Context note, not a new request: ${which} compacted into the summary above. The work that it reports is done: do not repeat it. recall reads the originals again, by ref${such} or by words.]`
}

/** A brief of what the summary and what stays do not say. */
async function lostFacts({ input, standing, maxTokens }: FloorText): Promise<string> {
  const { stays, entries } = standing
  const request = requestItem(input)
  return briefOf({
    input,
    covered: standing.goes,
    stays: request ? [...stays, request] : stays,
    said: entries.map(textOfEntry),
    maxTokens,
  })
}

function requestItem({ context, eventAt }: StrategyInput): Item | undefined {
  const items = context.items.toArray()
  const request: LastRequest | undefined = lastRequest(items, eventAt)
  return items.find(({ id }) => id === request?.id)
}

interface BriefInput {
  readonly input: StrategyInput
  readonly covered: readonly Item[]
  readonly stays: readonly Item[]
  /** What need not be said again. */
  readonly said: readonly string[]
  readonly maxTokens: number
}

/** The sections of a brief without its opening; empty where there is nothing to say. */
export async function briefOf(brief: BriefInput): Promise<string> {
  const { input, covered, stays, said, maxTokens } = brief
  const { context, eventAt, pins = [], nextPrompt = '', instructions = '' } = input
  const digest: Digest = input.reduce
    ? await input.reduce(digestReducer)
    : contextDigest(context, eventAt)
  const plan = {
    items: context.items.toArray(),
    cut: context.items.length,
    request: undefined,
    shortened: undefined,
    masked: [],
    stays,
    covered,
    mostBriefTokens: maxTokens,
    fixedTokens: 0,
  }
  const asked = `${instructions}\n${nextPrompt}`
  const drafted = draftOf({ digest, plan, eventAt, pins, targetTokens: maxTokens, asked, said })
  return drafted.brief.slice(OPENING.length).trim()
}
