// The types of the library with those of the real SDKs: no casts, and the same type comes back
import type { MessageParam, Tool, Usage } from '@anthropic-ai/sdk/resources/messages'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { LanguageModelUsage, ModelMessage } from 'ai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { CompletionUsage } from 'openai/resources/completions'
import type {
  FunctionTool,
  ResponseInputItem,
  ResponseUsage,
} from 'openai/resources/responses/responses'
import { expect, expectTypeOf, it } from 'vitest'
import { recallTool as anthropicRecall } from '../../src/adapters/anthropic.ts'
import { recallTool as openaiRecall } from '../../src/adapters/openai.ts'
import {
  type CompactOptions,
  type Compactor,
  type CompactorOptions,
  compact,
  createCompactor,
} from '../../src/index.ts'

const TEXT = 'some words '.repeat(200)
const options = { budget: 2_000 }

it('compact takes and gives the messages of each SDK', () => {
  const anthropic: MessageParam[] = Array.from({ length: 20 }, () => [
    { role: 'user' as const, content: TEXT },
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: TEXT }] },
  ]).flat()
  const chat: ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    ...Array.from({ length: 20 }, () => ({ role: 'user' as const, content: TEXT })),
  ]
  const responses: ResponseInputItem[] = Array.from({ length: 20 }, () => ({
    role: 'user',
    content: [{ type: 'input_text', text: TEXT }],
  }))
  const sdk: ModelMessage[] = Array.from({ length: 20 }, () => ({
    role: 'user',
    content: [{ type: 'text', text: TEXT }],
  }))
  const langchain: BaseMessage[] = Array.from({ length: 10 }, () => [
    new HumanMessage(TEXT),
    new AIMessage(TEXT),
  ]).flat()

  const fitted = {
    anthropic: compact(anthropic, options).messages,
    chat: compact(chat, { ...options, pins: [chat[0] ?? ''] }).messages,
    responses: compact(responses, { ...options, format: 'openai-responses' }).messages,
    sdk: compact(sdk, { ...options, format: 'ai-sdk' }).messages,
    langchain: compact(langchain, options).messages,
  }
  expectTypeOf(fitted.anthropic).toEqualTypeOf<MessageParam[]>()
  expectTypeOf(fitted.chat).toEqualTypeOf<ChatCompletionMessageParam[]>()
  expectTypeOf(fitted.responses).toEqualTypeOf<ResponseInputItem[]>()
  expectTypeOf(fitted.sdk).toEqualTypeOf<ModelMessage[]>()
  expectTypeOf(fitted.langchain).toEqualTypeOf<BaseMessage[]>()
  for (const messages of Object.values(fitted)) expect(messages.length).toBeLessThan(20)
})

it('a model makes a promise of it, and a compactor keeps the type', async () => {
  const messages: MessageParam[] = [{ role: 'user', content: 'Hi.' }]
  const made = compact(messages, { ...options, model: async () => 'A summary.' })
  expectTypeOf(made).resolves.toHaveProperty('messages').toEqualTypeOf<MessageParam[]>()
  const compactor = createCompactor<MessageParam>({ windowTokens: 9_000, format: 'anthropic' })
  const { messages: out } = await compactor.fit(messages)
  expectTypeOf(out).toEqualTypeOf<MessageParam[]>()
  expect(out).toBe(messages)
  expect((await made).messages).toBe(messages)
})

it('the usage of each SDK and the tool for recall need no cast', () => {
  type Counted = Parameters<Compactor<object>['fit']>[1]
  expectTypeOf<Usage>().toExtend<Counted>()
  expectTypeOf<CompletionUsage>().toExtend<Counted>()
  expectTypeOf<ResponseUsage>().toExtend<Counted>()
  expectTypeOf<LanguageModelUsage>().toExtend<Counted>()
  const compactor = createCompactor({ windowTokens: 9_000 })
  const tools: Tool[] = [anthropicRecall(compactor).tool]
  expect(tools[0]?.name).toBe('recall')
  expect(openaiRecall(compactor).responsesTool satisfies FunctionTool).toBeDefined()
})

it('wrong names and values are errors of the compiler, and of the call', () => {
  type Options = CompactOptions<MessageParam>
  expectTypeOf<{ budget: 9; format: 'anthropic' }>().toExtend<Options>()
  expectTypeOf<{ budget: 9; format: 'claude' }>().not.toExtend<Options>()
  expectTypeOf<{ budget: '9' }>().not.toExtend<Options>()
  expectTypeOf<{ budget: 9; pins: { role: 'nobody' }[] }>().not.toExtend<Options>()
  expectTypeOf<{ windowTokens: 9; format: 'gpt' }>().not.toExtend<CompactorOptions>()
  expectTypeOf<string[]>().not.toExtend<Parameters<typeof compact>[0]>()
  const create = () => createCompactor({ windowTokens: 9, format: 'gpt' as never })
  expect(create).toThrow('Unknown format of messages: gpt.')
})
