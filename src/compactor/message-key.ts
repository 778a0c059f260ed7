// The identity of a message: a hash of what it says, without marks that clients move from request to request
import { isRecord } from '../core/text/json.ts'
import { CACHE_MARKS } from '../messages/cache-marks.ts'
import { byteLength } from '../messages/dialect.ts'

export function computeMessageKey(message: unknown): string {
  return hashText(writeText(dropMarks(message)))
}

/** A field the provider never sees may refer back to its message, so each object is written once. */
function writeText(shown: unknown): string {
  try {
    return JSON.stringify(shown, withoutMarks) ?? ''
  } catch {
    const seen = new WeakSet<object>()
    const once = (name: string, value: unknown) => {
      if (typeof value !== 'object' || value === null) return withoutMarks(name, value)
      if (seen.has(value)) return 'seen'
      seen.add(value)
      return withoutMarks(name, value)
    }
    return JSON.stringify(shown, once) ?? ''
  }
}

/** For a class instance, only what is sent. */
function dropMarks(message: unknown): unknown {
  if (!isRecord(message) || typeof message.getType !== 'function') return message
  const { content, tool_calls, tool_call_id, name, additional_kwargs } = message
  return [message.getType(), content, tool_calls, tool_call_id, name, additional_kwargs]
}

function withoutMarks(name: string, value: unknown): unknown {
  if (CACHE_MARKS.has(name)) return undefined
  if (typeof value === 'bigint') return String(value)
  const bytes = byteLength(value)
  return bytes === undefined ? value : hashOfBytes(value)
}

function hashOfBytes(value: unknown): string {
  const view = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value as ArrayBuffer)
  let text = ''
  const step = Math.max(1, Math.floor(view.length / 4_096))
  for (let at = 0; at < view.length; at += step) text += String.fromCharCode(view[at] ?? 0)
  return `${view.length}:${hashText(text)}`
}

/** Two 32-bit hashes of the text, and its length. */
function hashText(text: string): string {
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 13)
  }
  return `${text.length}.${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`
}
