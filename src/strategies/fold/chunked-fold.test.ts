// `chunked-fold` without a network: what it covers, how it sizes its chunks, whom it asks, what it keeps.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, result, user } from '../../../test/say.ts'
import type { Trigger } from '../../core/edit/change.ts'
import type { CompactionContext, Scratch, StrategyInput } from '../../core/edit/strategy.ts'
import type { EventDraft } from '../../core/log/event.ts'
import type { ConverseRequest, ModelLimits, ModelPort } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { wholeRange } from '../whole-range.ts'
import { chunkedFold } from './chunked-fold.ts'
import { fingerprint } from './fold-progress.ts'
import { planFold } from './plan.ts'
import { CHARS_PER_TOKEN, TARGET_CHUNK_TOKENS, TOLERANCE_TOKENS } from './render-thread.ts'

function buildLog(...drafts: (EventDraft | EventDraft[])[]): TestLog {
  const log = new TestLog()
  for (const draft of drafts) log.append([draft].flat())
  return log
}

const ADD = 'file /summary.md\ninsert_after <<X\nsomething\nX'

/** Adds a line to the summary, then is done. */
function model(
  limits: ModelLimits = {},
  script = ADD,
): Required<ModelPort> & { asked: ConverseRequest[] } {
  const asked: ConverseRequest[] = []
  return {
    asked,
    ask: () => Promise.reject(new Error('asked without tools')),
    limitsOf: async () => limits,
    async converse(request) {
      asked.push(request)
      const isBegun = request.messages.length > 1
      const calls = isBegun ? [] : [{ id: '1', name: 'edl', arguments: { script } }]
      const parts = calls.map((call) => ({ type: 'tool_call' as const, ...call }))
      return { message: { role: 'assistant', parts }, calls, stopReason: 'end' }
    },
  }
}

function propose(
  log: TestLog,
  run: Partial<CompactionContext>,
  trigger: Trigger = 'command',
  more: Partial<StrategyInput> = {},
) {
  const { context, eventAt, threadId } = log
  return chunkedFold.propose({ context, eventAt, run: { threadId, ...run }, trigger, ...more })
}

/** A scratch in memory. */
function scratch(): Scratch & { kept: Map<string, Json> } {
  const kept = new Map<string, Json>()
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    clear: async () => kept.clear(),
  }
}

describe('what is covered', () => {
  const DONE = [user('one'), ...answer('1')]
  const ASKED = [...DONE, user('two')]
  const RESULTS = [...DONE, user('two'), ...answer('reading', 'a')]
  const CASES: readonly (readonly [string, Trigger, TestLog, number, boolean])[] = [
    ['all, by command', 'command', buildLog(ASKED), 3, false],
    ['all after a whole turn', 'auto', buildLog(DONE), 2, false],
    ['all but the question that nobody has answered', 'auto', buildLog(ASKED), 2, false],
    ['all but a question, after an overflow', 'overflow', buildLog(ASKED), 2, false],
    [
      'all but results that the model has not seen',
      'auto',
      buildLog(RESULTS, [result('a', 'x')]),
      3,
      false,
    ],
    ['the same by command', 'command', buildLog(RESULTS, [result('a', 'x')]), 3, false],
    ['nothing of a round that is open', 'command', buildLog(RESULTS), 3, false],
    [
      'nothing that a turn works with',
      'background',
      buildLog(RESULTS, [result('a', 'x')]),
      3,
      false,
    ],
    ['nothing but a question', 'auto', buildLog([user('one')]), 0, false],
  ]
  it.each(CASES)('is %s (%s)', (_, trigger, { context, eventAt }, covered, continues) => {
    const range = wholeRange({ context, eventAt, trigger })
    expect(range.covered).toHaveLength(covered)
    expect(range.kept).toHaveLength(context.items.length - covered)
    expect(range.continues).toBe(continues)
  })

  it('is the question as well where it is too long to be kept', () => {
    const { context, eventAt } = buildLog(DONE, [user('a long one '.repeat(500))])
    const range = wholeRange({ context, eventAt, trigger: 'overflow', targetTokens: 600 })
    expect(range).toMatchObject({ kept: [], continues: true })
  })
})

