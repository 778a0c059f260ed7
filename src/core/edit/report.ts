// The report of a compaction: before, after, removed with reasons, and kept.
import type { EventAt } from '../log/event.ts'
import type { Json } from '../text/json.ts'
import { textOfUserContent } from '../view/content.ts'
import type { Context } from '../view/context.ts'
import { findRoot, type Item, isEntryId, newEntryAt, readNewEntries } from '../view/entry.ts'
import { weighText } from '../window/tokens/weigh.ts'
import type { CompactionData, EntryId, NewEntry } from './change.ts'
import { type Pins, pinnedEntries, pinnedText } from './pins.ts'
import { nameOfEntry } from './report-name.ts'
import { splitTokens, type TokenSplit } from './token-split.ts'

/** Changes for one reason: a rung of the ladder, a prune, a strategy. */
export interface DropGroup {
  readonly why: string
  readonly entries: number
  readonly tokens: number // fewer than before
}

/** A removed or shortened entry. */
export interface Drop {
  readonly ref: EntryId // reads the original
  readonly what: string // a recognisable name
  readonly why: string
  readonly before: number
  readonly after: number // 0 if nothing of it is left
}

export interface ReportPins {
  readonly entries: readonly EntryId[]
  readonly texts: number
  readonly tokens: number
}

/** Plain values by name that influenced this compaction. */
export type ReportSettings = Readonly<Record<string, string | number | boolean>>

/** A strategy that was tried first, and why it failed. */
export interface ReportFallback {
  readonly from: string
  readonly reason: string
}

export interface CompactionReport {
  readonly strategyId: string
  readonly trigger: CompactionData['trigger']
  readonly before: TokenSplit
  readonly after: TokenSplit
  readonly drops: readonly DropGroup[] // largest saving first
  readonly largest: readonly Drop[]
  readonly pins: ReportPins
  /** Refs the compaction wrote, in or next to its texts. */
  readonly refs: { readonly count: number; readonly first: readonly EntryId[] }
  readonly settings: ReportSettings
  readonly fallback?: ReportFallback
  /** The strategy whose brief replaced an unusable summary, and why. */
  readonly replacedBy?: string
  readonly replacedFor?: string
  /** Failed steps of the strategy that were skipped. */
  readonly leftOut?: readonly ReportFallback[]
}

export interface ReportInput {
  readonly before: Context
  readonly after: Context
  /** Also returns the COMPACTION. */
  readonly eventAt: EventAt
  readonly change: Pick<CompactionData, 'strategyId' | 'trigger' | 'edits' | 'metadata'>
  readonly pins: Pins
  readonly settings?: ReportSettings
  readonly fallback?: ReportFallback
}

const LARGEST = 10
const FIRST_REFS = 20
const HIDDEN_THINKING = 'hidden-thinking'

/** Linear in the size of the context. */
export function reportCompaction(input: ReportInput): CompactionReport {
  const { before, after, eventAt, change, pins, settings = {}, fallback } = input
  const drops = findDrops(input)
  const largest = drops
    .toSorted((a, b) => freed(b) - freed(a) || (a.item.id < b.item.id ? -1 : 1))
    .slice(0, LARGEST)
  const refs = refsIn(change)
  const leftOut = leftOutIn(change.metadata)
  const defaultTargetTokens = readField(change.metadata, 'defaultTargetTokens')
  return {
    strategyId: change.strategyId,
    trigger: change.trigger,
    before: splitTokens(before, eventAt),
    after: splitTokens(after, eventAt),
    drops: grouped(drops),
    largest: largest.map(({ item, why, left }) => ({
      ref: findRoot(item.id, eventAt),
      what: nameOfEntry(item.id, eventAt),
      why,
      before: item.tokens,
      after: left,
    })),
    pins: pinsIn(after, pins),
    refs: { count: refs.length, first: refs.slice(0, FIRST_REFS) },
    settings: {
      ...settings,
      ...(typeof defaultTargetTokens === 'number' && { defaultTargetTokens }),
    },
    ...(fallback && { fallback }),
    ...replacedIn(change.metadata),
    ...(leftOut.length > 0 && { leftOut }),
  }
}

interface DroppedItem {
  readonly item: Item
  readonly why: string
  readonly left: number
}

function freed({ item, left }: Pick<DroppedItem, 'item' | 'left'>): number {
  return item.tokens - left
}

