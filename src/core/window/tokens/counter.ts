// Counters of tokens: the port, the estimate, and four characters a token.
import { charsOverFour } from './chars4.ts'
import { estimateTokens } from './estimate.ts'

export interface TokenCounter {
  readonly id: 'chars4' | 'estimate' | 'o200k'
  /** A whole number from 0, the same for the same text. Never throws, whatever the text holds. */
  count(text: string): number
}

export const chars4Counter: TokenCounter = { id: 'chars4', count: charsOverFour }

export const estimateCounter: TokenCounter = { id: 'estimate', count: estimateTokens }
