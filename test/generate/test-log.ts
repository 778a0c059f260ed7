// A log in memory with the pure core around it: what a thread over a store does, without the store.
import type { EntryId, Trigger } from '../../src/core/edit/change.ts'
import { expandAlone, expandWhole } from '../../src/core/edit/expand-alone.ts'
import type { GateResult } from '../../src/core/edit/gate.ts'
import { passGate } from '../../src/core/edit/pass-gate.ts'
import { pinsReducer } from '../../src/core/edit/pins.ts'
import { expand, type ReversalDraft, redo, undo } from '../../src/core/edit/reverse.ts'
import type { LogReducer, Proposal } from '../../src/core/edit/strategy.ts'
import { readRow, writeEvent } from '../../src/core/log/codec.ts'
import {
  type EventAt,
  type EventDraft,
  type PinData,
  type ThreadEvent,
  undoneResult,
} from '../../src/core/log/event.ts'
import type { Clock, Ids, Reducer, Row } from '../../src/core/ports.ts'
import { workingEvents } from '../../src/core/view/api-events.ts'
import { type Built, buildMessages } from '../../src/core/view/build.ts'
import type { Context } from '../../src/core/view/context.ts'
import { reducedBy, type ThreadState, threadFold } from '../../src/core/view/thread-state.ts'
import { usageReducer } from '../../src/core/window/usage.ts'
import { numberDrafts, type OpenCalls } from '../../src/threads/drafts.ts'

export const testFold = threadFold([pinsReducer, usageReducer] as readonly Reducer<unknown>[])

/** A clock that stands still unless it is moved. */
export function testClock(startMs = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let nowMs = startMs
  return {
    now: () => new Date(nowMs),
    sleep: async (ms) => {
      nowMs += ms
    },
    advance: (ms) => {
      nowMs += ms
    },
  }
}

/** Ids that count up. A second source beside the first one needs another `mark`. */
export function testIds(mark = ''): Ids {
  let next = 0
  return {
    next: (prefix) => {
      next += 1
      return `${prefix}_${mark}${next}`
    },
  }
}

/** States of reducers, by the last event they have seen and by name. */
const reduced = new WeakMap<ThreadEvent, Map<string, unknown>>()

export class TestLog {
  readonly threadId = 'thr_test'
  readonly events: ThreadEvent[] = []
  readonly clock = testClock()
  readonly ids = testIds()
  /** Rows that nobody can decode, as a store holds them, by number. */
  readonly damaged = new Map<number, Row>()
  state: ThreadState = testFold.init()

  readonly eventAt: EventAt = (seq) => this.events[seq - 1]

  /** As a live thread does, it keeps what a reducer made of the log; copies share that. */
  readonly reduce = async <S>({ name, init, step }: LogReducer<S>): Promise<S> => {
    const last = this.events.at(-1)
    if (!last) return init()
    const known = reduced.get(last) ?? new Map<string, unknown>()
    reduced.set(last, known)
    if (!known.has(name)) known.set(name, this.events.reduce(step, init()))
    return known.get(name) as S
  }

  get context(): Context {
    return this.state.context
  }

  /** The items, as plain data to compare. */
  get items(): unknown[] {
    return structuredClone(this.context.items.toArray())
  }

  /** The same log, to go on with apart from this one. */
  copy(): TestLog {
    const copy = new TestLog()
    copy.events.push(...this.events)
    for (const [seq, row] of this.damaged) copy.damaged.set(seq, row)
    copy.state = this.state
    return copy
  }

  append(drafts: readonly EventDraft[], openCalls: OpenCalls = 'close'): ThreadEvent[] {
    const { events, state } = this.#number(drafts, openCalls)
    this.events.push(...events)
    this.state = state
    return events
  }

  /** Appends drafts of which some rows were damaged before anybody read them. */
  appendDamaged(drafts: readonly EventDraft[], damage: (row: Row) => Row): void {
    for (const whole of this.#number(drafts, 'leave').events) {
      const row = writeEvent(whole)
      const broken = damage(row)
      if (broken !== row) this.damaged.set(row.seq, broken)
      const event = readRow(broken)
      this.events.push(event)
      this.state = testFold.step(this.state, event, this.eventAt)
    }
  }

  #number(drafts: readonly EventDraft[], openCalls: OpenCalls) {
    const { threadId, clock, ids } = this
    const numbering = { threadId, clock, ids, fold: testFold, openCalls, rows: this }
    return numberDrafts(drafts, this.state, numbering)
  }

  gate(
    proposal: Proposal,
    trigger: Trigger = 'command',
    basedOn = this.context.version,
    targetTokens?: number,
  ): GateResult {
    return passGate({
      context: this.context,
      eventAt: this.eventAt,
      proposal,
      basedOn,
      strategyId: 'test',
      trigger,
      runId: 'run_test',
      pins: reducedBy(this.state, pinsReducer),
      ...(targetTokens !== undefined && { targetTokens }),
    })
  }

  /** Passes the gate and appends; the refusal's reason where it does not pass. */
  compact(
    proposal: Proposal,
    trigger: Trigger = 'command',
    basedOn = this.context.version,
    targetTokens?: number,
  ): string | undefined {
    const result = this.gate(proposal, trigger, basedOn, targetTokens)
    if (!result.ok) return result.refusal.reason
    this.append(
      [
        {
          type: 'COMPACTION',
          data: { ...result.data, originalEventCount: 0, compactedEventCount: 0 },
        },
      ],
      'leave',
    )
    return undefined
  }

  undo(target?: number): void {
    this.#reverse(undo(this.context, this.eventAt, target))
  }

  redo(target?: number): void {
    this.#reverse(redo(this.context, this.eventAt, target))
  }

  expand(id: EntryId): void {
    const draft = id.startsWith('c') ? expandWhole : expand
    this.#reverse(draft(this.context, this.eventAt, id))
  }

  expandAlone(id: EntryId): void {
    this.#reverse(expandAlone(this.context, this.eventAt, id))
  }

  pin(pin: Omit<PinData, 'pinId'>): void {
    this.append([{ type: 'PIN', data: { ...pin, pinId: this.ids.next('pin') } }], 'leave')
  }

  build(): Built {
    return buildMessages(this.context, this.eventAt)
  }

  working(): ThreadEvent[] {
    return workingEvents(this.context, this.eventAt)
  }

  /** The log as a store holds it. */
  rows(): Row[] {
    return this.events.map((event) => this.damaged.get(event.seq) ?? writeEvent(event))
  }

  /** The same log written to JSON and read again, as a store would hand it back. */
  reloaded(): ThreadEvent[] {
    return this.rows().map((row) => readRow(JSON.parse(JSON.stringify(row))))
  }

  #reverse(draft: ReversalDraft): void {
    const before = this.context.open
    this.append([draft], 'leave')
    const reopened = [...this.context.open].filter((call) => !before.has(call))
    this.append(reopened.map(undoneResult), 'leave')
  }
}
