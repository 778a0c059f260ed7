// The ladder on histories that are known to end in a wall elsewhere.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, result, system, user } from '../../../test/say.ts'
import { irreducibleOf } from '../../core/edit/irreducible.ts'
import { pinsReducer } from '../../core/edit/pins.ts'
import { reportCompaction } from '../../core/edit/report.ts'
import { renderReport } from '../../core/edit/report-text.ts'
import type { Strategy, StrategyInput } from '../../core/edit/strategy.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { type Block, type Part, textOfUserContent } from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { covered } from '../../core/view/refs.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { PRESETS } from '../../core/window/presets.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { mask } from '../mask.ts'
import { cappedEntry } from './cap-giants.ts'
import { createCascade } from './cascade.ts'
import { cascade } from './ladder.ts'

const WINDOW = 8_000
const TARGET = WINDOW * PRESETS.precis.trigger.targetRatio
const PICTURE: Block = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }

function buildLog(...drafts: readonly EventDraft[]): TestLog {
  const log = new TestLog()
  for (const draft of drafts) log.append([draft])
  return log
}

/** Rows as they come in a real thread: an answer with its calls in one append. */
function talk(...steps: readonly (readonly EventDraft[])[]): TestLog {
  const log = new TestLog()
  for (const step of steps) log.append(step)
  return log
}

function words(count: number, seed: number): string {
  const one = (at: number) => `word${(at * 7_919 + seed * 31) % 99_991}`
  return Array.from({ length: count }, (_, at) => one(at) + (at % 9 === 8 ? '\n' : ' ')).join('')
}

function rounds(count: number, wordsEach: number): EventDraft[][] {
  return Array.from({ length: count }, (_, at) => [
    ...answer(`Step ${at}.`, `c${at}`),
    result(`c${at}`, words(wordsEach, at)),
  ])
}

function readInput(log: TestLog, more: Partial<StrategyInput> = {}): StrategyInput {
  return {
    context: log.context,
    eventAt: log.eventAt,
    run: { threadId: log.threadId },
    trigger: 'auto',
    targetTokens: TARGET,
    pins: reducedBy(log.state, pinsReducer),
    reduce: log.reduce,
    ...more,
  }
}

async function compact(log: TestLog, strategy: Strategy = cascade): Promise<void> {
  const proposal = await strategy.propose(readInput(log))
  const gated = log.gate(proposal, 'auto', log.context.version, TARGET)
  expect(gated.ok ? 'passed' : gated.refusal).toBe('passed')
  expect(log.compact(proposal, 'auto')).toBe(undefined)
}

