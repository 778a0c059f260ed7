// Every wording of «too long» is recognised by its witness, and everything that sounds alike is not.
import { describe, expect, it } from 'vitest'
import { toPrecisError } from './failures.ts'
import {
  isOutputLimit,
  isOverflow,
  NOT_OVERFLOW_ROWS,
  namedLimit,
  OUTPUT_LIMIT_ROWS,
} from './overflow.ts'
import { OVERFLOW_ROWS } from './overflow-rows.ts'
import { silentOverflow } from './silent-overflow.ts'

describe('isOverflow', () => {
  it.each(OVERFLOW_ROWS)('knows how $provider says it', ({ pattern, witness, code }) => {
    expect(witness).toMatch(pattern)
    expect(isOverflow({ status: 400, codes: [], message: witness })).toBe(true)
    if (code) expect(isOverflow({ status: 400, codes: [code], message: 'no' })).toBe(true)
  })

  it('reads the limit where one is named, and nothing else that is a number', () => {
    const named = OVERFLOW_ROWS.flatMap(({ provider, witness }) => {
      const limit = namedLimit(witness)
      return limit === undefined ? [] : [[provider, limit]]
    })
    expect(Object.fromEntries(named)).toEqual({
      anthropic: 200_000,
      'anthropic (input and output together)': 200_000,
      'openai chat': 8_192,
      'gemini, vertex': 1_048_575,
      mistral: 131_072,
      xai: 500_000,
      openrouter: 128_000,
      together: 262_144,
      fireworks: 202_752,
      'lm studio': 8_192,
      vllm: 32_768,
      'litellm, sglang': 262_144,
      'github copilot': 64_000,
      kimi: 262_144,
      'qwen (dashscope)': 202_745,
      'openai, azure (newer models)': 272_000,
      azure: 128_000,
      deepseek: 131_072,
      'bedrock (claude)': 200_000,
      vertex: 32_768,
      cohere: 4_081,
      'openrouter (poolside)': 131_040,
      deepinfra: 131_071,
      'lm studio (older)': 32_768,
      'lm studio (while answering)': 32_000,
      'llama-cpp-python': 2_048,
      'vllm (messages alone)': 131_072,
      'vllm (input and output together)': 4_096,
      'vllm (its engine)': 8_192,
      'text-generation-inference': 2_048,
    })
  })

  it.each([...NOT_OVERFLOW_ROWS, ...OUTPUT_LIMIT_ROWS])(
    'does not take for it: $what',
    ({ pattern, witness, status }) => {
      expect(witness).toMatch(pattern)
      const failure = { ...(status !== undefined && { status }), codes: [], message: witness }
      expect(isOverflow(failure)).toBe(false)
      // Nor by its words alone, or with the code that some servers give to everything.
      expect(isOverflow({ codes: ['context_length_exceeded'], message: witness })).toBe(false)
    },
  )

  it.each([
    ['8192', '64 in the messages', '8192', true],
    ['131,072', '122942 in the messages', '8,192', false],
  ])('of a window of %s, %s and %s asked for, tells whose fault it is', (...figures) => {
    const [window, input, output, isLimit] = figures
    const message = `This model's maximum context length is ${window} tokens. However, you requested too many tokens (${input}, ${output} in the completion).`
    expect(isOutputLimit(message)).toBe(isLimit)
    const refusal = { status: 400, codes: ['context_length_exceeded'], message }
    expect(isOverflow(refusal)).toBe(!isLimit)
  })

  it('says which setting to change where the output limit is the fault', () => {
    const [row] = OUTPUT_LIMIT_ROWS
    const thrown = { status: 400, error: { message: row?.witness } }
    const context = { provider: 'p', baseUrl: 'http://x', model: 'm', secrets: [] }
    expect(toPrecisError(thrown, context)).toMatchObject({
      code: 'invalid-request',
      hint: expect.stringContaining('outputTokens of p/m in catalogue'),
    })
  })

  it('takes no limit per time for it, whatever the words', () => {
    const message = 'Your input exceeds the context window of this model'
    expect(isOverflow({ status: 429, codes: ['rate_limit_error'], message })).toBe(false)
  })

  it.each([
    'Internal server error',
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after',
    'max_tokens must be greater than thinking.budget_tokens',
    'Overloaded',
    '',
  ])('takes nothing else for it: %s', (message) => {
    expect(isOverflow({ status: 400, codes: ['invalid_request_error'], message })).toBe(false)
  })
})

describe('silentOverflow', () => {
  const usage = (promptTokens: number, completionTokens: number) => ({
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
  })
  const windowTokens = 1_000

  it.each([
    [
      'a stop reason that says so',
      { stopReason: 'length', rawStopReason: 'model_context_window_exceeded' },
      'filled',
    ],
    ['more than the window was read', { stopReason: 'end', usage: usage(1_200, 5) }, 'longer'],
    ['no room for an answer', { stopReason: 'length', usage: usage(995, 0) }, 'no room'],
    [
      'a cut that nobody reports',
      { stopReason: 'end', usage: usage(1_000, 20), estimatedTokens: 1_900 },
      'less',
    ],
  ] as const)('sees %s', (_what, signs, words) => {
    expect(silentOverflow({ windowTokens, ...signs })).toContain(words)
  })

  it('sees what needs no window, where nobody knows it', () => {
    const cut = { stopReason: 'end', usage: usage(2_000, 5), estimatedTokens: 5_000 } as const
    expect(silentOverflow(cut)).toContain('less')
    const full = { stopReason: 'length', rawStopReason: 'model_context_window_exceeded' } as const
    expect(silentOverflow(full)).toContain('filled')
    expect(silentOverflow({ stopReason: 'end', usage: usage(9e9, 5) })).toBeUndefined()
  })

  it.each([
    ['an answer', { stopReason: 'end', usage: usage(500, 5), estimatedTokens: 480 }],
    ['an answer without figures', { stopReason: 'end' }],
    ['an answer that was too long', { stopReason: 'length', usage: usage(500, 500) }],
    [
      'an estimate that was too high',
      { stopReason: 'end', usage: usage(950, 5), estimatedTokens: 1_050 },
    ],
    ['a good tokenizer', { stopReason: 'end', usage: usage(500, 5), estimatedTokens: 900 }],
  ] as const)('leaves alone %s', (_what, signs) => {
    expect(silentOverflow({ windowTokens, ...signs })).toBeUndefined()
  })
})
