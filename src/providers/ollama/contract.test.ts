// The Ollama provider does what every provider must, over HTTP and through the real SDK.
import { isFields, type Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import type { Reply } from '../contract/fixture-server.ts'
import { providerContract } from '../contract.ts'
import { asChat } from './decode.ts'
import { ollamaProvider } from './provider.ts'

const RULES = { ...PROFILES['openai-chat'], strict: true }
const tool = (name: string) => ({ name, description: '', inputSchema: { type: 'object' } })

providerContract({
  name: 'ollama',
  // A window that is set need not be asked for, so that every request is the one under test.
  create: (options) => ollamaProvider({ ...options, windowTokens: 8_192 }),
  answer: (text, usage) => lines(said(text), { ...said(''), ...ended(usage) }),
  beginning: (text) => lines(said(text)),
  refusal: (status, message) => ({ status, body: JSON.stringify({ error: message }) }),
  needsKey: false,
  violations: (body) => (isFields(body) ? validate(RULES, asChat(body)) : []),
  unsendable: {
    request: { tools: Array.from({ length: 129 }, (_, index) => tool(`t${index}`)) },
    rule: 'VALID-C10',
  },
})

function lines(...values: readonly Json[]): Reply {
  return {
    headers: { 'content-type': 'application/x-ndjson' },
    body: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
  }
}

function said(content: string) {
  return { model: 'm-1', message: { role: 'assistant', content }, done: false }
}

function ended(usage: TokenUsage | undefined) {
  return {
    done: true,
    done_reason: 'stop',
    ...(usage && {
      prompt_eval_count: usage.promptTokens,
      eval_count: usage.completionTokens,
    }),
  }
}
