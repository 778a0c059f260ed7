// The adapter for LangChain, with LangChain: an agent whose calls fit, and messages of its own classes

import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compactionMiddleware, compactMessages } from '../../src/adapters/langchain.ts'
import { brokenPrefixes, fileText, STEPS, WINDOW_TOKENS } from './tool-loop.ts'

const read = tool(async ({ n }: { n: number }) => fileText(n), {
  name: 'read',
  description: 'Reads a file.',
  schema: z.object({ n: z.number() }),
})

/** Reads one file after the other, then says that it is done. */
class ReadingModel extends BaseChatModel {
  #answers = 0

  override _llmType() {
    return 'reading'
  }

  override bindTools() {
    return this
  }

  override async _generate() {
    const n = this.#answers
    this.#answers += 1
    const call = { name: 'read', args: { n }, id: `c${n}`, type: 'tool_call' as const }
    const message =
      n < STEPS ? new AIMessage({ content: '', tool_calls: [call] }) : new AIMessage('Done.')
    return { generations: [{ text: '', message }] }
  }
}

describe('compactionMiddleware', () => {
  it('keeps every call of an agent inside the window, and its state whole', async () => {
    const calls: BaseMessage[][] = []
    const agent = createAgent({
      model: new ReadingModel({}),
      tools: [read],
      middleware: [
        compactionMiddleware({ windowTokens: WINDOW_TOKENS }),
        {
          name: 'Watching',
          wrapModelCall: (request, handler) => {
            calls.push(request.messages)
            return handler(request)
          },
        },
      ],
    })
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage('Read all files.')] },
      { recursionLimit: 200 },
    )
    expect(messages.length).toBe(2 * STEPS + 2)
    expect(calls).toHaveLength(STEPS + 1)
    const contents = calls.map((call) => call.map(({ content }) => content))
    expect(Math.max(...contents.map((call) => JSON.stringify(call).length / 4))).toBeLessThan(
      WINDOW_TOKENS,
    )
    expect(brokenPrefixes(contents)).toBeLessThanOrEqual(8)
  })
})

describe('compactMessages', () => {
  it('gives instances of the same classes, and new ones of LangChain where none is there', () => {
    const messages = [
      new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 'read', args: {} }], id: 'kept' }),
      new ToolMessage({
        content: fileText(1).repeat(20),
        tool_call_id: 'a',
        artifact: { some: 1 },
      }),
      new AIMessage('word '.repeat(3_000)),
      new AIMessage('end'),
    ]
    const { messages: out, losses } = compactMessages(messages, { budget: 1_500 })
    expect(losses.length).toBeGreaterThan(0)
    expect(out.some((message) => message instanceof HumanMessage)).toBe(true)
    const trimmed = compactMessages(messages, { budget: 9_000, strategy: 'trim-tool-results' })
    const [first, result] = trimmed.messages
    expect(first).toBe(messages[0])
    expect(result).toBeInstanceOf(ToolMessage)
    expect((result as ToolMessage).artifact).toEqual({ some: 1 })
    expect(result?.toDict().data.content).toBe(result?.content)
  })
})