const images = (count: number): EventDraft[] =>
  Array.from({ length: count }, () => ({
    type: 'USER_MESSAGE',
    data: [{ type: 'image', media: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
  }))

const HISTORIES: Readonly<Record<string, () => TestLog>> = {
  'ten times the window': () => talk([user('Do it.')], ...rounds(200, 120), [user('And now?')]),
  'ten times the window in one turn': () => talk([user('Do it.')], ...rounds(200, 120)),
  'one message of the user that is larger than the window': () => buildLog(user(words(9_000, 1))),
  'one old paste that is larger than the window': () =>
    talk([user(words(9_000, 1))], answer('Read.'), [user('Sum it up.')]),
  'one result that is larger than the window, not answered yet': () =>
    talk([user('Read it.')], [...answer('', 'a'), result('a', words(9_000, 1))]),
  'one unbroken line that is larger than the window': () =>
    talk([user('Read it.')], [...answer('', 'a'), result('a', 'x'.repeat(200_000))]),
  'arguments that are larger than the window': () =>
    talk(
      [user('Write it.')],
      [
        { type: 'AGENT_MESSAGE', data: { content: '', calls: ['w'] } },
        {
          type: 'TOOL_CALL',
          data: {
            id: 'w',
            name: 'write',
            arguments: { path: 'a', content: words(9_000, 1) },
            answer: 0,
          },
        },
        result('w', 'ok'),
      ],
    ),
  'only images': () => buildLog(...images(40)),
  'one message with more images than fit': () =>
    buildLog({
      type: 'USER_MESSAGE',
      data: Array.from({ length: 30 }, () => ({
        type: 'image' as const,
        media: { mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      })),
    }),
  'only tools, and images in their results': () =>
    talk(
      ...Array.from({ length: 60 }, (_, at): EventDraft[] => [
        ...answer('', `c${at}`),
        {
          type: 'TOOL_RESULT',
          data: {
            id: `c${at}`,
            content: [PICTURE, { type: 'text', text: words(60, at) }],
            status: 'completed',
          },
        },
      ]),
    ),
  'no message of the user': () => talk(answer('I begin.'), ...rounds(60, 200), answer('Done.')),
  'many short turns': () =>
    talk(
      ...Array.from({ length: 900 }, (_, at) => [
        user(`Question ${at}?`),
        ...answer(`Answer ${at}.`),
      ]),
    ),
}

describe('a budget', () => {
  it.each([24_000, 20_000, 18_000, 15_000, 12_000, 9_000])(
    'of %i is used, and results that nobody has seen stay whole',
    async (targetTokens) => {
      const log = talk([user('Read all of them.')], ...rounds(8, 1_600))
      const newest = log.context.items.toArray().at(-1)
      const proposal = await cascade.propose(readInput(log, { targetTokens }))
      const { version } = log.context
      expect(log.compact(proposal, 'auto', version, targetTokens)).toBeUndefined()
      expect(weightOf(log.context)).toBeLessThanOrEqual(targetTokens)
      expect(weightOf(log.context)).toBeGreaterThan(0.75 * targetTokens)
      expect(log.context.items.toArray().at(-1)).toEqual(newest)
    },
  )
})

describe('cascade', () => {
  it.each(Object.keys(HISTORIES))('gets %s within the budget [NEED-01]', async (name) => {
    const log = (HISTORIES[name] as () => TestLog)()
    const before = log.items
    expect(weightOf(log.context)).toBeGreaterThan(TARGET)
    await compact(log)
    expect(weightOf(log.context)).toBeLessThanOrEqual(TARGET)
    expect(log.build().messages.length).toBeGreaterThan(0)
    log.undo()
    expect(log.items).toEqual(before)
  })

  it('gets a thread within the budget that was compacted twenty times [NEED-01]', async () => {
    const log = talk([user('Begin.')])
    for (let time = 0; time < 21; time += 1) {
      for (const round of rounds(8, 600)) log.append(round)
      log.append([user(`And then, ${time}?`)])
      await compact(log)
      expect(weightOf(log.context)).toBeLessThanOrEqual(TARGET)
      expect(texts(log)).toContain(`And then, ${time}?`)
    }
    expect(log.context.active.length).toBe(21)
    for (let time = 0; time < 21; time += 1) log.undo()
    expect(texts(log)).toContain('Begin.')
  })

  it('says what has to stay where that is more than the budget [NEED-01]', async () => {
    const log = talk([system(words(5_000, 3))], [user('Go.')], ...rounds(20, 300))
    const error = await cascade.propose(readInput(log)).catch((thrown: unknown) => thrown)
    const found = irreducibleOf(error)
    expect(found?.budget).toBe(TARGET)
    expect(found?.floor).toBeGreaterThan(TARGET)
    expect(found?.biggest[0]).toMatchObject({ ref: 'e1', what: 'system prompt' })
    expect(error).toMatchObject({ code: 'irreducible', hint: /system prompt/ as unknown })
  })

  it('lands at the target of the policy and goes no further down than it takes [NEED-08]', async () => {
    const log = talk([user('Go.')], ...rounds(20, 150), [user('Next.')])
    expect(PRESETS.precis.trigger.targetRatio).toBeLessThanOrEqual(0.5)
    await compact(log)
    const after = weightOf(log.context)
    expect(after).toBeLessThanOrEqual(TARGET)
    expect(after).toBeGreaterThan(TARGET / 2)
    expect(rungsOf(log)).toEqual(['trim-tool-results'])
  })

  it('is one event, and leaves every byte before its first edit as it was [NEED-11]', async () => {
    const first = talk([system('Be brief.')], [user('Go.')], answer('I am on it.'))
    const log = talk(
      [system('Be brief.')],
      [user('Go.')],
      answer('I am on it.'),
      ...rounds(60, 200),
      ...rounds(60, 200),
    )
    const [version, before] = [log.context.version, log.build()]
    await compact(log)
    expect(log.context.version).toBe(version + 1)
    const after = log.build()
    const same = after.messages.findIndex(
      (message, at) => JSON.stringify(message) !== JSON.stringify(before.messages[at]),
    )
    expect(rungsOf(log).length).toBeGreaterThan(1)
    expect(after.system).toEqual(before.system)
    expect(after.messages.slice(0, same)).toEqual(first.build().messages.slice(0, same))
    expect(log.context.stack).toEqual([version + 1])
  })

  it('chooses line by line where most has to go, and takes out results where little has to', async () => {
    const log = talk([user('Go.')], ...rounds(60, 200))
    const rungsTo = async (share: number, more: Partial<StrategyInput> = {}) => {
      const targetTokens = Math.floor(weightOf(log.context) * share)
      const { metadata } = await cascade.propose(readInput(log, { targetTokens, ...more }))
      return (metadata as { rungs: { rung: string }[] }).rungs.map(({ rung }) => rung)
    }
    expect(await rungsTo(0.2)).toContain('extract')
    expect(await rungsTo(0.2)).not.toContain('mask')
    expect(await rungsTo(0.7)).not.toContain('extract')
    // Rungs that take out one kind of content know nothing of what somebody wants to keep.
    expect(await rungsTo(0.7, { instructions: 'Keep word7919' })).toEqual(['extract'])
  })

  it('does nothing where somebody asked for a budget that is kept already', async () => {
    const log = talk([user('Go.')], ...rounds(2, 20))
    const proposal = await cascade.propose(readInput(log, { trigger: 'command' }))
    expect(proposal.edits).toEqual([])
  })

  it('takes half of what is there where nobody says how much, and keeps the rest whole', async () => {
    const log = talk([user('Go.')], ...rounds(40, 300))
    const before = weightOf(log.context)
    const { targetTokens: _, ...asked } = readInput(log, { trigger: 'command' })
    expect(log.compact(await cascade.propose(asked))).toBe(undefined)
    expect(weightOf(log.context)).toBeLessThanOrEqual(before / 2)
    expect(weightOf(log.context)).toBeGreaterThan(before / 4)
  })

  it('leaves out a rung that fails, and says so', async () => {
    const log = talk([user('Go.')], ...rounds(60, 200))
    const broken: Strategy = {
      id: 'broken',
      propose: async () => {
        throw new TypeError('a bug')
      },
    }
    const warnings: string[] = []
    const run = { threadId: 't', onWarning: (message: string) => warnings.push(message) }
    const ladder = createCascade([{ strategy: broken }, { strategy: mask }])
    const proposal = await ladder.propose(readInput(log, { run, targetTokens: 16_000 }))
    expect(proposal.edits.length).toBeGreaterThan(0)
    expect(warnings).toEqual(['broken was left out: a bug'])
    expect(proposal.metadata).toMatchObject({ leftOut: [{ from: 'broken', reason: 'a bug' }] })
  })

  it('says which rung failed and why in the report, and in the error where nothing else fits', async () => {
    const broken: Strategy = {
      id: 'broken',
      propose: async () => {
        throw new TypeError('a bug\u001b[2J')
      },
    }
    const log = talk([user('Go.')], ...rounds(60, 200))
    const before = log.context
    const ladder = createCascade([{ strategy: broken }, { strategy: mask }])
    expect(log.compact(await ladder.propose(readInput(log, { targetTokens: 16_000 })))).toBe(
      undefined,
    )
    const event = log.events.at(-1)
    if (event?.type !== 'COMPACTION') throw new Error('nothing was compacted')
    const { context: after, eventAt } = log
    const report = reportCompaction({ before, after, eventAt, change: event.data, pins: [] })
    expect(report.leftOut).toEqual([{ from: 'broken', reason: 'a bug\u001b[2J' }])
    expect(renderReport(report)).toContain('\nbroken was left out: a bug [2J\n')
    const alone = createCascade([{ strategy: broken }]).propose(
      readInput(log, { targetTokens: 100 }),
    )
    await expect(alone).rejects.toMatchObject({
      code: 'irreducible',
      hint: expect.stringMatching(/^broken was left out: a bug/),
      details: { leftOut: [{ from: 'broken', reason: 'a bug\u001b[2J' }] },
    })
  })

  it('names a rung that failed twice once, and ends what it says with one full stop', async () => {
    const failing = (id: string, message: string): Strategy => ({
      id,
      propose: () => Promise.reject(new TypeError(message)),
    })
    const rungs = [failing('first', 'It is too short.'), failing('second', 'a bug')]
    const ladder = createCascade([...rungs, ...rungs].map((strategy) => ({ strategy })))
    const warnings: string[] = []
    const run = { threadId: 't', onWarning: (message: string) => warnings.push(message) }
    const log = talk([user('Go.')], ...rounds(2, 200))
    await expect(ladder.propose(readInput(log, { run, targetTokens: 100 }))).rejects.toMatchObject({
      hint: expect.stringMatching(
        /^first was left out: It is too short\. second was left out: a bug\. Remove pins/,
      ),
    })
    expect(warnings).toHaveLength(2)
  })

  it('stops where it is told to', async () => {
    const log = talk([user('Go.')], ...rounds(60, 200))
    const signal = AbortSignal.abort()
    const stopped = cascade.propose(readInput(log, { run: { threadId: 't', signal } }))
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  })

  it('names a ref for everything it takes out [NEED-07]', async () => {
    const log = talk([user('Go.')], ...rounds(60, 200))
    await compact(log)
    const now = log.context.items.toArray()
    const kept = new Set(now.map(({ id }) => id))
    const reached = new Set(now.flatMap(({ id }) => covered(id, log.eventAt)))
    const refs = texts(log).join('\n')
    for (const { seq, type } of log.events) {
      if (type !== 'TOOL_RESULT' || kept.has(`e${seq}`)) continue
      expect(reached.has(`e${seq}`)).toBe(true)
    }
    expect(refs).toMatch(/\[ref:e\d+\]/)
  })

  it.each([500, 1_000])('asks for rows in proportion to the thread: %i rounds', async (count) => {
    const rowsAsked = async (size: number) => {
      const log = talk([user('Go.')], ...rounds(size, 20))
      let asked = 0
      const eventAt = (seq: number) => {
        asked += 1
        return log.eventAt(seq)
      }
      await cascade.propose(readInput(log, { eventAt, targetTokens: 3_000 }))
      return asked
    }
    expect(await rowsAsked(2 * count)).toBeLessThan(2.5 * (await rowsAsked(count)))
  })

  it('comes to its end on what makes careless patterns run for ever', async () => {
    const bait = [
      'a'.repeat(300_000),
      '['.repeat(100_000),
      `${'{"a":['.repeat(30_000)}`,
      ' '.repeat(300_000),
      `${'at '.repeat(50_000)}x`,
      '-'.repeat(200_000),
      '\n'.repeat(100_000),
      `${'1,'.repeat(60_000)}`,
      '\r'.repeat(100_000),
      `File "${'x'.repeat(100_000)}`,
    ]
    const log = talk(
      [user('Go.')],
      ...bait.map((text, at) => [...answer('', `c${at}`), result(`c${at}`, text)]),
      ...rounds(4, 10),
    )
    await compact(log)
    expect(weightOf(log.context)).toBeLessThanOrEqual(TARGET)
  })
})

function texts({ context, eventAt }: TestLog): string[] {
  return context.items.toArray().flatMap(({ id }) => {
    const content = contentOf(id, eventAt)
    if (content?.kind === 'user') return [textOfUserContent(content.content)]
    return content?.kind === 'result'
      ? content.result.content.flatMap(({ text }) => text ?? [])
      : []
  })
}

function rungsOf({ events }: TestLog): string[] {
  const last = events.at(-1)
  const metadata = last?.type === 'COMPACTION' ? last.data.metadata : undefined
  const { rungs } = metadata as unknown as { rungs: readonly { rung: string }[] }
  return rungs.map(({ rung }) => rung)
}

describe('what the user said, within so many tokens', () => {
  const file = (text: string, at: number): Part => ({
    type: 'document',
    media: { mimeType: 'text/plain', text, title: `notes/file-${at}.txt` },
  })

  it.each([
    [200, 'few words', 500],
    [200, words(3_000, 1), 500],
    [3, words(3_000, 1), 200],
    [1, 'few words', 300],
  ])('with %d documents that are texts', (count, said, most) => {
    const documents = Array.from({ length: count }, (_, at) => file(words(400, at), at))
    const data: Part[] = [{ type: 'text', text: said }, ...documents]
    const log = buildLog({ type: 'USER_MESSAGE', data })
    const [item] = log.context.items.toArray()
    const put = item && cappedEntry(item, most, log.eventAt)?.edit.put[0]
    if (!put || !('type' in put) || put.type !== 'USER_MESSAGE') throw new Error('It was not cut.')
    const text = textOfUserContent(put.data)
    expect(estimateTokens(text)).toBeLessThanOrEqual(most)
    expect(text).toContain('notes/file-0.txt')
    expect(text).toContain(said.slice(0, 9))
    if (said === 'few words') expect(text).toMatch(/file-0\.txt, ref \w+\]\nword/)
  })
})
