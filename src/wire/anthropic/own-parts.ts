// Thinking and native parts belong to the server that made them, by its name.
import type { Message, MessagePart } from '../../core/view/content.ts'
import { PROVIDER } from './blocks.ts'

/** The original, where another server goes under its name. */
const OTHER = `other ${PROVIDER}`

/**
 * Those of the server `provider` go under the name of the format, as if it were the original. Those of
 * the original are another server's then.
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

/** What is said of parts of the original, by the name that people know. */
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
