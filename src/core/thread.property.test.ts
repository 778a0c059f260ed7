// What must hold for every thread, checked over thousands of random ones.
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { randomProposal } from '../../test/generate/proposal.ts'
import { testFold } from '../../test/generate/test-log.ts'
import {
  type Generated,
  generateForward,
  generateThread,
  grow,
} from '../../test/generate/thread.ts'
import { buildMessages } from './build.ts'
import type { EntryId } from './change.ts'
import type { Context } from './context.ts'
import { type Item, originalId, rootOf } from './entry.ts'
import { bearsEntry, type EventAt, type ThreadEvent } from './event.ts'
import type { Message } from './message.ts'
import { covered } from './refs.ts'
import type { Problem } from './round-results.ts'
import { compactedEvents } from './working.ts'

const THREADS = 2_000
const STEPS = 25
const FIRST_SEED = 20_260_101

/** Runs a check over random threads and names the seed of the first that fails. */
function forAllThreads(check: (generated: Generated, steps: string[]) => void): void {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + THREADS; seed += 1) {
    const steps: string[] = []
    try {
      check(
        generateThread(seed, STEPS, (_, did) => steps.push(did)),
        steps,
      )
    } catch (error) {
      throw new Error(`seed ${seed}, after ${steps.length} steps (${steps.join(', ')})`, {
        cause: error,
      })
    }
  }
}

/** After every step instead of at the end. */
function afterEveryStep(
  check: (generated: Generated, did: string) => void,
  generate: typeof generateForward = generateThread,
): void {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + THREADS; seed += 1) {
    const steps: string[] = []
    try {
      generate(seed, STEPS, (generated, did) => {
        steps.push(did)
        check(generated, did)
      })
    } catch (error) {
      throw new Error(`seed ${seed}, at step ${steps.length} (${steps.join(', ')})`, {
        cause: error,
      })
    }
  }
}

describe('any thread', () => {
  it('folds one by one to what a replay and a reload give', () => {
    forAllThreads(({ log }) => {
      const replayed = log.events.reduce(
        (state, event) => testFold.step(state, event, log.eventAt),
        testFold.init(),
      )
      expect(plain(replayed)).toEqual(plain(log.state))
      const rows = log.reloaded()
      expect(rows).toEqual(log.events)
      const reloaded = rows.reduce(
        (state, event) => testFold.step(state, event, (seq) => rows[seq - 1]),
        testFold.init(),
      )
      expect(plain(reloaded)).toEqual(plain(log.state))
      const snapshot = testFold.decode(JSON.parse(JSON.stringify(testFold.encode(log.state))))
      expect(snapshot && plain(snapshot)).toEqual(plain(log.state))
    })
  })

  it('never ignores an event that the gate or an undo has written', () => {
    forAllThreads(({ log }) =>
      expect(log.context.ignored.filter(({ seq }) => !log.damaged.has(seq))).toEqual([]),
    )
  })

  it('is restored to the byte by undoing newest first [ALWAYS-01] [ALWAYS-22]', () => {
    forAllThreads(({ log }) => {
      const before = itemsBeforeChanges(log)
      for (const items of before.toReversed()) {
        log.undo()
        expectPrefix(log.context, items)
      }
      expect(log.context.stack).toEqual([])
      const originals = log.events.filter(bearsEntry).map((event) => originalId(event.seq))
      expect(log.context.items.toArray().map((item) => item.id)).toEqual(originals)
      expect(compactedEvents(log.context, log.eventAt).filter(bearsEntry)).toEqual(
        compactedEvents(uncompacted(log.events), log.eventAt).filter(bearsEntry),
      )
    })
  })

  it('is as before a change once that is undone, and as after it once that is redone [ALWAYS-22]', () => {
    let tried = 0
    forAllThreads((generated) => {
      const { log, random } = generated
      const proposal = randomProposal(log, random)
      const before = log.items
      const working = log.working()
      if (!proposal || log.compact(proposal) !== undefined) return
      tried += 1
      const after = log.items
      log.undo()
      expect(log.items.slice(0, before.length)).toEqual(before)
      expect(log.working().slice(0, working.length)).toEqual(working)
      const reopened = log.items.length - before.length
      log.redo()
      expect(log.items.slice(0, after.length)).toEqual(after)
      grow(generated, 4)
      const grown = log.items.length - after.length - reopened
      log.undo()
      expect(log.items.slice(0, before.length)).toEqual(before)
      expect(log.items.length).toBe(before.length + reopened + grown)
    })
    expect(tried).toBeGreaterThan(THREADS / 2)
  })

  it('keeps what it shows of the log in the order of the log, in context and messages', () => {
    afterEveryStep(({ log }) => {
      const shown = log.context.items.toArray().filter((item) => item.id.startsWith('e'))
      const seqs = shown.map((item) => Number(item.id.slice(1)))
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
      let last = 0
      // Within a message results, words and reminders have their own places; messages keep the order.
      for (const said of seqsOfMessages(log)) {
        expect(Math.min(...said, Number.POSITIVE_INFINITY)).toBeGreaterThan(last)
        last = Math.max(last, ...said)
      }
    }, generateForward)
  })

  it('has every original under exactly one visible entry', () => {
    afterEveryStep(({ log }) => {
      const seen = log.context.items.toArray().flatMap((item) => covered(item.id, log.eventAt))
      const originals = log.events.filter(bearsEntry).map((event) => originalId(event.seq))
      expect(seen.toSorted(bySeq)).toEqual(originals)
    })
  })

  it('never separates a call from its result [ALWAYS-04] [LOG-24]', () => {
    afterEveryStep(({ log }) => {
      const built = log.build()
      const open = built.problems.some((problem) => problem.code === 'open-call')
      expect(unpairedParts(built.messages, open)).toEqual([])
      const missing = built.problems.filter((problem) => problem.code === 'missing-row')
      expect(missing.filter(({ entry }) => !hasDamagedCall(entry, log))).toEqual([])
      // A result that nobody waited for when it came was loose already; no other one may be.
      const loose = looseResults(built.problems).map((id) => rootOf(id, log.eventAt))
      const known = new Set([...unawaited(log.events), ...answersToReopened(log.events)])
      expect(loose.filter((id) => !known.has(id))).toEqual([])
    })
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
  const now = context.items.toArray().slice(0, before.length)
  if (!isDeepStrictEqual(now, before)) expect(now).toEqual(before)
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
  let seq = Number(rootOf(answer, eventAt).slice(1)) + 1
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