describe('chunks', () => {
  const ofChars = (chars: number) => {
    const markdown = 'some words '.repeat(Math.ceil(chars / 11)).slice(0, chars)
    return { markdown, messageBoundaries: [0] }
  }
  const plan = (limits: ModelLimits, chars = 400_000) =>
    planFold({ rendered: ofChars(chars), limits, promptTokens: 100, summaryTokens: 99_999 })

  it('have the size of the design, for every window that is large enough [FOLD-08, FOLD-66]', () => {
    expect([CHARS_PER_TOKEN, TARGET_CHUNK_TOKENS, TOLERANCE_TOKENS]).toEqual([4, 25_000, 5_000])
    for (const windowTokens of [undefined, 128_000, 1_000_000]) {
      const { chunks } = plan(windowTokens === undefined ? {} : { windowTokens })
      expect(chunks.map(({ length }) => length)).toEqual([100_000, 100_000, 100_000, 100_000])
    }
    const { chunks } = plan({}, 120_000)
    expect(chunks).toHaveLength(1)
  })

  it.each([8_000, 16_000, 32_000, 64_000])(
    'leave room for the rest of the talk in a window of %i [ALWAYS-12]',
    (windowTokens) => {
      const { chunks, maxSummaryChars, maxOutputTokens } = plan({ windowTokens })
      const longest = Math.max(...chunks.map(({ length }) => length)) / 5.5 // two words
      expect(longest + maxSummaryChars / 4 + maxOutputTokens).toBeLessThan(windowTokens * 0.85)
      expect(chunks.join('')).toBe(ofChars(400_000).markdown)
    },
  )

  it('are refused where not even the instructions fit', () => {
    expect(() => plan({ windowTokens: 2_000 })).toThrow(/too small to fold/)
  })
})

