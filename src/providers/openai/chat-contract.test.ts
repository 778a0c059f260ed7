// The Chat Completions provider does what every provider must, over HTTP and through the real SDK.
import type { Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import type { Reply } from '../contract/fixture-server.ts'
import { providerContract } from '../contract.ts'
import { openaiChatProvider } from './chat.ts'

const tool = (name: string) => ({ name, description: '', inputSchema: { type: 'object' } })

const harness = {
  create: openaiChatProvider,
  answer: (text: string, usage?: TokenUsage) =>
    chunks(
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
      { choices: [{ index: 0, delta: { content: text } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ...(usage ? [{ choices: [], usage: figures(usage) }] : []),
    ),
  beginning: (text: string) => begun({ choices: [{ index: 0, delta: { content: text } }] }),
  refusal: (status: number, message: string) => ({
    status,
    body: JSON.stringify({ error: { message, type: 'some_error', code: null } }),
  }),
  violations: (body: Json) => validate(PROFILES['openai-chat'], body),
  unsendable: {
    request: { tools: Array.from({ length: 129 }, (_, index) => tool(`t${index}`)) },
    rule: 'VALID-C10',
  },
}

providerContract({ ...harness, name: 'a compatible server', needsKey: false })
providerContract({
  ...harness,
  name: 'openai-chat',
  create: (options) => openaiChatProvider({ ...options, needsKey: true }),
  needsKey: true,
})

function begun(...events: readonly Json[]): Reply {
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  }
}

function chunks(...events: readonly Json[]): Reply {
  const reply = begun(...events)
  return { ...reply, body: `${reply.body}data: [DONE]\n\n` }
}

function figures({ promptTokens, completionTokens, totalTokens }: TokenUsage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
  }
}
