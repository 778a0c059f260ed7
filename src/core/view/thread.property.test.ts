// What must hold for every thread, checked over thousands of random ones.
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { randomProposal } from '../../../test/generate/proposal.ts'
import { Random } from '../../../test/generate/random.ts'
import { testFold } from '../../../test/generate/test-log.ts'
import {
  type Generated,
  generateForward,
  generateThread,
  grow,
} from '../../../test/generate/thread.ts'
import { seeds } from '../../../test/scale.ts'
import type { EntryId } from '../edit/change.ts'
import { bearsEntry, type EventAt, type ThreadEvent } from '../log/event.ts'
import { compactedEvents } from './api-events.ts'
import { buildMessages } from './build.ts'
import type { Context } from './context.ts'
import { findRoot, type Item, originalId } from './entry.ts'
import type { Message } from './message.ts'
import { covered } from './refs.ts'
import type { Problem } from './sent-rounds.ts'

const SEEDS = seeds(2_000)
const STEPS = 25

type Checks = Readonly<Record<string, (generated: Generated) => void>>

/** How many threads could be compacted once more. */
let compactedOnceMore = 0
/** How many removed entries came back alone. */
let broughtBack = 0

const AT_THE_END = {
  foldsAlike({ log }) {
    const replayed = log.events.reduce(
      (state, event) => testFold.step(state, event, log.eventAt),
      testFold.init(),
    )
    expectSame(plain(replayed), plain(log.state))
    const rows = log.reloaded()
    expectSame(rows, log.events)
    const reloaded = rows.reduce(
      (state, event) => testFold.step(state, event, (seq) => rows[seq - 1]),
      testFold.init(),
    )
    expectSame(plain(reloaded), plain(log.state))
    const snapshot = testFold.decode(JSON.parse(JSON.stringify(testFold.encode(log.state))))
    expectSame(snapshot && plain(snapshot), plain(log.state))
  },
  ignoresNothing({ log }) {
    expect(log.context.ignored.filter(({ seq }) => !log.damaged.has(seq))).toEqual([])
  },
  undoesAll({ log }) {
    const before = itemsBeforeChanges(log)
    for (const items of before.toReversed()) {
      log.undo()
      expectPrefix(log.context, items)
    }
    expect(log.context.stack).toEqual([])
    const originals = log.events.filter(bearsEntry).map((event) => originalId(event.seq))
    expect(log.context.items.toArray().map((item) => item.id)).toEqual(originals)
    expectSame(
      compactedEvents(log.context, log.eventAt).filter(bearsEntry),
      compactedEvents(uncompacted(log.events), log.eventAt).filter(bearsEntry),
    )
  },
  undoesAndRedoes(generated) {
    const { log, random } = generated
    const proposal = randomProposal(log, random)
    const before = log.items
    const working = log.working()
    if (!proposal || log.compact(proposal) !== undefined) return
    compactedOnceMore += 1
    const after = log.items
    log.undo()
    expectSame(log.items.slice(0, before.length), before)
    expectSame(log.working().slice(0, working.length), working)
    const reopened = log.items.length - before.length
    log.redo()
    expectSame(log.items.slice(0, after.length), after)
    grow(generated, 4)
    const grown = log.items.length - after.length - reopened
    log.undo()
    expectSame(log.items.slice(0, before.length), before)
    expect(log.items.length).toBe(before.length + reopened + grown)
  },
  bringsBackOne({ log, random, seed }) {
    for (let left = 4; left > 0; left -= 1) {
      const removed = log.context.items
        .toArray()
        .flatMap(({ id }) => (id.startsWith('c') ? covered(id, log.eventAt) : []))
        .filter((id) => !log.context.items.toArray().some((item) => item.id === id))
      if (removed.length === 0) return
      const before = log.items
      const one = random.pick(removed)
      log.expandAlone(one)
      broughtBack += 1
      AFTER_EACH_STEP.pairsCalls({ log, random, seed })
      expect(log.context.ignored.filter(({ seq }) => !log.damaged.has(seq))).toEqual([])
      const again = log.copy()
      again.undo()
      expectSame(again.items.slice(0, before.length), before)
    }
  },
} satisfies Checks

const AFTER_EACH_STEP = {
  showsAllOnce({ log }) {
    const seen = log.context.items.toArray().flatMap((item) => covered(item.id, log.eventAt))
    const originals = log.events.filter(bearsEntry).map((event) => originalId(event.seq))
    expectSame(seen.toSorted(bySeq), originals)
  },
  pairsCalls({ log }) {
    const built = log.build()
    const open = built.problems.some((problem) => problem.code === 'open-call')
    expectSame(unpairedParts(built.messages, open), [])
    const missing = built.problems.filter((problem) => problem.code === 'missing-row')
    expectSame(
      missing.filter(({ entry }) => !hasDamagedCall(entry, log)),
      [],
    )
    // A result that nobody waited for when it came was loose already; no other one may be.
    const loose = looseResults(built.problems).map((id) => findRoot(id, log.eventAt))
    const known = new Set([...unawaited(log.events), ...answersToReopened(log.events)])
    expectSame(
      loose.filter((id) => !known.has(id)),
      [],
    )
  },
} satisfies Checks

