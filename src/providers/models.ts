// Looks up models by name without loading the SDKs; those are loaded on the first request.

export { devEntry } from './anthropic/entry.ts'
export { readModelOverrides } from './catalogue.ts'
export { PROVIDER_ENTRIES } from './entries.ts'
export { createRegistry } from './registry.ts'
