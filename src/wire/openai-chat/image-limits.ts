// The image limit of a request: the newest stay, older ones become captions.
import type { Block } from '../../core/view/content.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import type { Note } from '../rounds.ts'

// The lower of the caps published over time, as in src/validate.
const MAX_IMAGES = 500

const MAX_IMAGE_BYTES = 50_000_000

const LEFT_OUT = '[image left out: the request holds too many]'

/** Compaction drops images by age much earlier; this only prevents a rejected request. */
export function withinImageLimits(messages: readonly Message[], note: Note): readonly Message[] {
  const budget = { images: MAX_IMAGES, bytes: MAX_IMAGE_BYTES }
  let leftOut = 0
  const fits = (data: string | undefined): boolean => {
    budget.images -= 1
    budget.bytes -= Math.ceil(((data?.length ?? 0) * 3) / 4)
    const isWithin = budget.images >= 0 && budget.bytes >= 0
    if (!isWithin) leftOut += 1
    return isWithin
  }
  const limited = messages
    .toReversed()
    .map(({ role, parts }) => ({ role, parts: limitedParts(parts, fits) }))
    .toReversed()
  if (leftOut === 0) return messages
  note(`${leftOut} images beyond what one request may hold were left out, the oldest first`)
  return limited
}

type Fits = (data: string | undefined) => boolean

function limitedParts(parts: readonly MessagePart[], fits: Fits): MessagePart[] {
  return parts
    .toReversed()
    .map((part): MessagePart => {
      if (part.type === 'image' && !fits(part.media.data)) return { type: 'text', text: LEFT_OUT }
      if (part.type !== 'tool_result') return part
      return { ...part, content: limitedBlocks(part.content, fits) }
    })
    .toReversed()
}

function limitedBlocks(blocks: readonly Block[], fits: Fits): Block[] {
  return blocks
    .toReversed()
    .map(
      (block): Block =>
        isImage(block) && !fits(block.data) ? { type: 'text', text: LEFT_OUT } : block,
    )
    .toReversed()
}

function isImage({ type, mimeType }: Block): boolean {
  return type === 'image' || (type === 'resource' && (mimeType?.startsWith('image/') ?? false))
}
