// Every provider that can be had by its name.
import { ANTHROPIC } from './anthropic/entry.ts'
import { OLLAMA_ENTRY } from './ollama/entry.ts'
import { OPENAI, OPENAI_CHAT_ENTRIES } from './openai/entries.ts'
import type { ProviderEntry } from './registry.ts'

export const PROVIDER_ENTRIES: readonly ProviderEntry[] = [
  ANTHROPIC,
  OPENAI,
  ...OPENAI_CHAT_ENTRIES,
  OLLAMA_ENTRY,
]
