// The Responses provider does what every provider must, over HTTP and through the real SDK.
import type { TokenUsage } from '../../core/view/content.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { eventStream } from '../contract/fixture-server.ts'
import { providerContract } from '../contract.ts'
import { openaiResponsesProvider } from './responses.ts'

const BY_ROBOT = { type: 'message', role: 'robot', content: 'Hello' }

providerContract({
  name: 'openai',
  create: (options) => openaiResponsesProvider({ ...options, needsKey: true }),
  answer: (text, usage) =>
    eventStream([
      ...begun(text),
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'message', id: 'msg_1', role: 'assistant', content: [said(text)] },
      },
      { type: 'response.completed', response: { status: 'completed', usage: figures(usage) } },
    ]),
  beginning: (text) => eventStream(begun(text)),
  refusal: (status, message) => ({
    status,
    body: JSON.stringify({ error: { message, type: 'some_error', code: null } }),
  }),
  needsKey: true,
  violations: (body) => validate(PROFILES['openai-responses'], body),
  unsendable: {
    request: {
      messages: [
        { role: 'user', parts: [{ type: 'native', provider: 'openai', value: BY_ROBOT }] },
      ],
    },
    rule: 'VALID-R6',
  },
})

function begun(text: string) {
  return [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: text },
  ]
}

function said(text: string) {
  return { type: 'output_text', text, annotations: [] }
}

function figures(usage: TokenUsage | undefined) {
  if (usage === undefined) return null
  const { promptTokens, completionTokens, totalTokens } = usage
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: totalTokens,
  }
}
