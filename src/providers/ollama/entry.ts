// Ollama as an entry of the registry.
import { PROFILES } from '../../validate/validate.ts'
import { HOME_WINDOW_TOKENS, OLLAMA_BASE_URL } from '../catalogue.ts'
import type { ProviderEntry } from '../registry.ts'

/** Its requests are checked as what they are like: those of Chat Completions, read strictly. */
export const OLLAMA_ENTRY: ProviderEntry = {
  id: 'ollama',
  keyVariables: ['OLLAMA_API_KEY'],
  baseUrlVariable: 'OLLAMA_BASE_URL',
  baseUrl: OLLAMA_BASE_URL,
  defaultWindowTokens: HOME_WINDOW_TOKENS,
  cutsSilently: true,
  async create({ id, apiKey, baseUrl, clock, timeouts, infoOf }) {
    const { ollamaProvider } = await import('./provider.ts')
    return ollamaProvider({
      id,
      apiKey,
      baseUrl,
      clock,
      ...(timeouts && { timeouts }),
      // What a context is measured against is what the model must be loaded with.
      windowTokens(model) {
        const { known, windowTokens } = infoOf(model)
        return known ? windowTokens : undefined
      },
    })
  },
  profileOf: () => ({ ...PROFILES['openai-chat'], strict: true }),
}
