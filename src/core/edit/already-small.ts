// The proposal for a context that already fits its budget, distinct from a failure
import { isFields, type Json } from '../text/json.ts'
import type { Proposal } from './strategy.ts'

// A type, since it is put into an event as JSON.
export type MetTarget = { readonly tokens: number; readonly targetTokens: number }

export function proposeNothing(met: MetTarget): Proposal {
  return { edits: [], metadata: { met } }
}

/** Logs are data: what has another shape is passed over. */
export function metTargetIn(metadata: Json | undefined): MetTarget | undefined {
  const met = isFields(metadata) ? metadata.met : undefined
  if (!isFields(met)) return undefined
  const { tokens, targetTokens } = met
  return typeof tokens === 'number' && typeof targetTokens === 'number'
    ? { tokens, targetTokens }
    : undefined
}
