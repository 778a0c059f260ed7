// Token counters: the port, the estimate, and four characters per token.
import type { ThreadEvent } from '../../log/event.ts'
import { textOfUserContent } from '../../view/content.ts'
import { estimateTokens } from './estimate.ts'

const CHARS_PER_TOKEN = 4

export function charsOverFour(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

/** The sum over a conversation's events, each rounded; other types count nothing. */
export function estimateConversationTokens(events: readonly ThreadEvent[]): number {
  return events.reduce((sum, event) => sum + tokensOfEvent(event), 0)
}

function tokensOfEvent(event: ThreadEvent): number {
  switch (event.type) {
    case 'USER_MESSAGE':
      return charsOverFour(textOfUserContent(event.data))
    case 'AGENT_MESSAGE':
      return charsOverFour(event.data.content)
    case 'TOOL_RESULT':
      return charsOverFour(JSON.stringify(event.data))
    default:
      return 0
  }
}

/** Token counters: the port, the estimate, and four characters per token. */
export interface TokenCounter {
  readonly id: 'chars4' | 'estimate' | 'o200k'
  /** A non-negative integer, deterministic. Never throws. */
  count(text: string): number
}

export const chars4Counter: TokenCounter = { id: 'chars4', count: charsOverFour }

export const estimateCounter: TokenCounter = { id: 'estimate', count: estimateTokens }