const AFTER_EACH_STEP_FORWARD = {
  keepsTheOrder({ log }) {
    const shown = log.context.items.toArray().filter((item) => item.id.startsWith('e'))
    const seqs = shown.map((item) => Number(item.id.slice(1)))
    expectSame(
      seqs,
      seqs.toSorted((a, b) => a - b),
    )
    let last = 0
    // Within a message results, words and reminders have their own places; messages keep the order.
    for (const said of seqsOfMessages(log)) {
      const first = Math.min(...said, Number.POSITIVE_INFINITY)
      if (first <= last) expect(first).toBeGreaterThan(last)
      last = Math.max(last, ...said)
    }
  },
} satisfies Checks

/** Every check sees the same threads: each is made once. */
class Trial {
  readonly #failures = new Map<string, Error>()
  readonly #passed = new Map<string, number>()

  constructor(generate: typeof generateForward, afterEachStep: Checks, atTheEnd: Checks = {}) {
    for (const seed of SEEDS) {
      const steps: string[] = []
      const failed = (cause: unknown) =>
        new Error(`seed ${seed}, after ${steps.length} steps (${steps.join(', ')})`, { cause })
      const run = (checks: Checks, generated: () => Generated) => {
        for (const [name, check] of Object.entries(checks))
          this.#run(name, () => check(generated()), failed)
      }
      try {
        const { log } = generate(seed, STEPS, (current, did) => {
          steps.push(did)
          run(afterEachStep, () => current)
        })
        run(atTheEnd, () => ({ seed, log: log.copy(), random: new Random(-seed) }))
      } catch (error) {
        throw failed(error)
      }
    }
  }

  /** A failure ends its check alone: the others go on. */
  #run(name: string, check: () => void, failed: (cause: unknown) => Error): void {
    if (this.#failures.has(name)) return
    try {
      check()
      this.#passed.set(name, (this.#passed.get(name) ?? 0) + 1)
    } catch (error) {
      this.#failures.set(name, failed(error))
    }
  }

