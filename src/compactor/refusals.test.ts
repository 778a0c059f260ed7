// What a caller hands over wrong: a model that fails, a usage that cannot be read, a role that no format has
import { ChatMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { irreducibleOf } from '../core/edit/irreducible.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { dropTurns } from '../strategies/drop-turns.ts'
import { createCascade } from '../strategies/ladder/cascade.ts'
import { compact } from './compact.ts'
import { createCompactor } from './compactor.ts'

interface Said {
  readonly role: 'user' | 'assistant'
  readonly content: string
}
const history: Said[] = Array.from({ length: 100 }, (_, n) => ({
  role: n % 2 ? 'assistant' : 'user',
  content: `${n}: why? `.repeat(20),
}))

describe('a model that fails', () => {
  const boom = new Error('401 bad key')
  const fails = async () => {
    throw boom
  }
  const sync = () => {
    throw boom
  }
  it.each([
    ['a function that rejects', fails],
    ['a function that throws', sync],
    ['a port', { ask: fails }],
  ])('is model-failed, with what it threw: %s', async (_, model) => {
    const choices = { budget: 1_000, strategy: 'summarize', model: model as never }
    const refusal = { code: 'model-failed', cause: boom, hint: expect.any(String) }
    await expect(compact(history, choices)).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('401 bad key'),
    })
    const { report } = await compact(history, { budget: 1_000, model: model as never })
    expect(report.fallback?.reason ?? report.leftOut).toBeDefined()
  })

  it.each([undefined, null, 42, {}, { text: 5 }, { text: 'A' }, ['A']])(
    'is model-failed for the answer %j',
    async (answer) => {
      for (const model of [async () => answer, { ask: async () => answer }]) {
        const choices = { budget: 1_000, strategy: 'summarize', model: model as never }
        await expect(compact(history, choices)).rejects.toMatchObject({
          code: 'model-failed',
          message: expect.stringContaining('the model must return a text or { text, stopReason }'),
          hint: expect.stringContaining("stopReason: 'end'"),
        })
      }
    },
  )
})

describe('a usage', () => {
  const fitWith = (usage: unknown) =>
    createCompactor({ windowTokens: 100_000 }).fit(history, usage as never)

  it.each([
    [{ foo: 1 }, '"foo":1'],
    [{}, '{}'],
    [{ input_tokens: '9000' }, '"9000"'],
    [{ input_tokens: Number.NaN }, 'input_tokens'],
    [{ inputTokens: -1 }, '-1'],
    [Number.NaN, 'NaN'],
    ['nonsense', 'nonsense'],
  ])('that cannot be read is named: %j', async (usage, named) => {
    await expect(fitWith(usage)).rejects.toMatchObject({
      code: 'invalid-input',
      where: 'usage',
      message: expect.stringContaining(named),
    })
  })

  it.each([
    null,
    undefined,
    { prompt_tokens: 5 },
    { inputTokens: undefined, outputTokens: undefined },
    { inputTokens: { total: 5 } },
    { inputTokens: { total: undefined } },
    { input_tokens: null },
  ])('may be %j', async (usage) => {
    expect((await fitWith(usage)).messages).toBe(history)
  })
})

describe('a role', () => {
  it.each([undefined, 'anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'] as const)(
    'that no format has is named, with the format %s',
    async (format) => {
      const robot = { role: 'robot', content: 'Hello.' }
      const named = format && { format }
      const refusal = { code: 'unknown-format', where: 'messages[0]' }
      const says = expect.stringContaining('messages[0] (robot)')
      const first = [robot, ...history]
      expect(() => compact(first, { budget: 1_000, ...named })).toThrow('messages[0] (robot)')
      const compactor = createCompactor({ windowTokens: 100_000, ...named })
      await expect(compactor.fit(first)).rejects.toMatchObject({ ...refusal, message: says })
      await compactor.fit(history)
      await expect(compactor.fit([...history, robot])).rejects.toThrow('messages[100] (robot)')
    },
  )

  it('may be any in a message of LangChain', () => {
    const said = [new ChatMessage('Hello.', 'robot')]
    expect(compact(said, { budget: 1_000 }).messages).toBe(said)
  })
})

