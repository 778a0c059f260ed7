// Cache marks of a request: after the tools, the system prompt, and two turns
import { type Fields, isFields, type Json } from '../../core/text/json.ts'

const MARK = { type: 'ephemeral' } as const

/** Blocks the API takes a mark on. Never thinking, never empty text (VALID-A9). */
const MARKABLE = new Set(['text', 'image', 'document', 'tool_use', 'tool_result'])
/** With tools and system, the four that a request may have (VALID-A17). */
const MARKED_TURNS = 2

/**
 * The body with a mark on its last tool, its last system block and its last two user turns: the
 * last is written for the next request, the one before it is where the last request wrote. The marks
 * depend on nothing but the body, and a longer body only moves those of the turns.
 */
export function withCacheMarks(body: Fields): Fields {
  const { tools, system, messages } = body
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: markLast(tools, isFields) }),
    ...(Array.isArray(system) && { system: markLast(system, isMarkable) }),
    ...(Array.isArray(messages) && { messages: markTurns(messages) }),
  }
}

function markTurns(messages: readonly Json[]): readonly Json[] {
  const turns = messages
    .flatMap((message, index) => (isMarkableTurn(message) ? [index] : []))
    .slice(-MARKED_TURNS)
  return messages.map((message, index) =>
    turns.includes(index) && isFields(message)
      ? { ...message, content: markLast(blocksOf(message.content), isMarkable) }
      : message,
  )
}

function isMarkableTurn(message: Json): boolean {
  return isFields(message) && message.role === 'user' && blocksOf(message.content).some(isMarkable)
}

function blocksOf(content: Json | undefined): readonly Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : []
}

function markLast(blocks: readonly Json[], fits: (block: Json) => boolean): readonly Json[] {
  const last = blocks.findLastIndex(fits)
  return blocks.map((block, index) =>
    index === last && isFields(block) ? { ...block, cache_control: MARK } : block,
  )
}

function isMarkable(block: Json): boolean {
  if (!isFields(block) || !MARKABLE.has(String(block.type))) return false
  return block.type !== 'text' || (typeof block.text === 'string' && block.text.trim() !== '')
}
