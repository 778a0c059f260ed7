// Threads over a store: append, read, compact, undo, fork. The library's everyday interface.
import { createProposals, type ThreadProposals } from '../compaction/proposals.ts'
import { inboxReducer } from '../core/agent/inbox.ts'
import type { EntryId, Reading } from '../core/edit/change.ts'
import { type Pins, pinsReducer, releasedPinsReducer } from '../core/edit/pins.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import type { EventAt, EventDraft, PinData, ThreadEvent, ThreadStarted } from '../core/log/event.ts'
import type { Signal } from '../core/model.ts'
import type { Clock, Ids, Reducer, Store } from '../core/ports.ts'
import { threadSettingsReducer } from '../core/settings/settings-keys.ts'
import type { Json } from '../core/text/json.ts'
import { allEvents, type ShownEvent, workingEvents } from '../core/view/api-events.ts'
import { type Built, buildMessages } from '../core/view/build.ts'
import { checkpointsReducer } from '../core/view/checkpoint.ts'
import { type Context, calibrationOf } from '../core/view/context.ts'
import { reducedBy, type ThreadState, threadFold } from '../core/view/thread-state.ts'
import { readContext } from '../core/window/reading.ts'
import { type UsageState, usageReducer } from '../core/window/usage.ts'
import { batches, readAll, requireOrdinary, requirePin, requireVisible } from './draft-checks.ts'
import type { OpenCalls } from './drafts.ts'
import { LiveThread } from './live-thread.ts'
import { OpenThreads } from './open-threads.ts'
import { branching, type ExpandOptions, readOriginals, reversing } from './reverse-thread.ts'

export interface ThreadsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly strategies?: Iterable<Strategy>
  /** Extra states to maintain besides context and usage, stored with snapshots. */
  readonly reducers?: readonly Reducer<unknown>[]
}

export interface AppendChoices {
  readonly expectedVersion?: number
  readonly openCalls?: OpenCalls
}

export interface Threads extends ThreadProposals {
  /**
   * Starts a thread and returns its id. With drafts it starts with all of them or not at all. An imported one
   * keeps its age and records its origin.
   */
  create(
    started?: ThreadStarted & {
      readonly threadId?: string
      readonly timestamp?: Date
      readonly source?: Json
    },
    drafts?: readonly EventDraft[],
  ): Promise<string>
  /**
   * Appends all drafts or none. An answer and its TOOL_CALLs come in one append. Drafts that depend on the
   * thread are given as a function of its state, called again after a conflict.
   */
  append(
    threadId: string,
    drafts: readonly EventDraft[] | ((state: ThreadState) => readonly EventDraft[]),
    choices?: AppendChoices,
  ): Promise<ThreadEvent[]>
  /** Appends a foreign log of any length unchanged, in steps that keep answers with their calls. */
  import(threadId: string, drafts: readonly EventDraft[]): Promise<number>
  /** The working conversation; `[]` for an unknown thread. */
  getEvents(threadId: string): Promise<ThreadEvent[]>
  /** The complete history, each COMPACTION with its `compactedEvents`. */
  getAllEvents(threadId: string): Promise<ShownEvent[]>
  context(threadId: string): Promise<Context>
  /** The context with its entries' rows. */
  contents(threadId: string): Promise<{ readonly context: Context; readonly eventAt: EventAt }>
  /** The current context and reducer states. */
  state(threadId: string): Promise<ThreadState>
  /** The messages for a provider, in neutral form. */
  messages(threadId: string): Promise<Built>
  usage(threadId: string): Promise<UsageState>
  /** How full the window is: measured if a provider counted, otherwise estimated. */
  reading(threadId: string): Promise<Reading>
  pins(threadId: string): Promise<Pins>
  pin(threadId: string, pin: Omit<PinData, 'pinId'>): Promise<string>
  unpin(threadId: string, pinId: string): Promise<void>
  undo(threadId: string, compaction?: number): Promise<ThreadEvent>
  redo(threadId: string, undone?: number): Promise<ThreadEvent>
  /** Restores what an entry replaced; with `isAlone`, one original only. */
  expand(threadId: string, ref: EntryId, options?: ExpandOptions): Promise<ThreadEvent>
  /** The original events behind a ref, at most `limit`. */
  originals(threadId: string, ref: EntryId, limit?: number): Promise<ThreadEvent[]>
  /** A new thread that shares this one's past up to `seq` (default: all). */
  fork(threadId: string, seq?: number): Promise<string>
  follow(threadId: string, afterSeq: number, signal: Signal): AsyncIterable<ThreadEvent>
  delete(threadId: string): Promise<boolean>
}

export function createThreads(options: ThreadsOptions): Threads {
  requireOptions(options)
  const { store, clock, ids } = options
  const reducers = [
    pinsReducer,
    releasedPinsReducer,
    usageReducer,
    inboxReducer,
    threadSettingsReducer,
    checkpointsReducer,
    ...(options.reducers ?? []),
  ] as readonly Reducer<unknown>[]
  const threads = new OpenThreads({ store, clock, ids, fold: threadFold(reducers) })
  const { create, ...grown } = growing(threads)
  const road = { get: (id: string) => threads.get(id), open: create, newId: ids.next.bind(ids) }
  return {
    create,
    ...grown,
    ...reading(threads),
    ...pinning(threads),
    ...createProposals(road, options.strategies ?? []),
    ...reversing(threads),
    ...branching(threads),
  }
}

