// Thinking effort as a word, for wires without a token number
import type { ThinkingWish } from '../../core/model.ts'

export type Effort = NonNullable<ThinkingWish['effort']>

const LOW_TOKENS = 4_096
const MEDIUM_TOKENS = 12_288

/** Undefined if the wish names neither: the model's own default. */
export function effortOf({ effort, budgetTokens }: ThinkingWish): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort
  if (budgetTokens <= LOW_TOKENS) return 'low'
  return budgetTokens <= MEDIUM_TOKENS ? 'medium' : 'high'
}
