// AI SDK: a model whose requests always fit, whoever makes them.
import { generateText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { compactionMiddleware } from 'precis/ai-sdk'

const sent = []
const finishReason = { unified: 'stop', raw: undefined }
const content = [{ type: 'text', text: 'Done.' }]
const yours = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    sent.push(prompt)
    return { content, finishReason, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] }
  },
})
const model = wrapLanguageModel({ model: yours, middleware: compactionMiddleware({ windowTokens: 10_000 }) })
const messages = Array.from({ length: 301 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} `.repeat(100) }))
const { text } = await generateText({ model, messages })
console.log(sent[0].length < 100, text)
