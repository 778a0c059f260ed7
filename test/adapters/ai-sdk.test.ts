// The adapter for the AI SDK, with the AI SDK: steps and requests fit, and what is not compacted stays whole
import {
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { compactionMiddleware, prepareStep } from '../../src/adapters/ai-sdk.ts'
import { brokenPrefixes, fileText, STEPS, WINDOW_TOKENS } from './tool-loop.ts'

type Prompt = Parameters<MockLanguageModelV4['doGenerate']>[0]['prompt']

const usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/** Calls `read` again and again, then says that it is done. */
function readingModel(prompts: Prompt[]) {
  const next = (prompt: Prompt) => {
    prompts.push(prompt)
    return prompts.length <= STEPS
  }
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const isCalling = next(prompt)
      const number = prompts.length
      return {
        content: isCalling
          ? [
              {
                type: 'tool-call',
                toolCallId: `c${number}`,
                toolName: 'read',
                input: `{"n":${number}}`,
              },
            ]
          : [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: isCalling ? 'tool-calls' : 'stop', raw: undefined },
        usage,
        warnings: [],
      }
    },
    doStream: async ({ prompt }) => {
      next(prompt)
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] })
            controller.enqueue({ type: 'text-start', id: 't' })
            controller.enqueue({ type: 'text-delta', id: 't', delta: 'Done.' })
            controller.enqueue({ type: 'text-end', id: 't' })
            controller.enqueue({
              type: 'finish',
              finishReason: { unified: 'stop', raw: undefined },
              usage,
            })
            controller.close()
          },
        }),
      }
    },
  })
}

const tools = {
  read: tool({
    inputSchema: jsonSchema<{ n: number }>({
      type: 'object',
      properties: { n: { type: 'number' } },
    }),
    execute: async ({ n }) => fileText(n),
  }),
}

const size = (prompt: unknown) => JSON.stringify(prompt).length / 4

describe('prepareStep', () => {
  it('keeps the steps of a loop inside the window, with a stable prefix', async () => {
    const prompts: Prompt[] = []
    const { text } = await generateText({
      model: readingModel(prompts),
      tools,
      stopWhen: isStepCount(STEPS + 1),
      prompt: 'Read all files. Never touch package-lock.json.',
      prepareStep: prepareStep({ windowTokens: WINDOW_TOKENS }),
    })
    expect(text).toBe('Done.')
    expect(prompts).toHaveLength(STEPS + 1)
    expect(Math.max(...prompts.map(size))).toBeLessThan(WINDOW_TOKENS)
    expect(brokenPrefixes(prompts)).toBeLessThanOrEqual(8)
    expect(JSON.stringify(prompts.at(-1))).toContain('Never touch package-lock.json.')
  })
})

describe('compactionMiddleware', () => {
  it('keeps every request of a wrapped model inside the window', async () => {
    const prompts: Prompt[] = []
    const model = wrapLanguageModel({
      model: readingModel(prompts),
      middleware: compactionMiddleware({ windowTokens: WINDOW_TOKENS }),
    })
    await generateText({
      model,
      tools,
      stopWhen: isStepCount(STEPS + 1),
      prompt: 'Read all files.',
    })
    expect(Math.max(...prompts.map(size))).toBeLessThan(WINDOW_TOKENS)
    expect(brokenPrefixes(prompts)).toBeLessThanOrEqual(8)
  })

  it('loses nothing of what it does not compact', async () => {
    const bytes = new Uint8Array([137, 80, 78, 71])
    const recent: ModelMessage[] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'So.', providerOptions: { openai: { itemId: 'rs_1' } } },
          {
            type: 'tool-call',
            toolCallId: 'w',
            toolName: 'web',
            input: {},
            providerExecuted: true,
          },
          {
            type: 'tool-result',
            toolCallId: 'w',
            toolName: 'web',
            output: { type: 'json', value: [1] },
          },
          {
            type: 'text',
            text: 'It is a picture.',
            providerOptions: { openai: { itemId: 'msg_1' } },
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'file', data: bytes, mediaType: 'image/png' },
          { type: 'text', text: 'And now?' },
        ],
      },
    ]
    const old: ModelMessage[] = Array.from({ length: 200 }, (_, n) => ({
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: `${n} ${'word '.repeat(60)}`,
    }))
    const ask = async (messages: ModelMessage[], isWrapped: boolean) => {
      const prompts: Prompt[] = []
      const plain = readingModel(prompts)
      const model = isWrapped
        ? wrapLanguageModel({
            model: plain,
            middleware: compactionMiddleware({ windowTokens: 14_000, at: 0.9, target: 0.7 }),
          })
        : plain
      await generateText({ model, messages })
      return prompts[0] ?? []
    }
    const whole = await ask([...old, ...recent], false)
    const fitted = await ask([...old, ...recent], true)
    expect(fitted.length).toBeLessThan(whole.length)
    expect(fitted.slice(-recent.length)).toEqual(whole.slice(-recent.length))
  })

  it('passes a stream on', async () => {
    const prompts: Prompt[] = []
    const model = wrapLanguageModel({
      model: readingModel(prompts),
      middleware: compactionMiddleware({ windowTokens: WINDOW_TOKENS }),
    })
    expect(await streamText({ model, prompt: 'Hi!' }).text).toBe('Done.')
  })
})
