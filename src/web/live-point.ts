// A point on the timeline, out of an event that has just happened.
import type { ThreadEvent, TimelinePoint } from '../protocol/index.ts'

/** Undefined for what does not tell how large the context is. */
export function livePoint(event: ThreadEvent): TimelinePoint | undefined {
  if (event.type !== 'AGENT_MESSAGE' || event.data.tokenUsage === undefined) return undefined
  const { promptTokens, completionTokens } = event.data.tokenUsage
  const tokens = promptTokens + completionTokens
  return tokens > 0 ? { seq: event.seq, tokens, by: 'measured' } : undefined
}