function findDrops({ before, after, eventAt, change }: ReportInput): DroppedItem[] {
  const standing = new Map<EntryId, number>()
  const rewritten = new Map<EntryId, number>()
  for (const { id, tokens } of after.items) {
    standing.set(id, tokens)
    const of = newEntryAt(id, eventAt)?.of
    if (of !== undefined) rewritten.set(of, tokens)
  }
  const whyOf = reasonsIn(change.metadata)
  const drops: DroppedItem[] = []
  for (const item of before.items) {
    if (item.kind === 'gap') continue
    const still = standing.get(item.id)
    const left = still ?? rewritten.get(item.id) ?? 0
    if (still !== undefined && still >= item.tokens) continue
    const why = still === undefined ? (whyOf.get(item.id) ?? change.strategyId) : HIDDEN_THINKING
    drops.push({ item, why, left })
  }
  return drops
}

function grouped(drops: readonly DroppedItem[]): DropGroup[] {
  const groups = new Map<string, { entries: number; tokens: number }>()
  for (const drop of drops) {
    const { entries, tokens } = groups.get(drop.why) ?? { entries: 0, tokens: 0 }
    groups.set(drop.why, { entries: entries + 1, tokens: tokens + freed(drop) })
  }
  return [...groups]
    .map(([why, group]) => ({ why, ...group }))
    .sort((a, b) => b.tokens - a.tokens || (a.why < b.why ? -1 : 1))
}

/** Reasons for changes, from a strategy's metadata `reasons`: ids by reason. */
export function reasonsIn(metadata: Json | undefined): ReadonlyMap<EntryId, string> {
  const found = new Map<EntryId, string>()
  const reasons = readField(metadata, 'reasons')
  if (typeof reasons !== 'object' || reasons === null || Array.isArray(reasons)) return found
  for (const [why, ids] of Object.entries(reasons))
    if (Array.isArray(ids)) for (const id of ids) found.set(id as EntryId, why)
  return found
}

/** From a strategy's metadata `replacedBy` and `replacedFor`. */
export function replacedIn(
  metadata: Json | undefined,
): Pick<CompactionReport, 'replacedBy' | 'replacedFor'> {
  const replacedBy = readField(metadata, 'replacedBy')
  if (typeof replacedBy !== 'string') return {}
  const replacedFor = readField(metadata, 'replacedFor')
  return { replacedBy, ...(typeof replacedFor === 'string' && { replacedFor }) }
}

/** From a strategy's metadata `leftOut`. Logs are data: other shapes are ignored. */
function leftOutIn(metadata: Json | undefined): ReportFallback[] {
  const listed = readField(metadata, 'leftOut')
  if (!Array.isArray(listed)) return []
  return listed.flatMap((each: Json) => {
    const from = readField(each, 'from')
    const reason = readField(each, 'reason')
    return typeof from === 'string' && typeof reason === 'string' ? [{ from, reason }] : []
  })
}

function readField(json: Json | undefined, name: string): Json | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  return Object.hasOwn(json, name) ? (json as { readonly [key: string]: Json })[name] : undefined
}

function pinsIn(after: Context, pins: Pins): ReportPins {
  const items = after.items.toArray()
  const held = pinnedEntries(items, after.open, pins)
  const text = pinnedText(pins)
  const entries = items.filter(({ id }) => held.has(id))
  return {
    entries: entries.map(({ id }) => id),
    texts: pins.filter((pin) => pin.text !== undefined).length,
    tokens:
      entries.reduce((sum, { tokens }) => sum + tokens, 0) +
      (text === undefined ? 0 : weighText(text)),
  }
}

const REF = /\[ref:([ec]\d{1,15}(?:\.\d{1,9})?)\]/g

/** `refs` in the metadata of strategies whose texts have no room for them. */
export function refsBeside(metadata: Json | undefined): EntryId[] {
  const listed = readField(metadata, 'refs')
  if (!Array.isArray(listed)) return []
  return listed.filter((ref: Json): ref is EntryId => typeof ref === 'string' && isEntryId(ref))
}

function refsIn({ edits, metadata }: Pick<CompactionData, 'edits' | 'metadata'>): EntryId[] {
  const refs = new Set(refsBeside(metadata))
  for (const entry of readNewEntries(edits)) {
    if (entry === undefined) continue
    for (const text of readTexts(entry))
      for (const [, ref] of text.matchAll(REF)) refs.add(ref as EntryId)
  }
  return [...refs]
}

function readTexts(entry: NewEntry): string[] {
  switch (entry.type) {
    case 'USER_MESSAGE':
      return [textOfUserContent(entry.data)]
    case 'AGENT_MESSAGE':
      return [entry.data.content]
    case 'TOOL_RESULT':
      return entry.data.content.flatMap(({ text }) => text ?? [])
    case 'SYSTEM_REMINDER':
      return [entry.data]
  }
}
