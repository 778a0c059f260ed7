// Ways to count the tokens of a text: a port, and the two ways that need nothing.
import { charsOverFour } from './chars4.ts'
import { estimateTokens } from './estimate.ts'

export interface TokenCounter {
  readonly id: 'chars4' | 'estimate' | 'o200k'
  /** A whole number from 0, the same for the same text. Never throws, whatever the text holds. */
  count(text: string): number
}

export const chars4Counter: TokenCounter = { id: 'chars4', count: charsOverFour }

export const estimateCounter: TokenCounter = { id: 'estimate', count: estimateTokens }
