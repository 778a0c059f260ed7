// The Ollama provider does what every provider must, over HTTP and through the real SDK.
import type { TokenUsage } from '../../core/content.ts'
import type { Json } from '../../core/json.ts'
import type { Reply } from '../contract/fixture-server.ts'
import { providerContract } from '../contract.ts'
import { ollamaProvider } from './provider.ts'

providerContract({
  name: 'ollama',
  // A window that is set need not be asked for, so that every request is the one under test.
  create: (options) => ollamaProvider({ ...options, windowTokens: 8_192 }),
  answer: (text, usage) => lines(said(text), { ...said(''), ...ended(usage) }),
  beginning: (text) => lines(said(text)),
  refusal: (status, message) => ({ status, body: JSON.stringify({ error: message }) }),
  needsKey: false,
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
