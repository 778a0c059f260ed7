// Turns the answer of a model into a summary entry and the metadata of a proposal
import type { Proposal, StrategyInput } from '../../core/edit/strategy.ts'
import type { AskAnswer } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { asProse } from './as-data.ts'
import { markedAgainst } from './checks.ts'
import { sourceOf } from './source.ts'

export interface MarkedSummary {
  /** Harmless, with a note about names that the conversation does not have. */
  readonly text: string
  readonly metadata: { readonly [key: string]: Json }
  /** For the gate, as the model wrote it. */
  readonly told: Pick<Proposal, 'stopReason' | 'written' | 'usage'>
}

export function markedSummary(
  { text: said, stopReason, usage }: AskAnswer,
  { context, eventAt, instructions }: StrategyInput,
): MarkedSummary {
  const source = sourceOf(context, eventAt, instructions)
  const { text, unverified, stripped } = markedAgainst(asProse(said), source)
  return {
    text,
    metadata: {
      summaryLength: said.length,
      ...(unverified.length > 0 && { unverified }),
      ...(stripped > 0 && { inventedRequests: stripped }),
    },
    told: { stopReason, written: [{ text: said }], ...(usage && { usage }) },
  }
}
