// The adapter for Mastra, with Mastra: the requests of an agent fit
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { compactionProcessor } from '../../src/adapters/mastra.ts'
import { brokenPrefixes, fileText, STEPS, WINDOW_TOKENS } from './tool-loop.ts'

it('keeps every request of an agent inside the window', async () => {
  const prompts: unknown[][] = []
  const usage = {
    inputTokens: {
      total: undefined,
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  }
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      prompts.push(prompt)
      const number = prompts.length
      const isCalling = number <= STEPS
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] })
            if (isCalling)
              controller.enqueue({
                type: 'tool-call',
                toolCallId: `c${number}`,
                toolName: 'read',
                input: `{"n":${number}}`,
              })
            else {
              controller.enqueue({ type: 'text-start', id: 't' })
              controller.enqueue({ type: 'text-delta', id: 't', delta: 'Done.' })
              controller.enqueue({ type: 'text-end', id: 't' })
            }
            controller.enqueue({
              type: 'finish',
              finishReason: { unified: isCalling ? 'tool-calls' : 'stop', raw: undefined },
              usage,
            })
            controller.close()
          },
        }),
      }
    },
  })
  const agent = new Agent({
    id: 'reader',
    name: 'reader',
    instructions: 'You read files.',
    model: model as never,
    tools: {
      read: createTool({
        id: 'read',
        description: 'Reads a file.',
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }: { n: number }) => fileText(n),
      }),
    },
    inputProcessors: [compactionProcessor({ windowTokens: WINDOW_TOKENS })],
  })
  const stream = await agent.stream('Read all files.', { maxSteps: STEPS + 2 })
  expect(await stream.text).toContain('Done.')
  expect(prompts).toHaveLength(STEPS + 1)
  expect(Math.max(...prompts.map((prompt) => JSON.stringify(prompt).length / 4))).toBeLessThan(
    WINDOW_TOKENS,
  )
  expect(brokenPrefixes(prompts)).toBeLessThanOrEqual(8)
})
