// The rule of thumb of the LOG design: four characters are a token; an estimate, not a count
import type { ThreadEvent } from '../../log/event.ts'
import { textOfUserContent } from '../../view/content.ts'

const CHARS_PER_TOKEN = 4

export function charsOverFour(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

/** What the events of a conversation come to, each rounded by itself; other types count nothing. */
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