describe('a fold', () => {
  const log = () => buildLog([user('one'), ...answer('1'), user('two'), ...answer('2')])

  it('asks the fast model, and the thread’s own where there is none [FOLD-67]', async () => {
    const provider = model()
    await propose(log(), { provider, fastModel: 'cheap/one', model: 'a/b' })
    await propose(log(), { provider, model: 'a/b' })
    await propose(log(), { provider })
    expect(provider.asked.map((request) => request.model)).toEqual(
      ['cheap/one', 'a/b', 'fast'].flatMap((name) => [name, name]),
    )
  })

  it('becomes one edit, and the gate takes it', async () => {
    const folded = log()
    const proposal = await propose(folded, { provider: model() })
    expect(proposal.written).toEqual([{ text: 'something' }])
    expect(folded.compact(proposal)).toBeUndefined()
    expect(folded.build().messages).toEqual([
      {
        role: 'user',
        parts: [
          expect.objectContaining({
            text: '<conversation-summary>\nsomething\n</conversation-summary>',
          }),
        ],
      },
    ])
  })

  it('marks names that the conversation does not have, and strikes out none [ALWAYS-21]', async () => {
    const folded = buildLog([user('Read a.ts'), ...answer('Read.')])
    const written = 'file /summary.md\ninsert_after "Read a.ts, then b.ts."'
    const proposal = await propose(folded, { provider: model({}, written) })
    expect(proposal.written).toEqual([{ text: 'Read a.ts, then b.ts.' }])
    expect(proposal.metadata).toMatchObject({ unverified: ['b.ts'] })
    expect(folded.compact(proposal)).toBeUndefined()
    expect(JSON.stringify(folded.build().messages)).toMatch(
      /Read a\.ts, then b\.ts\.\\n\\nUnverified [^:]*: b\.ts\\n<.conversation-summary>/,
    )
  })

  it('needs a model that can call tools', async () => {
    const error = { code: 'no-model' }
    await expect(propose(log(), {})).rejects.toMatchObject(error)
    await expect(propose(log(), { provider: { ask: model().ask } })).rejects.toMatchObject(error)
  })

  it('that is done before asks nobody, whatever else the scratch holds', async () => {
    const kept = scratch()
    const provider = model()
    await propose(log(), { provider, scratch: kept })
    const asked = provider.asked.length
    const again = await propose(log(), { provider, scratch: kept })
    expect(provider.asked).toHaveLength(asked)
    expect(again.metadata).toMatchObject({ chunks: 1, reusedChunks: 1 })
    expect(again.usage).toBeUndefined()
    const parts = [...kept.kept.values()].flat() as { [name: string]: Json }[]
    const altered = (name: string, value: Json) => parts.map((part) => ({ ...part, [name]: value }))
    for (const nonsense of [
      null,
      5,
      [],
      { summary: 7 },
      { summary: '', nextSavedId: 1 },
      altered('end', Number(parts[0]?.end) + 0.5),
      altered('chunks', '1'),
      altered('nextSavedId', -1),
      altered('summary', ''),
      altered('print', 'other'),
    ]) {
      for (const key of kept.kept.keys()) kept.kept.set(key, nonsense as Json)
      expect((await propose(log(), { provider, scratch: kept })).metadata).toMatchObject({
        reusedChunks: 0,
      })
    }
  })

  it('takes up nothing of a run whose summary said nothing', async () => {
    const kept = scratch()
    const lazy = model({}, 'file /summary.md\ninsert_after <<X\n---\nX')
    await expect(propose(log(), { provider: lazy, scratch: kept })).rejects.toMatchObject({
      code: 'model-failed',
    })
    const better = model()
    const { metadata } = await propose(log(), { provider: better, scratch: kept })
    expect(metadata).toMatchObject({ reusedChunks: 0 })
    expect(better.asked.length).toBeGreaterThan(0)
  })

  it('takes up nothing that was folded for another model, next prompt or instructions', async () => {
    const kept = scratch()
    const provider = model()
    const reusedBy = async (more: Partial<StrategyInput>, fastModel = 'a/b') => {
      const run = { provider, scratch: kept, fastModel }
      const { metadata } = await propose(log(), run, 'command', more)
      return (metadata as { reusedChunks: number }).reusedChunks
    }
    const asides = [
      {},
      { nextPrompt: 'Fix it.' },
      { nextPrompt: 'Stop.' },
      { instructions: 'Stop.' },
    ]
    for (const more of asides) expect(await reusedBy(more)).toBe(0)
    for (const more of asides) expect(await reusedBy(more)).toBe(1)
    expect(await reusedBy({}, 'a/c')).toBe(0)
  })

  it('lets no summary grow to more than 0.7 of what it replaces, or of the room', async () => {
    const long = buildLog([user('some words '.repeat(1_000)), ...answer('1')])
    const maxTokens = async (targetTokens?: number) => {
      const provider = model()
      await propose(
        long,
        { provider },
        'command',
        targetTokens === undefined ? {} : { targetTokens },
      )
      const [prompt] = provider.asked[0]?.messages[0]?.parts ?? []
      const chars = /(\d[\d,]*) characters/.exec(prompt?.type === 'text' ? prompt.text : '')?.[1]
      return Number(chars?.replaceAll(',', '')) / CHARS_PER_TOKEN
    }
    const { tokens } = long.context
    expect(await maxTokens()).toBeLessThanOrEqual(0.7 * tokens)
    expect(await maxTokens()).toBeGreaterThan(0.69 * tokens)
    expect(await maxTokens(500)).toBeLessThanOrEqual(350)
    expect(await maxTokens(500)).toBeGreaterThan(345)
  })

  it.each(['length', 'refusal', 'aborted', 'error', 'tool_use'] as const)(
    'fails where the small agent ends with %s, whatever it has edited before [FOLD-56]',
    async (stopReason) => {
      const provider = model()
      const converse = async (request: ConverseRequest) => {
        const said = await model().converse(request)
        return request.messages.length > 1 ? { ...said, stopReason } : said
      }
      await expect(propose(log(), { provider: { ...provider, converse } })).rejects.toMatchObject({
        code: 'model-failed',
        message: expect.stringMatching(/cut off|refused|stopped|an error|did not arrive/),
      })
    },
  )

  it('rejects with `aborted` before it asks anybody', async () => {
    const provider = model()
    const { signal } = { signal: AbortSignal.abort() }
    await expect(propose(log(), { provider, signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(provider.asked).toEqual([])
  })
})

describe('a fingerprint', () => {
  it('tells texts apart, and where one ends and the next begins', () => {
    const texts = [[''], ['', ''], ['a'], ['b'], ['ab'], ['a', 'b'], ['ab', ''], ['', 'ab']]
    const names = texts.map((each) => fingerprint(...each))
    expect(new Set(names).size).toBe(texts.length)
    expect(texts.map((each) => fingerprint(...each))).toEqual(names)
  })
})
