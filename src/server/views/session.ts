// A thread with its figures (LOG-74: SessionResponse).
// Running totals of a thread: cost, usage and context size, updated incrementally
import type { z } from 'zod'
import { undoneNext } from '../../agent/commands/preset-words.ts'
import type { AgentCore } from '../../agent/core.ts'
import { waitingIn } from '../../agent/inbox/deliver.ts'
import { readPreset } from '../../agent/loop/window-status.ts'
import type { Reading } from '../../core/edit/change.ts'
import { readRow } from '../../core/log/codec.ts'
import { type ChangeType, type EventOf, isChange, type ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { type Context, calibrationOf, foldEvent } from '../../core/view/context.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import {
  type AggregatedUsage,
  aggregateTokenUsage,
  billedUsage,
  readContext,
  usageReducer,
} from '../../core/window/usage.ts'
import type { ContextFigures, TimelinePoint, TokenUsageFigures } from '../../protocol/client.ts'
import type { sessionResponseSchema } from '../../protocol/schemas.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import { LoadedRows } from '../../threads/rows.ts'
import type { Activity } from '../live/activity.ts'
import type { AppModels, AppPorts } from '../ports.ts'
import {
  addCost,
  addUsage,
  MOST_POINTS,
  NOTHING_TALLIED,
  type Prices,
  pointAt,
  type ThreadTotals,
  thinned,
} from './count-event.ts'
import { buildSummary } from './thread-summary.ts'

export type SessionResponse = z.output<typeof sessionResponseSchema>

export interface SessionPorts
  extends Pick<
    AppPorts,
    'threads' | 'store' | 'models' | 'approvals' | 'presence' | 'defaultPreset' | 'machine'
  > {
  readonly activity: Activity
  readonly tallies: Tallies
}

export async function buildSession(
  ports: SessionPorts,
  threadId: string,
): Promise<SessionResponse> {
  const { threads, store, models, tallies, defaultPreset } = ports
  const info = await store.info(threadId)
  if (!info) throw unknownThread(threadId)
  const state = await threads.state(threadId)
  const core = { ports: { threads, store } } as unknown as AgentCore // all that is asked for here
  const choices = reducedBy(state, threadSettingsReducer)
  const { strategy, workspace, thinking = 'off' } = choices
  // A thread can be looked at where its model cannot be had.
  const model = await models.resolve(choices.model).catch(() => undefined)
  const ref = model?.ref ?? choices.model
  const tally = await tallies.soon(threadId, info.version)
  const costUsd = tally?.usd
  const { undone } = await threads.context(threadId)
  const undoes = await undoneNext(core, threadId)
  const file = await ports.machine?.stateOf(threadId)
  const tokenUsage = tally && (await readUsage(ports, threadId, tally, model?.windowTokens))
  return {
    session: {
      ...(await buildSummary(store, info)),
      ...(ref !== undefined && { model: ref }),
      thinking,
      preset: readPreset(choices, { preset: defaultPreset }).id,
      ...(strategy !== undefined && { strategy }),
      ...(workspace !== undefined && { workspace }),
      ...goingOn(ports, threadId),
      canUndo: undoes !== undefined,
      ...(undoes !== undefined && { undoes }),
      canRedo: undone.length > 0,
      queued: (await waitingIn(core, threadId)).length,
      billed: billedUsage(reducedBy(state, usageReducer)),
      ...(costUsd !== undefined && { costUsd }),
      ...(!tally && { isCounting: true }),
      ...(file && { file }),
    },
    ...(tokenUsage && { tokenUsage }),
    context: buildContextFigures(await threads.reading(threadId), model?.windowTokens),
  }
}

/** Here, and on every other process of the same store. */
function goingOn({ activity, approvals, presence }: SessionPorts, threadId: string) {
  const here = activity.of(threadId)
  const there = presence?.of(threadId)
  return {
    isWorking: here.isWorking || (there?.isWorking ?? false),
    isCompacting: here.isCompacting || (there?.isCompacting ?? false),
    approvals: [...approvals.of(threadId), ...(there?.approvals ?? [])],
  }
}

/** LOG-76: that it cannot be computed does not fail the request. */
async function readUsage(
  { threads, tallies }: SessionPorts,
  threadId: string,
  tally: ThreadTotals,
  limit: number | undefined,
): Promise<TokenUsageFigures | undefined> {
  if (limit === undefined) return undefined
  if (tally.usage) return readTokenUsage(tally.usage, limit)
  const read = async () => {
    const usage = aggregateTokenUsage(await threads.getEvents(threadId))
    // Only what was read of the very thread that was counted can be counted on from.
    if ((await threads.context(threadId)).version === tally.seq)
      tallies.set(threadId, tally.seq, usage)
    return readTokenUsage(usage, limit)
  }
  return read().catch(() => undefined)
}

// Usage figures of a thread: the sums of the LOG design, and the figures for interfaces

const NEAR_LIMIT = 0.8

/** LOG-74, LOG-75: over the working conversation; undefined if the limit is not known. */
export function readTokenUsage(
  { eventCount: _, ...totals }: AggregatedUsage,
  limit: number | undefined,
): TokenUsageFigures | undefined {
  if (limit === undefined || !(limit > 0)) return undefined
  return {
    ...totals,
    percentUsed: computePercent(totals.totalTokens, limit),
    nearLimit: totals.totalTokens > NEAR_LIMIT * limit,
  }
}

export function buildContextFigures(reading: Reading, limit: number | undefined): ContextFigures {
  const { tokens, by } = reading
  const isKnown = tokens !== undefined && limit !== undefined && limit > 0
  return {
    ...(tokens !== undefined && { tokens }),
    ...(limit !== undefined && { limit }),
    ...(isKnown && { percent: computePercent(tokens, limit) }),
    ...(by && { by }),
  }
}

