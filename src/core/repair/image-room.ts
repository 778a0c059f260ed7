// The bytes a request has left for images.

import type { ImageLimits } from '../view/media.ts'
import type { Message } from '../view/message.ts'
import type { RepairProfile } from './profile.ts'

/** A wire's overhead per part: field names, braces, a role. */
const ENVELOPE_BYTES = 200

/** Below this share of the body, no exact count is needed. */
const PLENTY = 0.25

/** Leaves room for the system prompt and tools, which are unknown here. */
const USABLE = 0.95

/** With slack, room is a share of the body in steps, so that more text does not move the limit each turn. */
const STEPS = 16

export function withRoomForText(
  messages: readonly Message[],
  { images = {}, requestBytes = Number.POSITIVE_INFINITY }: RepairProfile,
): ImageLimits {
  const imageBytes = computeSum(messages, countImageBytes)
  if (imageBytes < requestBytes * PLENTY) return images
  const otherBytes = computeSum(messages, (part) => jsonBytes(part) + ENVELOPE_BYTES) - imageBytes
  const exact = Math.max(0, requestBytes * USABLE - otherBytes)
  const step = requestBytes / STEPS
  const room = images.slack ? Math.floor(exact / step) * step : exact
  return { ...images, maxTotalBytes: Math.min(room, images.maxTotalBytes ?? room) }
}

function computeSum(
  messages: readonly Message[],
  bytesOf: (part: Message['parts'][number]) => number,
): number {
  return messages.reduce(
    (sum, { parts }) => sum + parts.reduce((bytes, part) => bytes + bytesOf(part), 0),
    0,
  )
}

function countImageBytes(part: Message['parts'][number]): number {
  if (part.type === 'image') return part.media.data?.length ?? 0
  if (part.type !== 'tool_result') return 0
  return part.content.reduce(
    (sum, block) => sum + (block.type === 'image' ? (block.data?.length ?? 0) : 0),
    0,
  )
}

/** Of the compact JSON in UTF-8. */
function jsonBytes(part: Message['parts'][number]): number {
  const text = JSON.stringify(part)
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= 0x800) bytes += 2
    else if (code >= 0x80) bytes += 1
  }
  return bytes
}
