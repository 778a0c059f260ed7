// What binds an agent is still there after a compaction to a tenth, wherever in a long thread it was said.
import { describe, expect, it } from 'vitest'
import { findConstraints } from '../../src/core/constraints/find-constraints.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'
import { testClock, testIds } from '../generate/test-log.ts'
import { answer, result, user } from '../say.ts'
import { HELD_OUT_CONSTRAINTS } from './held-out-constraints.ts'
import { INDIRECT } from './indirect.ts'
import { SECOND_CONSTRAINTS } from './second-constraints.ts'
import { CONSTRAINTS, type Sentence } from './sentences.ts'

const TURNS = 80
const PLANTED = 20

describe.each(['cascade', 'extract'])('%s', (strategy) => {
  it('keeps 19 of 20 sentences that bind at a tenth of the tokens, planted in passing', async () => {
    const all = [...HELD_OUT_CONSTRAINTS, ...CONSTRAINTS, ...SECOND_CONSTRAINTS]
    const lost: Sentence[] = []
    for (let at = 0; at < all.length; at += PLANTED) {
      const planted = all.slice(at, at + PLANTED)
      const sent = await compacted(strategy, planted, at)
      lost.push(...planted.filter(({ text }) => !isKept(text, sent)))
    }
    expect(1 - lost.length / all.length).toBeGreaterThanOrEqual(0.95)
    const lostUnseen = lost.filter((each) => HELD_OUT_CONSTRAINTS.includes(each))
    expect(1 - lostUnseen.length / HELD_OUT_CONSTRAINTS.length).toBeGreaterThanOrEqual(0.95)
  }, 120_000)

  it('keeps what no cue knows, among requests that take more room than there is', async () => {
    const sent = await compacted(
      strategy,
      INDIRECT.map((text) => ({ text })),
      0,
      LONG_REQUEST,
    )
    expect(INDIRECT.filter((text) => !sent.includes(text))).toEqual([])
  }, 120_000)
})

const LONG_REQUEST =
  ' The customers in the northern region report that the totals differ between the overview and the detail view, mostly in the afternoon, and that they come back to normal after the nightly job has run.'

/** As a whole, or every sentence of it that binds. */
function isKept(text: string, sent: string): boolean {
  if (sent.includes(text)) return true
  const binding = findConstraints(text)
  return binding.length > 0 && binding.every((each) => sent.includes(each))
}

/** The text of all messages after a compaction to a tenth. */
async function compacted(
  strategy: string,
  planted: readonly Pick<Sentence, 'text'>[],
  seed: number,
  beside = '',
): Promise<string> {
  const threads = createThreads({
    store: memoryStore(),
    clock: testClock(),
    ids: testIds(),
    strategies: DEFAULT_STRATEGIES,
  })
  const threadId = await threads.create()
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sentence = turn % (TURNS / PLANTED) === 0 ? planted[turn / (TURNS / PLANTED)] : undefined
    await threads.append(threadId, turnOf(turn, seed, sentence?.text, beside))
  }
  return compactedTo(threads, threadId, strategy)
}

async function compactedTo(threads: Threads, threadId: string, strategy: string): Promise<string> {
  const { tokens = 0 } = await threads.reading(threadId)
  const targetTokens = Math.floor(tokens / 10)
  const pinning = { detect: true }
  const outcome = await threads.compact(threadId, strategy, { targetTokens, pinning })
  expect(outcome.committed).toBe(true)
  const after = (await threads.reading(threadId)).tokens ?? Number.POSITIVE_INFINITY
  expect(after).toBeLessThanOrEqual(targetTokens)
  const { messages } = await threads.messages(threadId)
  return messages
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')
}

/** A request in many words, two files read for it, and what came of that. */
function turnOf(
  turn: number,
  seed: number,
  sentence: string | undefined,
  beside: string,
): EventDraft[] {
  const topic = TOPICS[(turn + seed) % TOPICS.length]
  const said = `Please look at the ${topic} in module ${turn} and tell me what you would change there.${beside}`
  const [one, two] = [`call_${turn}_a`, `call_${turn}_b`]
  return [
    user(sentence === undefined ? said : `${said} ${sentence}`),
    ...answer(`I am going to read what belongs to the ${topic} of module ${turn}.`, one, two),
    result(one, listing(turn, 40)),
    result(two, listing(turn + 500, 40)),
    ...answer(`The ${topic} of module ${turn} reads its input twice; one pass is enough.`),
  ]
}

const TOPICS = ['parser', 'cache', 'scheduler', 'renderer', 'importer', 'login page', 'exporter']

function listing(of: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, at) => `line ${at}: value_${of}_${at} = compute_${(of * 31 + at * 7) % 997}(input)`,
  ).join('\n')
}