  expectPassed(name: string, times: number): void {
    const failure = this.#failures.get(name)
    if (failure) throw failure
    expect(this.#passed.get(name)).toBe(times)
  }
}

describe('any thread', () => {
  let any: Trial
  let forward: Trial
  beforeAll(() => {
    any = new Trial(generateThread, AFTER_EACH_STEP, AT_THE_END)
    forward = new Trial(generateForward, AFTER_EACH_STEP_FORWARD)
  }, 0) // no limit: nothing waits here

  it('folds one by one to what a replay and a reload give', () => {
    any.expectPassed('foldsAlike', SEEDS.length)
  })

  it('never ignores an event that the gate or an undo has written', () => {
    any.expectPassed('ignoresNothing', SEEDS.length)
  })

  it('is restored to the byte by undoing newest first [ALWAYS-01] [ALWAYS-22]', () => {
    any.expectPassed('undoesAll', SEEDS.length)
  })

  it('is as before a change once that is undone, and as after it once that is redone [ALWAYS-22]', () => {
    any.expectPassed('undoesAndRedoes', SEEDS.length)
    expect(compactedOnceMore).toBeGreaterThan(SEEDS.length / 2)
  })

  it('takes one removed entry back alone, with whole rounds, and gives it up by undo', () => {
    any.expectPassed('bringsBackOne', SEEDS.length)
    expect(broughtBack).toBeGreaterThan(SEEDS.length / 2)
  })

  it('keeps what it shows of the log in the order of the log, in context and messages', () => {
    forward.expectPassed('keepsTheOrder', SEEDS.length * STEPS)
  })

  it('has every original under exactly one visible entry', () => {
    any.expectPassed('showsAllOnce', SEEDS.length * STEPS)
  })

  it('never separates a call from its result [ALWAYS-04] [LOG-24]', () => {
    any.expectPassed('pairsCalls', SEEDS.length * STEPS)
  })
})

function plain(state: {
  context: { items: { toArray(): unknown[] } }
  reduced: ReadonlyMap<string, unknown>
}) {
  return { ...state.context, items: state.context.items.toArray(), reduced: [...state.reduced] }
}

/** The items right before each change that undo would take back, oldest first; taken back ones checked. */
function itemsBeforeChanges(log: Generated['log']): (readonly Item[])[] {
  const before: (readonly Item[])[] = []
  let state = testFold.init()
  for (const event of log.events) {
    const items = state.context.items.toArray()
    const depth = state.context.stack.length
    state = testFold.step(state, event, log.eventAt)
    if (state.context.stack.length > depth) before.push(items)
    else if (state.context.stack.length < depth) expectPrefix(state.context, before.pop() ?? [])
  }
  return before
}

/** Byte for byte: weights and what is hidden too. What came after the change stands behind. */
function expectPrefix(context: Context, before: readonly Item[]): void {
  expectSame(context.items.toArray().slice(0, before.length), before)
}

/** Compares quickly, and says what differs only where something does. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

/** For each message, the numbers of the events whose content it holds. */
function seqsOfMessages(log: Generated['log']): number[][] {
  const marked: EventAt = (seq) => {
    const event = log.eventAt(seq)
    return event && withMark(event)
  }
  return buildMessages(log.context, marked).messages.map((message) =>
    [...JSON.stringify(message).matchAll(/<e(\d+)>/g)].map((found) => Number(found[1])),
  )
}

/** The event with its number in place of its text, so that a message tells where it is from. */
function withMark(event: ThreadEvent): ThreadEvent {
  const mark = `<e${event.seq}>`
  switch (event.type) {
    case 'USER_MESSAGE':
    case 'SYSTEM_REMINDER':
      return { ...event, data: mark }
    case 'CHECKPOINT':
      return { ...event, data: { id: mark } }
    case 'AGENT_MESSAGE':
      return { ...event, data: { content: mark, calls: event.data.calls } }
    case 'TOOL_RESULT':
      return { ...event, data: { ...event.data, content: [{ type: 'text', text: mark }] } }
    default:
      return event
  }
}

function uncompacted(events: Generated['log']['events']) {
  const without = events.map((event) =>
    event.type.startsWith('CO') ? { ...event, type: 'FOREIGN', data: {} } : event,
  )
  const asEvents = without as Generated['log']['events']
  return asEvents.reduce(
    (state, event) => testFold.step(state, event, (seq) => asEvents[seq - 1]),
    testFold.init(),
  ).context
}

/** Is a row among the calls of this answer one that nobody can decode? */
function hasDamagedCall(answer: EntryId, { damaged, eventAt }: Generated['log']): boolean {
  let seq = Number(findRoot(answer, eventAt).slice(1)) + 1
  while (eventAt(seq)?.type === 'TOOL_CALL') seq += 1
  return damaged.has(seq)
}

/** Results that came when no call of theirs was open, or one whose arguments nobody can read. */
function unawaited(events: Generated['log']['events']): Set<EntryId> {
  const late = new Set<EntryId>()
  let open: ReadonlySet<string> = new Set()
  for (const event of events) {
    if (event.type === 'TOOL_RESULT' && !open.has(event.data.id ?? ''))
      late.add(originalId(event.seq))
    if (event.type === 'TOOL_CALL') open = new Set([...open, event.data.id])
    else if (event.type === 'COMPACTION') {
      const closes = event.data.closes ?? [] // ends the wait: what comes now comes too late
      open = new Set([...open].filter((call) => !closes.includes(call)))
    } else if (event.type === 'TOOL_RESULT')
      open = new Set([...open].filter((call) => call !== event.data.id))
    else if (bearsEntry(event)) open = new Set()
  }
  return late
}

function looseResults(problems: readonly Problem[]): EntryId[] {
  return problems
    .filter((problem) => problem.code === 'orphan-result')
    .map((problem) => problem.entry)
}

function bySeq(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1))
}

/** Calls without a result in the very next message, and results without a call in the one before. */
function unpairedParts(messages: readonly Message[], lastIsOpen: boolean): string[] {
  return messages.flatMap((message, at) => {
    const calls = ids(messages[at], 'tool_call')
    const answered = ids(messages[at + 1], 'tool_result')
    const asked = ids(messages[at - 1], 'tool_call')
    const openHere = lastIsOpen && at >= messages.length - 2
    const lost = openHere ? [] : calls.filter((id) => !answered.includes(id))
    const orphans = ids(message, 'tool_result').filter((id) => !asked.includes(id))
    return [...lost, ...orphans]
  })
}

function ids(message: Message | undefined, type: 'tool_call' | 'tool_result'): string[] {
  return (message?.parts ?? []).flatMap((part) =>
    part.type === type && 'id' in part ? [part.id] : [],
  )
}

/** Aborted answers to calls that an undo brought back: they go with the call when it goes again. */
function answersToReopened(events: Generated['log']['events']): EntryId[] {
  const closed = new Set(
    events.flatMap((event) => (event.type === 'COMPACTION' ? (event.data.closes ?? []) : [])),
  )
  return events.flatMap((event) =>
    event.type === 'TOOL_RESULT' &&
    event.data.status === 'aborted' &&
    closed.has(event.data.id ?? '')
      ? [originalId(event.seq)]
      : [],
  )
}
