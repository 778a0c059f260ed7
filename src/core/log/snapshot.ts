// A context as JSON and back, so that opening a thread need not read its history.
import { z } from 'zod'
import type { EntryId } from '../edit/change.ts'
import type { Json } from '../text/json.ts'
import { type Context, emptyContext } from '../view/context.ts'
import { type EntryKind, type Item, isEntryId } from '../view/entry.ts'
import { Sequence } from './upcast.ts'

/** The order is stored: append new kinds at the end. */
const KINDS: readonly EntryKind[] = ['user', 'answer', 'result', 'reminder', 'checkpoint', 'gap']

/** `[id, kind, tokens, calls, thinking tokens, hidden]`, cut off behind the last field that is set. */
type StoredItem = readonly Json[]

export function encodeContext(context: Context): Json {
  const { measured } = context
  const { ratio, samples, overheadTokens, last } = context.calibration
  return {
    version: context.version,
    head: { ...context.head },
    items: context.items.toArray().map(encodeItem),
    open: [...context.open],
    stack: context.stack,
    undone: context.undone,
    ...(context.pops.length > 0 && { pops: context.pops }),
    active: context.active,
    ignored: context.ignored.map((ignored) => ({ ...ignored })),
    ...(measured && { measured: { ...measured } }),
    calibration: {
      ratio,
      samples,
      ...(overheadTokens !== undefined && { overheadTokens }),
      ...(last && { last: { ...last } }),
    },
  }
}

const count = z.number().int().nonnegative()
const storedContext = z.object({
  version: count,
  head: z.object({
    system: count.optional(),
    userSystem: count.optional(),
    systemTokens: count,
    userSystemTokens: count,
  }),
  items: z.array(z.array(z.unknown())),
  open: z.array(z.string()),
  stack: z.array(count),
  undone: z.array(count),
  pops: z.array(z.tuple([count, count])).default([]),
  active: z.array(count),
  ignored: z.array(z.object({ seq: count, reason: z.string() })),
  measured: z.object({ version: count, tokens: count, estimate: count }).optional(),
  calibration: z.object({
    ratio: z.number(),
    samples: count,
    overheadTokens: count.exactOptional(),
    last: z.object({ tokens: count, estimate: count }).exactOptional(),
  }),
})

/** Undefined if it is no context: a snapshot may always be discarded. */
export function decodeContext(json: Json): Context | undefined {
  const parsed = storedContext.safeParse(json)
  if (!parsed.success) return undefined
  const items: Item[] = []
  for (const stored of parsed.data.items) {
    const item = decodeItem(stored as StoredItem)
    if (!item) return undefined
    items.push(item)
  }
  const { measured, head, ...rest } = parsed.data
  const { system, userSystem, ...weights } = head
  return {
    ...emptyContext(),
    ...rest,
    head: {
      ...weights,
      ...(system !== undefined && { system }),
      ...(userSystem !== undefined && { userSystem }),
    },
    items: Sequence.from(items),
    tokens: items.reduce((sum, item) => sum + item.tokens, 0),
    open: new Set(rest.open),
    ...(measured && { measured }),
  }
}

function encodeItem(item: Item): StoredItem {
  const fields: Json[] = [item.id, KINDS.indexOf(item.kind), item.tokens]
  if (item.calls || item.thinkingTokens !== undefined) fields.push(item.calls ?? null)
  if (item.thinkingTokens !== undefined) fields.push(item.thinkingTokens, item.hide ? 1 : 0)
  return fields
}

function decodeItem(stored: StoredItem): Item | undefined {
  const [id, kindAt, tokens, calls, thinkingTokens, hidden] = stored
  const kind = typeof kindAt === 'number' ? KINDS[kindAt] : undefined
  if (typeof id !== 'string' || !isEntryId(id) || !kind || typeof tokens !== 'number')
    return undefined
  return {
    id: id as EntryId,
    kind,
    tokens,
    ...(Array.isArray(calls) && { calls: calls as readonly string[] }),
    ...(typeof thinkingTokens === 'number' && { thinkingTokens }),
    ...(hidden === 1 && { hide: ['thinking' as const] }),
  }
}
