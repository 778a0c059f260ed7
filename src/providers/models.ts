// Models by their names, without the libraries of their APIs: those are loaded when one is first asked.

export { devEntry } from './anthropic/entry.ts'
export { readModelOverrides } from './catalogue.ts'
export { PROVIDER_ENTRIES } from './entries.ts'
export { createRegistry } from './registry.ts'
