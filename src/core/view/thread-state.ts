// The state of a thread: context and reducers as one fold with snapshots.
import { z } from 'zod'
import type { EntryId } from '../edit/change.ts'
import type { EventAt, ThreadEvent } from '../log/event.ts'
import { Sequence } from '../log/upcast.ts'
import type { Reducer, Snapshot } from '../ports.ts'
import type { Json } from '../text/json.ts'
import { type Context, emptyContext, FOLD_VERSION, foldEvent } from './context.ts'
import { type EntryKind, type Item, isEntryId } from './entry.ts'

export interface ThreadState {
  readonly context: Context
  readonly reduced: ReadonlyMap<string, unknown>
}

/** A fold and its reducers. */
export interface ThreadFold {
  init(): ThreadState
  step(state: ThreadState, event: ThreadEvent, eventAt: EventAt): ThreadState
  encode(state: ThreadState): Snapshot
  /** Undefined for a damaged or outdated snapshot, or a missing reducer: then replay. */
  decode(snapshot: Snapshot): ThreadState | undefined
}

/** A reducer's current state. */
export function reducedBy<S>(state: ThreadState, reducer: Reducer<S>): S {
  return state.reduced.has(reducer.name) ? (state.reduced.get(reducer.name) as S) : reducer.init()
}

export function threadFold(reducers: readonly Reducer<unknown>[]): ThreadFold {
  return {
    init: () => ({
      context: emptyContext(),
      reduced: new Map(reducers.map((reducer) => [reducer.name, reducer.init()])),
    }),
    step(state, event, eventAt) {
      const context = foldEvent(state.context, event, eventAt)
      let reduced: Map<string, unknown> | undefined
      for (const reducer of reducers) {
        const before = state.reduced.get(reducer.name)
        const after = reducer.step(before, event)
        if (after === before) continue
        reduced ??= new Map(state.reduced)
        reduced.set(reducer.name, after)
      }
      return { context, reduced: reduced ?? state.reduced }
    },
    encode: (state) => ({
      seq: state.context.version,
      foldVersion: FOLD_VERSION,
      // Built on demand: a store in memory may never need it.
      get state() {
        return encodeState(state, reducers)
      },
    }),
    decode: (snapshot) => decodeState(snapshot, reducers),
  }
}

function encodeState(state: ThreadState, reducers: readonly Reducer<unknown>[]): Json {
  return {
    context: encodeContext(state.context),
    reducers: reducers.map((reducer) => ({
      name: reducer.name,
      version: reducer.version,
      state: reducer.encode(state.reduced.get(reducer.name)),
    })),
  }
}

function decodeState(
  snapshot: Snapshot,
  reducers: readonly Reducer<unknown>[],
): ThreadState | undefined {
  const state = snapshot.state as { context?: Json; reducers?: readonly StoredReducer[] } | null
  if (snapshot.foldVersion !== FOLD_VERSION || !state?.context || !Array.isArray(state.reducers))
    return undefined
  const context = decodeContext(state.context)
  if (context?.version !== snapshot.seq) return undefined
  const reduced = new Map<string, unknown>()
  for (const reducer of reducers) {
    const stored = state.reducers.find((candidate) => candidate.name === reducer.name)
    if (stored?.version !== reducer.version) return undefined
    const decoded = decodedBy(reducer, stored.state)
    if (decoded === undefined) return undefined
    reduced.set(reducer.name, decoded.state)
  }
  return { context, reduced }
}

/** An unreadable state is no loss: the log can rebuild it. */
function decodedBy(reducer: Reducer<unknown>, state: Json): { state: unknown } | undefined {
  try {
    return { state: reducer.decode(state) }
  } catch {
    return undefined
  }
}

interface StoredReducer {
  readonly name: string
  readonly version: number
  readonly state: Json
}

/** The order is stored: append new kinds at the end. */
const KINDS: readonly EntryKind[] = ['user', 'answer', 'result', 'reminder', 'checkpoint', 'gap']

/** `[id, kind, tokens, calls, thinking tokens, hidden]`, without trailing unset fields. */
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

/** Undefined if invalid: a snapshot may always be discarded. */
function decodeContext(json: Json): Context | undefined {
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
