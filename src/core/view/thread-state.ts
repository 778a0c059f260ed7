// The state of a thread: context and reducers as one fold with snapshots
import type { EventAt, ThreadEvent } from '../log/event.ts'
import { decodeContext, encodeContext } from '../log/snapshot.ts'
import type { Reducer, Snapshot } from '../ports.ts'
import type { Json } from '../text/json.ts'
import { type Context, emptyContext, FOLD_VERSION, foldEvent } from './context.ts'

export interface ThreadState {
  readonly context: Context
  readonly reduced: ReadonlyMap<string, unknown>
}

/** A fold with the reducers it was made for. */
export interface ThreadFold {
  init(): ThreadState
  step(state: ThreadState, event: ThreadEvent, eventAt: EventAt): ThreadState
  encode(state: ThreadState): Snapshot
  /** Undefined if the snapshot is of another version, damaged, or lacks a reducer: then replay. */
  decode(snapshot: Snapshot): ThreadState | undefined
}

/** What a reducer has made of the log so far. */
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
      // Made when it is asked for: a store in memory may never write it.
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

/** A state that its reducer cannot read is no loss: the log still has everything it was made of. */
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
