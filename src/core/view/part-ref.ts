// Refs of message parts whose content may be left out later
import type { EntryId } from '../edit/change.ts'
import { MIN_URL_CHARS } from '../text/fold-base64.ts'
import type { Block } from './content.ts'
import type { MessagePart } from './message.ts'

/** The part with the name of its entry, where a wire may have to shorten it. */
export function withRef<P extends MessagePart>(part: P, ref: EntryId): P {
  return mayBeShortened(part) ? { ...part, ref } : part
}

function mayBeShortened(part: MessagePart): boolean {
  switch (part.type) {
    case 'image':
      return true
    case 'text':
      return isLong(part.text)
    case 'tool_result':
      return part.content.some(mayBlockBeShortened)
    default:
      return false
  }
}

function mayBlockBeShortened({ type, text = '', mimeType = '' }: Block): boolean {
  return type === 'image' || mimeType.startsWith('image/') || isLong(text)
}

function isLong(text: string): boolean {
  return text.length >= MIN_URL_CHARS
}
