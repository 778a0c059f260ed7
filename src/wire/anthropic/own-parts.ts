// Thinking and native parts belong to the server that created them, by its name.
import type { Message, MessagePart } from '../../core/view/message.ts'
import { PROVIDER } from './blocks.ts'

/** Stands for the original if another server uses its name. */
const OTHER = `other ${PROVIDER}`

/**
 * Renames the parts of the server `provider` to the name of the format, as if it were the original; the
 * original's parts then belong to another server.
 */
export function underFormatName(
  messages: readonly Message[],
  provider: string,
): readonly Message[] {
  if (provider === PROVIDER) return messages
  return messages.map((message) => {
    const parts = message.parts.map((part) => renamed(part, provider))
    return parts.some((part, index) => part !== message.parts[index])
      ? { ...message, parts }
      : message
  })
}

/** Restores known names in texts about the original's parts. */
export function underKnownNames(text: string): string {
  return text.replaceAll(OTHER, PROVIDER)
}

function renamed(part: MessagePart, provider: string): MessagePart {
  if (part.type === 'native') return { ...part, provider: nameFor(part.provider, provider) }
  if ((part.type === 'text' || part.type === 'image' || part.type === 'document') && part.extra)
    return { ...part, extra: { ...part.extra, provider: nameFor(part.extra.provider, provider) } }
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return part
  const at = part.model.indexOf('/')
  const owner = nameFor(part.model.slice(0, at), provider)
  return { ...part, model: `${owner}/${part.model.slice(at + 1)}` }
}

function nameFor(owner: string, provider: string): string {
  if (owner === provider) return PROVIDER
  return owner === PROVIDER ? OTHER : owner
}
