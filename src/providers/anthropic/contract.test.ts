// The Anthropic provider does what every provider must, over HTTP and through the real SDK.
import type { TokenUsage } from '../../core/view/content.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { eventStream } from '../contract/fixture-server.ts'
import { providerContract } from '../contract.ts'
import { anthropicProvider } from './provider.ts'

const SMALL = { ...PROFILES.anthropic, windowTokens: 2_000 }

providerContract({
  name: 'anthropic',
  create: (options) => anthropicProvider({ ...options, profileOf: () => SMALL }),
  answer: (text, usage) =>
    eventStream([
      ...begun(text, usage),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...figures(usage, 'end') },
      { type: 'message_stop' },
    ]),
  beginning: (text) => eventStream(begun(text)),
  refusal: (status, message) => ({
    status,
    body: JSON.stringify({ type: 'error', error: { type: 'some_error', message } }),
  }),
  needsKey: true,
  violations: (body) => validate(PROFILES.anthropic, body),
  unsendable: { request: { system: ['word '.repeat(10_000)] }, rule: 'VALID-A19' },
})

function begun(text: string, usage?: TokenUsage) {
  return [
    { type: 'message_start', message: { role: 'assistant', ...figures(usage, 'start') } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  ]
}

function figures(usage: TokenUsage | undefined, at: 'start' | 'end') {
  if (usage === undefined) return {}
  const { promptTokens, completionTokens } = usage
  return at === 'start'
    ? { usage: { input_tokens: promptTokens, output_tokens: 1 } }
    : { usage: { output_tokens: completionTokens } }
}
