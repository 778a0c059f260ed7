// Random ranges on random threads: what they leave, against messages that are cut by hand.
import { describe, expect, it } from 'vitest'
import type { Random } from '../../../test/generate/random.ts'
import { randomReplacements, shuffled, unpaired } from '../../../test/generate/ranges.ts'
import type { TestLog } from '../../../test/generate/test-log.ts'
import {
  type Generated,
  generateConversation,
  generateThread,
  grow,
} from '../../../test/generate/thread.ts'
import { thoughtAnswer } from '../../../test/say.ts'
import { seeds } from '../../../test/scale.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { compactRanges, type RangeReplacement } from './compact-ranges.ts'

const SEEDS = seeds(200, 40)
const STEPS = 25

/** Runs a check over random threads, and names the seed of the first that fails. */
function forAll(
  make: (seed: number, steps: number) => Generated,
  check: (generated: Generated) => void,
): void {
  for (const seed of SEEDS)
    try {
      check(make(seed, STEPS))
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
}

function visibleCheckpoints({ context, eventAt }: TestLog): string[] {
  return context.items.toArray().flatMap((item) => {
    const content = contentOf(item.id, eventAt)
    return content?.kind === 'checkpoint' ? [content.id] : []
  })
}

/** In half of the threads an answer calls for the compaction, now and then beside another call. */
function callForIt(log: TestLog, random: Random): { closes?: string } {
  if (random.chance(0.5)) return {}
  log.append(thoughtAnswer('too long', 'I tidy up.', ...(random.chance(0.3) ? ['x', 'y'] : ['x'])))
  return { closes: 'x' }
}

describe('any ranges of any thread', () => {
  it('are committed or an error, never split a round, and are undone to the byte [RANGE-50]', () => {
    let committed = 0
    forAll(generateThread, (generated) => {
      const { log, random } = generated
      const closing = callForIt(log, random)
      const replacements = randomReplacements(visibleCheckpoints(log), random)
      const { context, eventAt } = log
      const made = compactRanges({ context, eventAt, replacements, ...closing })
      if (!made.ok) return expect(made.error.hint).toBeTruthy()
      const before = log.items
      const written = JSON.stringify(before)
      const known = looseEntries(log)
      expect(log.compact(made, 'tool')).toBeUndefined()
      committed += 1
      for (const call of made.closes ?? []) expect(log.context.open.has(call)).toBe(false)
      expect(unpaired(log.build().messages, log.context.open)).toEqual([])
      expect(looseEntries(log).filter((loose) => !known.includes(loose))).toEqual([])
      expect(
        log.context.ignored.filter(({ reason }) => !reason.includes('cannot be read')),
      ).toEqual([])
      grow(generated, 2)
      expect(unpaired(log.build().messages, log.context.open)).toEqual([])
      log.undo()
      expect(JSON.stringify(log.items.slice(0, before.length))).toBe(written)
    })
    expect(committed).toBeGreaterThan(SEEDS.length / 2)
  })

  it('give the same for any order of the array [RANGE-44]', () => {
    let several = 0
    forAll(generateThread, ({ log, random }) => {
      const closing = callForIt(log, random)
      const { context, eventAt } = log
      const replacements = randomReplacements(visibleCheckpoints(log), random)
      const made = compactRanges({ context, eventAt, replacements, ...closing })
      const others = shuffled(replacements, random)
      const again = compactRanges({ context, eventAt, replacements: others, ...closing })
      expect(again.ok).toBe(made.ok)
      if (!made.ok) return
      expect(JSON.stringify(again)).toBe(JSON.stringify(made))
      if (replacements.length > 1) several += 1
    })
    expect(several).toBeGreaterThan(SEEDS.length / 10)
  })

  it('leave the messages that cutting them by hand leaves [RANGE-32] [RANGE-33] [RANGE-39]', () => {
    let compared = 0
    forAll(generateConversation, (generated) => {
      grow(generated, 5)
      const { log, random } = generated
      const { context, eventAt } = log
      if (context.open.size > 0) return
      const replacements = randomReplacements(visibleCheckpoints(log), random)
      const made = compactRanges({ context, eventAt, replacements })
      if (!made.ok) return
      const expected = cutByHand(log.build().messages, replacements)
      expect(log.compact(made, 'tool')).toBeUndefined()
      expect(JSON.stringify(log.build().messages.filter(isNotCarried))).toBe(
        JSON.stringify(expected),
      )
      compared += 1
    })
    expect(compared).toBeGreaterThan(SEEDS.length / 4)
  })
})

/** The gate's entry for the last request is one more (ALWAYS-23), and none of theirs. */
function isNotCarried({ parts: [part] }: Message): boolean {
  return part?.type !== 'text' || !part.text.startsWith('[Context note, not a new request: ')
}

/** A checkpoint is the last block of its message, so every range is a run of whole messages. */
function cutByHand(
  messages: readonly Message[],
  replacements: readonly RangeReplacement[],
): Message[] {
  const behind = (id: string) => 1 + messages.findIndex(({ parts }) => hasCheckpoint(parts, id))
  const slots: (Message | undefined)[] = [...messages]
  const summaries = new Map<number, Message>()
  for (const { from, to, summary } of replacements) {
    const start = from === undefined ? 0 : behind(from)
    slots.fill(undefined, start, to === undefined ? messages.length : behind(to))
    if (summary.trim() !== '')
      summaries.set(start, { role: 'assistant', parts: [{ type: 'text', text: summary }] })
  }
  // One slot more: what follows the last message may be a result that no message shows.
  const left = [...slots, undefined]
    .flatMap((message, at) => [summaries.get(at), message])
    .filter((message) => message !== undefined)
    .filter((message) => stripped(message).parts.length > 0)
  // The last round keeps its thinking: a summary behind it is no answer that has taken up its results.
  const isAnswer = ({ role }: Message) => role === 'assistant'
  const lastRounds = [left.findLast(isAnswer), messages.findLast(isAnswer)].filter((answer) =>
    answer?.parts.some(({ type }) => type === 'tool_call'),
  )
  return left.map((message) => (lastRounds.includes(message) ? message : stripped(message)))
}

function hasCheckpoint(parts: readonly MessagePart[], id: string): boolean {
  return parts.some((part) => part.type === 'checkpoint' && part.id === id)
}

function stripped({ role, parts }: Message): Message {
  const gone = ['thinking', 'redacted_thinking', 'system_reminder']
  return { role, parts: parts.filter(({ type }) => !gone.includes(type)) }
}

/** Results without a call and calls without a result, as the builder reports them. */
function looseEntries(log: TestLog): string[] {
  return log
    .build()
    .problems.filter(({ code }) => code === 'orphan-result' || code === 'abandoned-call')
    .map(({ code, entry, message }) => `${code} ${entry} ${message}`)
}
