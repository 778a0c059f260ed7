// Mastra: an agent whose requests fit.
import { Agent } from '@mastra/core/agent'
import { MockLanguageModelV4 } from 'ai/test'
import { createCompactor } from 'precis'
import { compactionProcessor } from 'precis/mastra'

const finishReason = { unified: 'stop', raw: undefined }
const content = [{ type: 'text', text: 'Done.' }]
const model = new MockLanguageModelV4({
  doGenerate: async () => ({ content, finishReason, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] }),
})
const compactor = createCompactor({ windowTokens: 10_000, format: 'ai-sdk' })
const agent = new Agent({ id: 'a', name: 'a', instructions: 'Answer.', model, inputProcessors: [compactionProcessor(compactor)] })
const messages = Array.from({ length: 301 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} `.repeat(100) }))
const { text } = await agent.generate(messages)
console.log(compactor.reading().tokens < 10_000, text)