/** To two decimals. */
function computePercent(tokens: number, limit: number): number {
  return Math.round((tokens / limit) * 10_000) / 100
}

const PAGE_ROWS = 2_000
const MOST_THREADS = 200
/** Contexts are kept to count on from; of all threads together, so many entries. */
const MOST_ENTRIES = 300_000
/** More events than this are not waited for by whoever only wants to see the thread. */
const QUICK_EVENTS = 20_000

export class Tallies {
  readonly #store: Store
  readonly #models: AppModels
  readonly #kept = new Map<string, ThreadTotals>()
  readonly #counting = new Map<string, Promise<ThreadTotals>>()

  constructor(store: Store, models: AppModels) {
    this.#store = store
    this.#models = models
  }

  /** Everything up to the last event that is there now. */
  async of(threadId: string): Promise<ThreadTotals> {
    const running = this.#counting.get(threadId)
    if (running) await running.catch(() => undefined) // it may have begun before the last events
    const counting = this.#counting.get(threadId) ?? this.#count(threadId)
    this.#counting.set(threadId, counting)
    try {
      return await counting
    } finally {
      if (this.#counting.get(threadId) === counting) this.#counting.delete(threadId)
    }
  }

  /** The same where it takes no time; else it is counted meanwhile, and undefined until then. */
  async soon(threadId: string, version: number): Promise<ThreadTotals | undefined> {
    const known = this.#kept.get(threadId)
    if (version - (known?.seq ?? 0) <= QUICK_EVENTS) return this.of(threadId)
    // What fails now is told to whoever waits for it.
    if (!this.#counting.has(threadId)) this.of(threadId).catch(() => undefined)
    return undefined
  }

  /** The sums of the working conversation, found otherwise than by counting on. */
  set(threadId: string, seq: number, usage: ThreadTotals['usage']): void {
    const known = this.#kept.get(threadId)
    if (known?.seq === seq && usage) this.#kept.set(threadId, { ...known, usage })
  }

  async #count(threadId: string): Promise<ThreadTotals> {
    let tally = this.#kept.get(threadId) ?? NOTHING_TALLIED
    let pass = new Pass(this.#store, this.#models, threadId, tally.points)
    for (;;) {
      // The last one that was counted comes along, to see that it is still the same thread.
      const from = Math.max(1, tally.seq)
      const rows = await this.#store.read(threadId, { from, limit: PAGE_ROWS })
      if (tally.seq > 0 && rows[0]?.id !== tally.lastId) {
        tally = NOTHING_TALLIED
        pass = new Pass(this.#store, this.#models, threadId, tally.points)
        continue
      }
      for (const row of tally.seq > 0 ? rows.slice(1) : rows)
        tally = await pass.step(tally, readRow(row))
      if (rows.length < PAGE_ROWS) break
    }
    tally = { ...tally, points: pass.points }
    this.#keep(threadId, tally)
    return tally
  }

  #keep(threadId: string, tally: ThreadTotals): void {
    this.#kept.delete(threadId)
    this.#kept.set(threadId, tally)
    let entries = 0
    for (const each of this.#kept.values()) entries += each.context.items.length
    for (const [oldest, each] of this.#kept) {
      if (this.#kept.size === 1) return
      if (this.#kept.size <= MOST_THREADS && entries <= MOST_ENTRIES) return
      this.#kept.delete(oldest)
      entries -= each.context.items.length
    }
  }
}

/** One reading of a log: prices are asked for once, and only a change needs earlier rows. */
class Pass {
  readonly #rows: LoadedRows
  readonly #models: AppModels
  readonly #prices: Prices = new Map()
  #points: TimelinePoint[]

  constructor(store: Store, models: AppModels, threadId: string, points: readonly TimelinePoint[]) {
    this.#rows = new LoadedRows(store, threadId)
    this.#models = models
    this.#points = [...points]
  }

  get points(): readonly TimelinePoint[] {
    return this.#points
  }

  async step(tally: ThreadTotals, event: ThreadEvent): Promise<ThreadTotals> {
    if (isChange(event)) await this.#loadFor(event)
    const context = foldEvent(tally.context, event, this.#rows.eventAt)
    const { usage: before, ...rest } = tally
    const usage = addUsage(before, event)
    const here = { ...rest, context, seq: event.seq, lastId: event.id, ...(usage && { usage }) }
    const now = await addCost(here, event, this.#prices, this.#models)
    if (event.type === 'AGENT_MESSAGE' || isChange(event))
      this.#take(pointAt(event, readWindow(tally.context), readWindow(context)), now.usd)
    return now
  }

  #take(point: TimelinePoint | undefined, costUsd: number | undefined): void {
    if (point) this.#points.push({ ...point, ...(costUsd !== undefined && { costUsd }) })
    if (this.#points.length > 2 * MOST_POINTS) this.#points = [...thinned(this.#points)]
  }

  /** What it covers and what it brings back; nothing else of the log is held. */
  async #loadFor(event: EventOf<ChangeType>): Promise<void> {
    this.#rows.forgetAllBut([])
    const { edits } = event.data
    const rewritten = edits.flatMap(({ put }) =>
      put.flatMap((each) => ('of' in each && each.of !== undefined ? [each.of] : [])),
    )
    await this.#rows.loadEdits(edits, event.seq)
    await this.#rows.loadEntries(rewritten, event.seq)
    if ('of' in event.data) await this.#rows.loadSeqs([event.data.of], 0)
    this.#rows.add(event)
  }
}

function readWindow(context: Context): Reading {
  return readContext(context, calibrationOf(context))
}
