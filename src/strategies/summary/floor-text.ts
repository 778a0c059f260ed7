// The entry behind a summary: what the summary lost, what is answered, and how to recall the originals.
import type { Edit, NewEntry } from '../../core/edit/change.ts'
import { pinnedEntries } from '../../core/edit/pins.ts'
import type { StrategyInput } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import { type ToolCall, textOfParts, textOfUserContent } from '../../core/view/content.ts'
import {
  findRoot,
  type Item,
  isEntryId,
  isNewEntry,
  itemOfNewEntry,
  newId,
  parseEntryId,
} from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { findRuns } from '../../core/view/entry-range.ts'
import { answeredLine, findRequests, requestSections } from '../../core/view/last-request.ts'
import { coveredBy } from '../../core/view/refs.ts'
import { requestRoom } from '../../core/view/request-note.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { readArguments } from '../extract/arguments.ts'
import type { Digest } from '../extract/digest.ts'
import { buildDraft } from '../extract/draft.ts'
import { OPENING } from '../extract/earlier-brief.ts'
import { argumentsOf, contextDigest, digestReducer } from '../extract/extract.ts'
import { inertLine } from '../extract/stretches.ts'
import { asRef } from '../trim.ts'
import { exactFacts } from './exact-facts.ts'

/** A context after edits, with pins. */
export interface Standing {
  /** What is no longer there. */
  readonly goes: readonly Item[]
  readonly stays: readonly Item[]
  readonly entries: readonly NewEntry[]
  readonly tokens: number
  /** All readable texts. */
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
  for (const item of heldItems(input)) gone.delete(item)
  const stays = items.filter((item) => !gone.has(item))
  const entries = edits.flatMap(({ put }) => put.filter(isNewEntry))
  return {
    goes: [...gone],
    stays,
    entries,
    tokens: weigh(stays) + weighEntries(entries, eventAt),
    texts: [...stays.map(({ id }) => readText(id, eventAt)), ...entries.map(textOfEntry)],
  }
}

/** The gate keeps these in any case. */
function heldItems({ context, pins = [] }: StrategyInput): Item[] {
  const items = context.items.toArray()
  const held = pinnedEntries(items, context.open, pins)
  return items.filter(({ id }) => held.has(id))
}

