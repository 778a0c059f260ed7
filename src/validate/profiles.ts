// Named profiles: what a request is checked against. Another model or account: spread one and change it.
import type { Profile } from './rule.ts'

/** Where models of one provider differ, the name alone means the strict reading. */
const ANTHROPIC = {
  wire: 'anthropic',
  preservedThinking: true,
  prefill: false,
  strict: true,
} as const
const CHAT = { wire: 'openai-chat', preservedThinking: false, prefill: false } as const

export const PROFILES = {
  /** The newest models: thinking is bound to its prefix, an answer cannot be begun for the model. */
  anthropic: { ...ANTHROPIC, systemMessages: true },
  /** Models before that. `strict` is kept: roles that alternate are right everywhere. */
  'anthropic-legacy': { ...ANTHROPIC, preservedThinking: false, prefill: true },
  bedrock: { ...ANTHROPIC, backend: 'bedrock' },
  'openai-chat': { ...CHAT, strict: false },
  mistral: { ...CHAT, strict: true, backend: 'mistral' },
  deepseek: { ...CHAT, strict: true, backend: 'deepseek' },
  kimi: { ...CHAT, strict: true, backend: 'deepseek' },
  qwen: { ...CHAT, strict: true, backend: 'qwen' },
  'openai-responses': {
    wire: 'openai-responses',
    preservedThinking: false,
    prefill: false,
    strict: false,
  },
  gemini: { wire: 'gemini', preservedThinking: false, prefill: false, strict: false },
} as const satisfies Record<string, Profile>
