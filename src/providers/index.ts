// Models for users of the library: adapters, the registry, the catalogue, and what answers cost.
export { devEntry } from './anthropic/entry.ts'
export { type AnthropicOptions, anthropicProvider } from './anthropic/provider.ts'
export {
  CATALOGUE_DATE,
  DEFAULT_WINDOW_TOKENS,
  HOME_WINDOW_TOKENS,
  LISTED_MODELS,
  type ModelInfo,
  type ModelOverrides,
  type ModelWindow,
  modelInfo,
  type Prices,
  readModelOverrides,
  type WindowSource,
} from './catalogue.ts'
export { type CostOptions, costOf } from './costs.ts'
export { PROVIDER_ENTRIES } from './entries.ts'
export { noticingOverflow, type OverflowFacts } from './failures/silent-overflow.ts'
export type { RetryPolicy, Timeouts } from './failures/timed-fetch.ts'
export { modelPort } from './model-port.ts'
export { type OllamaOptions, ollamaProvider } from './ollama/provider.ts'
export { type OpenAiChatOptions, openaiChatProvider } from './openai/chat.ts'
export { type OpenAiResponsesOptions, openaiResponsesProvider } from './openai/responses.ts'
export {
  type AskedModel,
  type RedactedPortOptions,
  redactedPort,
  type WholeModelPort,
} from './redacted-port.ts'
export {
  createRegistry,
  type ModelRegistry,
  type ModelSettings,
  type ProviderEntry,
  type ProviderOptions,
  type ProviderSettings,
  type RegistryOptions,
  type ResolvedModel,
} from './registry.ts'