export function weigh(items: readonly Item[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The id is unknown yet and weighs nothing. */
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

function readText(id: Item['id'], eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  if (content?.kind === 'result')
    return content.result.content.map(({ text = '' }) => text).join('\n')
  return saidIn(id, eventAt)
}

/** The user's or agent's text with call arguments, without results. */
export function saidIn(id: Item['id'], eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  if (content?.kind === 'user') return textOfUserContent(content.content)
  if (content?.kind !== 'answer') return ''
  const { answer, calls } = content
  return [answer.content, ...calls.flatMap(textsIn)].join('\n')
}

/** The argument of `compact` is the summary itself. */
function textsIn(call: ToolCall): readonly string[] {
  if (call.name === 'compact') return []
  const { short, long } = readArguments(argumentsOf(call))
  return [...short, ...long]
}

export interface FloorText {
  readonly input: StrategyInput
  readonly standing: Standing
  /** For facts only; required content may exceed it. */
  readonly maxTokens: number
  /** Facts to list first: those a brief would keep. */
  readonly wanted: ReadonlySet<string>
  /** After a brief, whose lines are selected in the same way: avoids repetition. */
  readonly isNamesOnly?: boolean
}

/** Less would be a heading without content. */
const LEAST_TOKENS = 120

export async function floorText(floor: FloorText): Promise<string> {
  const { input, standing, maxTokens } = floor
  const { context, eventAt, targetTokens } = input
  const { goes, stays } = standing
  const requests = findRequests(context.items.toArray(), eventAt)
  const staying = new Set(stays.map(({ id }) => id))
  const gone = new Set(requests.shown.filter(({ id }) => !staying.has(id)))
  const answered = answeredLine(requests, gone)
  const facts = maxTokens < LEAST_TOKENS ? '' : await lostFacts(floor)
  return [
    noteFor(goes, eventAt),
    ...(facts === '' ? [] : [`${FACTS}\n${facts}`]),
    ...(answered === '' ? [] : [answered]),
    ...(gone.size === 0
      ? []
      : [requestSections(requests, gone, requestRoom(weigh(goes), targetTokens))]),
  ].join('\n\n')
}

const FACTS = 'What the summary does not say, word for word from the log:'

function noteFor(goes: readonly Item[], eventAt: EventAt): string {
  const originals = goes
    .map(({ id }) => findRoot(id, eventAt))
    .filter((id) => parseEntryId(id).original)
  const [first, last] = [originals[0], originals.at(-1)]
  const which =
    first === undefined || last === undefined
      ? 'what stood here was'
      : `the entries ${asRef(first)} to ${asRef(last)} were`
  const such = last === undefined ? '' : ` (such as ${last})`
  return `[Context note, not a new request: ${which} compacted into the summary above. The work that it reports is done: do not repeat it. recall reads the originals again, by ref${such} or by words.]`
}

/** Lines that neither the summary nor the remaining context covers; then other exact names. */
async function lostFacts(floor: FloorText): Promise<string> {
  const { input, standing, maxTokens } = floor
  const { stays, entries, goes, texts } = standing
  const { eventAt } = input
  const earlier = stays.filter(({ id }) => !parseEntryId(findRoot(id, eventAt)).original)
  const idsOf = (items: readonly Item[]) => items.map(({ id }) => id)
  const isEarlier = coveredBy(idsOf(earlier), eventAt)
  const isGoing = coveredBy(idsOf(goes), eventAt)
  const isRequest = findCarried(input)
  const brief: BriefInput = {
    input,
    covered: goes,
    stays,
    said: [...entries.map(textOfEntry), ...earlier.map(({ id }) => readText(id, eventAt))],
    isSaid: (seq) => isRequest(seq) || (isEarlier(seq) && !isGoing(seq)),
    maxTokens: Math.floor(maxTokens * LINES_SHARE),
  }
  const lines = floor.isNamesOnly ? '' : await buildBrief(brief)
  const said = [...texts, ...entries.map(textOfEntry), lines]
  const names = listNames(floor, said, maxTokens - estimateTokens(lines))
  return [lines, ...(names.length > 0 ? [NAMES, ...names] : [])].filter(Boolean).join('\n')
}

/** Events of the requests at the end of a note. */
export function findCarried({ context, eventAt }: StrategyInput): (seq: number) => boolean {
  const { shown } = findRequests(context.items.toArray(), eventAt)
  return coveredBy(
    shown.flatMap(({ ref }) => (isEntryId(ref) ? [ref] : [])),
    eventAt,
  )
}

/** The rest is for names outside these lines. */
const LINES_SHARE = 0.6
const NAMES = 'Other exact names and values, by the entries that have them:'
const REF_TOKENS = 8
const MOST_NAMES = 40

/** By entry, newest first if there is no room for all. */
export function listNames(
  { input, standing, wanted }: Pick<FloorText, 'input' | 'standing' | 'wanted'>,
  said: readonly string[],
  roomTokens: number,
): string[] {
  const { eventAt } = input
  const known = new Set(said.flatMap((text) => [...exactFacts(text)]))
  const byEntry = new Map<Item, string[]>()
  let room = roomTokens
  for (const isFirst of [true, false])
    for (const item of standing.goes.toReversed()) {
      for (const fact of exactFacts(saidIn(item.id, eventAt))) {
        const names = byEntry.get(item) ?? []
        if (known.has(fact) || wanted.has(fact) !== isFirst || names.length >= MOST_NAMES) continue
        const cost = estimateTokens(fact) + 1 + (names.length === 0 ? REF_TOKENS : 0)
        if (cost > room) continue
        room -= cost
        known.add(fact)
        byEntry.set(item, [...names, fact])
      }
      if (room < REF_TOKENS) break
    }
  return standing.goes.flatMap((item) => {
    const names = byEntry.get(item)
    return names ? [`${asRef(findRoot(item.id, eventAt))} ${inertLine(names.join(', '))}`] : []
  })
}

interface BriefInput {
  readonly input: StrategyInput
  readonly covered: readonly Item[]
  readonly stays: readonly Item[]
  /** What need not be repeated, and its entries. */
  readonly said: readonly string[]
  readonly isSaid?: (seq: number) => boolean
  readonly maxTokens: number
}

/** The sections of a brief without its opening; empty if there is nothing to say. */
export async function buildBrief(brief: BriefInput): Promise<string> {
  const { input, covered, stays, said, isSaid, maxTokens } = brief
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
    beyond: [],
    stays,
    covered,
    mostBriefTokens: maxTokens,
    fixedTokens: 0,
  }
  const asked = `${instructions}\n${nextPrompt}`
  const drafted = buildDraft({
    digest,
    plan,
    eventAt,
    pins,
    targetTokens: maxTokens,
    asked,
    said,
    ...(isSaid && { isSaid }),
  })
  return drafted.brief.slice(OPENING.length).trim()
}
