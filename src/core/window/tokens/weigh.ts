// The weight of log rows in estimated tokens; deterministic.

import type {
  Answer,
  Block,
  Media,
  Part,
  ToolCall,
  ToolResult,
  UserContent,
} from '../../view/content.ts'
import { sizeOfImage } from '../../view/image-size.ts'
import { estimateTokens } from './estimate.ts'

/** A provider's overhead per message or block. */
const ENVELOPE_TOKENS = 4
/** An image of unknown size counts as a full-size one after scaling. */
const IMAGE_TOKENS = 1_600
/** The line that refers to the whole of a shortened result. */
const REF_TOKENS = 14
const PIXELS_PER_TOKEN = 750
/** Larger images are scaled down to this edge. */
const LONGEST_EDGE_PX = 1_568
/** Base64 of a document: four characters for three bytes, mostly not text. */
const CHARS_PER_DOCUMENT_TOKEN = 16

export function weighText(text: string): number {
  return estimateTokens(text) + ENVELOPE_TOKENS
}

export function weighUser(content: UserContent): number {
  if (typeof content === 'string') return weighText(content)
  return content.reduce((sum, part) => sum + weighPart(part), ENVELOPE_TOKENS)
}

/** An answer without thinking and calls. */
export function weighAnswer(answer: Answer): number {
  if (answer.parts === undefined) return weighText(answer.content)
  return answer.parts.reduce(
    (sum, part) => sum + (isThinking(part) ? 0 : weighPart(part)),
    ENVELOPE_TOKENS,
  )
}

/** The thinking of an answer; undefined without any. Empty thinking has a weight, too. */
export function weighThinking(answer: Answer): number | undefined {
  const thinking = answer.parts?.filter(isThinking) ?? []
  return thinking.length === 0
    ? undefined
    : thinking.reduce((sum, part) => sum + weighPart(part), 0)
}

export function weighCall(call: ToolCall): number {
  return (
    estimateTokens(call.name) + estimateTokens(JSON.stringify(call.arguments)) + ENVELOPE_TOKENS
  )
}

export function weighResult({ content, shown }: ToolResult): number {
  const around = shown === undefined ? ENVELOPE_TOKENS : ENVELOPE_TOKENS + REF_TOKENS
  return (shown ?? content).reduce((sum, block) => sum + weighBlock(block), around)
}

function weighBlock(block: Block): number {
  const text = block.text === undefined ? 0 : estimateTokens(block.text)
  if (block.type === 'image') return text + weighImage(block)
  if (block.type === 'native') return text + estimateTokens(JSON.stringify(block.value ?? null))
  return (
    text + (block.data === undefined ? 0 : Math.ceil(block.data.length / CHARS_PER_DOCUMENT_TOKEN))
  )
}

function weighPart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text)
    case 'thinking':
      return estimateTokens(part.thinking) + ENVELOPE_TOKENS
    case 'redacted_thinking':
      return Math.ceil(part.data.length / CHARS_PER_DOCUMENT_TOKEN) + ENVELOPE_TOKENS
    case 'image':
      return weighImage(part.media)
    case 'document':
      return part.media.text === undefined
        ? Math.ceil((part.media.data?.length ?? 0) / CHARS_PER_DOCUMENT_TOKEN)
        : estimateTokens(part.media.text)
    case 'native':
      return estimateTokens(JSON.stringify(part.value))
    case 'tool_call':
      return 0 // weighed with its TOOL_CALL row
  }
}

/** By its dimensions, read from the first bytes if they were not measured. */
function weighImage(image: Pick<Media, 'data' | 'widthPx' | 'heightPx'>): number {
  const size = sizeOfImage(image)
  if (size === undefined) return IMAGE_TOKENS
  const { widthPx, heightPx } = size
  const scale = Math.min(1, LONGEST_EDGE_PX / Math.max(widthPx, heightPx))
  return Math.max(1, Math.ceil((widthPx * heightPx * scale * scale) / PIXELS_PER_TOKEN))
}

function isThinking(part: Part): boolean {
  return part.type === 'thinking' || part.type === 'redacted_thinking'
}
