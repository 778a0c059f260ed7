// Every provider that can be had by its name.

import type { Profile } from '../validate/rule.ts'
import { PROFILES } from '../validate/validate.ts'
import type { ChatProfile } from '../wire/openai-chat/profile.ts'
import { ANTHROPIC } from './anthropic/entry.ts'
import {
  HOME_WINDOW_TOKENS,
  type ModelInfo,
  OLLAMA_BASE_URL,
  OPENAI_BASE_URL,
  OPENAI_KEY_VARIABLE,
} from './catalogue.ts'
import type { ProviderEntry } from './registry.ts'

/** Its requests follow the rules of Chat Completions, strictly. */
export const OLLAMA_ENTRY: ProviderEntry = {
  id: 'ollama',
  keyVariables: ['OLLAMA_API_KEY'],
  baseUrlVariable: 'OLLAMA_BASE_URL',
  baseUrl: OLLAMA_BASE_URL,
  defaultWindowTokens: HOME_WINDOW_TOKENS,
  cutsSilently: true,
  async create({ id, apiKey, baseUrl, clock, timeouts, infoOf }) {
    const { ollamaProvider } = await import('./ollama/provider.ts')
    return ollamaProvider({
      id,
      apiKey,
      baseUrl,
      clock,
      ...(timeouts && { timeouts }),
      // The model must be loaded with the window that contexts are measured against.
      windowTokens(model) {
        const { known, windowTokens } = infoOf(model)
        return known ? windowTokens : undefined
      },
    })
  },
  profileOf: () => ({ ...PROFILES['openai-chat'], strict: true }),
}

export const OPENAI: ProviderEntry = {
  id: 'openai',
  keyVariables: [OPENAI_KEY_VARIABLE],
  baseUrlVariable: 'OPENAI_BASE_URL',
  baseUrl: OPENAI_BASE_URL,
  async create({ id, apiKey, baseUrl, clock, timeouts }) {
    const { openaiResponsesProvider } = await import('./openai/responses.ts')
    return openaiResponsesProvider({ id, apiKey, baseUrl, clock, ...(timeouts && { timeouts }) })
  },
  profileOf: (_model, info) => withWindow(PROFILES['openai-responses'], info),
}

/** A Chat Completions server: its address, whether it needs a key, and its peculiarities. */
interface ChatServer {
  readonly id: string
  readonly baseUrl: string
  readonly keyVariable?: string
  readonly baseUrlVariable?: string
  readonly profile?: Partial<ChatProfile>
  /** Runs on the user's machine with a window the user chose, smaller than elsewhere. */
  readonly isAtHome?: boolean
}

const CHAT_SERVERS: readonly ChatServer[] = [
  {
    id: 'openai-chat',
    baseUrl: OPENAI_BASE_URL,
    keyVariable: OPENAI_KEY_VARIABLE,
    profile: { strict: false, outputLimit: 'max_completion_tokens' },
  },
  {
    id: 'lmstudio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    baseUrlVariable: 'LMSTUDIO_BASE_URL',
    isAtHome: true,
  },
  /** Any other server: llama.cpp, vLLM, a gateway; its address comes from the settings. */
  {
    id: 'compatible',
    baseUrl: 'http://127.0.0.1:8080/v1',
    baseUrlVariable: 'OPENAI_COMPATIBLE_BASE_URL',
    isAtHome: true,
  },
  {
    id: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
  },
  {
    id: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    profile: { backend: 'mistral' },
  },
  {
    id: 'deepseek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    profile: { backend: 'deepseek' },
  },
  {
    id: 'kimi',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    profile: { backend: 'deepseek' }, // the same rule (VALID-O4)
  },
  {
    id: 'qwen',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
    profile: { backend: 'qwen' },
  },
]

export const OPENAI_CHAT_ENTRIES: readonly ProviderEntry[] = CHAT_SERVERS.map(chatEntry)

function chatEntry(server: ChatServer): ProviderEntry {
  const { keyVariable, baseUrlVariable, profile = {}, isAtHome = false } = server
  return {
    id: server.id,
    // A gateway in front of a private server may need a key, too.
    keyVariables: [keyVariable ?? 'OPENAI_COMPATIBLE_API_KEY'],
    ...(baseUrlVariable !== undefined && { baseUrlVariable }),
    baseUrl: server.baseUrl,
    ...(isAtHome && { cutsSilently: true, defaultWindowTokens: HOME_WINDOW_TOKENS }),
    async create({ id, apiKey, baseUrl, clock, timeouts }) {
      const { openaiChatProvider } = await import('./openai/chat.ts')
      return openaiChatProvider({
        id,
        apiKey,
        baseUrl,
        clock,
        ...(timeouts && { timeouts }),
        // At another address there may be a private server, which needs no key.
        needsKey: keyVariable !== undefined && baseUrl === server.baseUrl,
        ...(keyVariable !== undefined && { keyVariable }),
        profileOf: () => profile,
      })
    },
    profileOf: (_model, info) => withWindow(buildRules(profile), info),
  }
}

function buildRules({ strict = true, backend }: Partial<ChatProfile>): Profile {
  return { ...PROFILES['openai-chat'], strict, ...(backend && { backend }) }
}

/** A default window is not a rule to enforce. */
function withWindow(profile: Profile, { known, windowTokens }: ModelInfo): Profile {
  return known ? { ...profile, windowTokens } : profile
}

export const PROVIDER_ENTRIES: readonly ProviderEntry[] = [
  ANTHROPIC,
  OPENAI,
  ...OPENAI_CHAT_ENTRIES,
  OLLAMA_ENTRY,
]