/** For JavaScript callers, who have no compiler. */
function requireOptions(given: Partial<ThreadsOptions> | undefined): void {
  const missing = (['store', 'clock', 'ids'] as const).find((name) => !given?.[name])
  if (missing !== undefined)
    throw new PrecisError('invalid-input', `createThreads needs \`${missing}\`.`, {
      where: missing,
      hint: "openStore('sqlite:threads.db') of precis/stores opens a store; `systemClock` and `randomIds` of precis are the clock and the ids.",
    })
}

function growing(threads: OpenThreads): Pick<Threads, 'create' | 'append' | 'import'> {
  const { ports } = threads
  const append: Threads['append'] = async (threadId, drafts, choices = {}) => {
    const { openCalls = 'close', expectedVersion } = choices
    const draftsOf = (state: ThreadState) => {
      const given = typeof drafts === 'function' ? drafts(state) : drafts
      requireOrdinary(given)
      return given
    }
    const thread = await threads.get(threadId)
    return thread.exclusively(() => thread.append(draftsOf, openCalls, expectedVersion))
  }
  return {
    append,
    async create(given = {}, drafts = []) {
      const { threadId = ports.ids.next('thr'), timestamp, source, ...started } = given
      requireOrdinary(drafts)
      const opening: EventDraft = {
        type: 'THREAD_STARTED',
        data: started,
        ...(timestamp && { timestamp }),
        ...(source !== undefined && { source }),
      }
      await LiveThread.fresh(ports, threadId).append(() => [opening, ...drafts], 'leave', 0)
      return threadId
    },
    async import(threadId, drafts) {
      requireOrdinary(drafts)
      let count = 0
      for (const batch of batches(drafts))
        count += (await append(threadId, batch, { openCalls: 'leave' })).length
      return count
    },
  }
}

function reading(
  threads: OpenThreads,
): Pick<
  Threads,
  | 'getEvents'
  | 'getAllEvents'
  | 'context'
  | 'contents'
  | 'state'
  | 'messages'
  | 'usage'
  | 'reading'
  | 'originals'
  | 'follow'
> {
  const { store } = threads.ports
  return {
    getEvents: (threadId) =>
      threads
        .on(threadId, async (thread) => {
          await thread.loadContext()
          return workingEvents(thread.context, thread.rows.eventAt)
        })
        .catch((error: unknown) => {
          if (PrecisError.is(error) && error.code === 'unknown-thread') return []
          throw error
        }),
    getAllEvents: async (threadId) => allEvents(await readAll(store, threadId)),
    context: (threadId) => threads.on(threadId, (thread) => thread.context),
    contents: (threadId) =>
      threads.on(threadId, async (thread) => {
        await thread.loadContext()
        return { context: thread.context, eventAt: thread.rows.copy() }
      }),
    state: (threadId) => threads.on(threadId, (thread) => thread.state),
    messages: (threadId) =>
      threads.on(threadId, async (thread) => {
        await thread.loadContext()
        return buildMessages(thread.context, thread.rows.eventAt)
      }),
    usage: (threadId) => threads.on(threadId, (thread) => reducedBy(thread.state, usageReducer)),
    reading: (threadId) =>
      threads.on(threadId, ({ context }) => readContext(context, calibrationOf(context))),
    originals: (threadId, ref, limit) =>
      threads.on(threadId, (thread) => readOriginals(thread, ref, limit)),
    async *follow(threadId, afterSeq, signal) {
      for await (const row of store.follow(threadId, afterSeq, signal)) yield readRow(row)
    },
  }
}

function pinning(threads: OpenThreads): Pick<Threads, 'pins' | 'pin' | 'unpin'> {
  return {
    pins: (threadId) => threads.on(threadId, (thread) => reducedBy(thread.state, pinsReducer)),
    pin: (threadId, pin) =>
      threads.on(threadId, async (thread) => {
        requirePin(pin)
        requireVisible(thread.context, pin.entries ?? [])
        const same = reducedBy(thread.state, pinsReducer).find(
          ({ text, entries, by }) =>
            text !== undefined && text === pin.text && !entries && !pin.entries && by === pin.by,
        )
        if (same) return same.pinId
        const pinId = threads.ports.ids.next('pin')
        await thread.append(() => [{ type: 'PIN', data: { ...pin, pinId } }], 'leave')
        return pinId
      }),
    unpin: (threadId, pinId) =>
      threads.on(threadId, async (thread) => {
        const pin = reducedBy(thread.state, pinsReducer).find((each) => each.pinId === pinId)
        if (!pin)
          throw new PrecisError('not-found', `There is no pin ${pinId}.`, {
            where: pinId,
            hint: '`pins` lists the current pins.',
          })
        // With its text, so that it is not detected again.
        const text = pin.by === undefined || pin.by === 'user' ? {} : { text: pin.text ?? '' }
        await thread.append(() => [{ type: 'UNPIN', data: { pinId, ...text } }], 'leave')
      }),
  }
}
