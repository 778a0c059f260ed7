// Parts that a wire leaves out: thinking of other models, and parts of other APIs
import type { MessagePart } from '../../core/view/message.ts'
import type { Note } from './rounds.ts'

/** For wires that take no native parts, and thinking of their own models at most. */
export function isSendable(
  part: MessagePart,
  provider: string,
  takesThinking: boolean,
  note: Note,
): boolean {
  if (part.type === 'native') {
    note(`a part that only ${part.provider} understands was left out`)
    return false
  }
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return true
  const isOwn = part.model.startsWith(`${provider}/`)
  if (!isOwn) note(`thinking of ${part.model} was left out`)
  return isOwn && part.type === 'thinking' && takesThinking
}

/** All that was thought in one answer. */
export function thinkingText(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('\n')
}
