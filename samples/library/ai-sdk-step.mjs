// AI SDK: every step of a loop fits.
import { generateText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { prepareStep } from 'precis/ai-sdk'

const sent = []
const finishReason = { unified: 'stop', raw: undefined }
const content = [{ type: 'text', text: 'Done.' }]
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    sent.push(prompt)
    return { content, finishReason, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] }
  },
})
const messages = Array.from({ length: 301 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} `.repeat(100) }))
const { text } = await generateText({ model, messages, prepareStep: prepareStep({ windowTokens: 10_000 }) })
console.log(sent[0].length < 100, text)