it.each([
  new HumanMessage('Hello.').toDict(),
  JSON.parse(JSON.stringify(new HumanMessage('Hello.'))),
])('says how a message of LangChain comes back from JSON: %j', (stored: object) => {
  const hint = expect.stringContaining('mapStoredMessagesToChatMessages')
  const refusal = expect.objectContaining({ code: 'unknown-format', hint })
  expect(() => compact([stored], { budget: 1_000 })).toThrow(refusal)
})

it('counts pins that are larger than the budget in what must stay', () => {
  const pins = ['Keep the port free. '.repeat(4_000)]
  const refused = () => compact(history, { budget: 1_000, pins })
  const found = irreducibleOf(thrownBy(refused))
  expect(found?.biggest[0]?.what).toBe('pinned texts')
  expect(found?.floor).toBeGreaterThanOrEqual(found?.biggest[0]?.tokens ?? Infinity)
})

function thrownBy(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

it('gives messages of the type that it was given', async () => {
  const fitted = await createCompactor({ windowTokens: 100_000 }).fit(history)
  expectTypeOf(fitted.messages).toEqualTypeOf<Said[]>()
})

describe('what is nothing', () => {
  it('is no pin, no ladder and no text to count', () => {
    const refused = { code: 'invalid-input', message: expect.stringMatching(/pin|rungs|text/) }
    const calls = [
      () => createCompactor({ windowTokens: 1_000 }).pin(''),
      () => compact(history, { budget: 1_000, pins: [''] }),
      () => createCascade([]),
      () => estimateTokens(undefined as never),
      () => estimateTokens({ text: 'A' } as never),
    ]
    for (const call of calls) expect(call).toThrow(expect.objectContaining(refused))
  })

  it('is not among the biggest parts that must stay', () => {
    const irreducible = expect.objectContaining({
      code: 'irreducible',
      hint: expect.not.stringContaining('(0)'),
    })
    expect(() => compact(history, { budget: 1 })).toThrow(irreducible)
  })
})

describe('what cannot fit', () => {
  const refusalOf = (options: Parameters<typeof compact<Said>>[1]) => {
    try {
      compact(history, options)
    } catch (error) {
      if (PrecisError.is(error)) return error
    }
    throw new Error('nothing was refused')
  }

  it('is said once, with one floor', () => {
    const { message, hint } = refusalOf({ budget: 1 })
    expect(message).toMatch(/^The content that must stay takes \d+ tokens, and the budget is 1\.$/)
    expect(hint).toMatch(/^Remove pins, /)
  })

  it('names the pinned texts where they are too long', () => {
    const error = refusalOf({ budget: 500, pins: ['Never push. '.repeat(2_000)] })
    expect(irreducibleOf(error)?.biggest[0]).toMatchObject({ what: 'pinned texts' })
    expect(error.hint).toContain('The biggest parts: pinned texts (')
    const extracted = refusalOf({ budget: 500, strategy: 'extract', pins: ['No. '.repeat(2_000)] })
    expect(irreducibleOf(extracted)?.biggest[0]).toMatchObject({ what: 'pinned texts' })
  })
})

describe('a strategy that answers later', () => {
  const later: Strategy = { id: 'later', propose: async (input) => dropTurns.propose(input) }

  it('is refused where nothing can be waited for, with what to do', () => {
    expect(() => compact(history, { budget: 1_000, strategy: later })).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        where: 'strategy',
        message:
          'compact: the strategy "later" is asynchronous, but `compact` without a model is not.',
        hint: expect.stringContaining('createCompactor'),
      }),
    )
  })

  it('is waited for by fit', async () => {
    const compactor = createCompactor({ windowTokens: 2_000, strategy: later })
    expect((await compactor.fit(history)).report?.strategyId).toBe('later')
  })
})
