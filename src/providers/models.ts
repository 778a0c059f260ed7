// Models by their names, without the libraries of their APIs: those are loaded when one is first asked.
export { devEntry } from './anthropic/entry.ts'
export { modelPort } from './ask.ts'
export { readModelOverrides } from './catalogue.ts'
export { PROVIDER_ENTRIES } from './entries.ts'
export { redactedPort } from './redacted-port.ts'
export { createRegistry } from './registry.ts'
