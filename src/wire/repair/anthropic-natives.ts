// Blocks that only the Anthropic API understands: which of them it would refuse where they stand.
import type { MessagePlace, NativeRules } from '../../core/repair/profile.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { PROVIDER } from '../anthropic/blocks.ts'

/** Kinds that have a part of their own; as native ones they would slip past every rule. */
const OWN_PARTS = new Set(['text', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'])
const RESULT_TYPES = new Set(['text', 'image', 'document', 'search_result', 'tool_reference'])

export function anthropicNatives(compactsByThreshold: boolean): NativeRules {
  return {
    refused: (message, place) => refusedIn(message, place, compactsByThreshold),
    refusedInResult(value) {
      if (!isFields(value) || !RESULT_TYPES.has(typeOf(value)))
        return 'a result cannot hold this kind of block'
      if (isOddImage(value)) return ODD_IMAGE
      return flawIn(value)
    },
    isPaused(parts) {
      const last = nativeOf(parts.at(-1))
      return unpaired(parts).calls.size > 0 || (last !== undefined && isServerResult(last))
    },
    opens(part) {
      const block = nativeOf(part)
      if (block === undefined || typeOf(block) !== 'compaction') return false
      return compactionRefusal(block, true, compactsByThreshold) === undefined
    },
  }
}

function refusedIn(
  { role, parts }: Message,
  { isFirst, isLast }: MessagePlace,
  compactsByThreshold: boolean,
): ReadonlyMap<number, string> {
  const { calls, results } = unpaired(parts)
  const refused = new Map<number, string>()
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'native') continue
    const block = nativeOf(part)
    const why =
      block === undefined
        ? 'a block that is no object with a type'
        : (refusalAnywhere(block, role) ??
          (typeOf(block) === 'compaction'
            ? compactionRefusal(block, isFirst && index === 0, compactsByThreshold)
            : undefined) ??
          (calls.has(index) && !isLast ? 'the answer lost the result of this call' : undefined) ??
          (results.has(index) ? 'the call of this result is not in its answer' : undefined))
    if (why !== undefined) refused.set(index, why)
  }
  return refused
}

function refusalAnywhere(block: Fields, role: Message['role']): string | undefined {
  if (OWN_PARTS.has(typeOf(block))) return 'a block in disguise'
  if (role === 'user' && (isServerCall(block) || isServerResult(block)))
    return 'a tool of the provider in a message of the user'
  if (role === 'assistant' && ['image', 'document'].includes(typeOf(block)))
    return `a block of the kind ${typeOf(block)} in an answer`
  if (isOddImage(block)) return ODD_IMAGE
  return flawIn(block)
}

const ODD_IMAGE = 'an image whose source the API does not know'

/** Bytes are read as a part of their own, unless something stands beside them. */
function isOddImage(block: Fields): boolean {
  return typeOf(block) === 'image' && !(isFields(block.source) && block.source.type !== 'base64')
}

const COMPACTION_FIELDS = new Set(['type', 'content', 'signature', 'cache_control'])

/** A signed one comes first of all, as it was; the other kind is the API's own affair. */
function compactionRefusal(
  block: Fields,
  isOpening: boolean,
  compactsByThreshold: boolean,
): string | undefined {
  if (block.signature === undefined && compactsByThreshold) return undefined
  const isWhole =
    typeof block.signature === 'string' &&
    block.signature !== '' &&
    typeof block.content === 'string' &&
    block.content !== '' &&
    Object.keys(block).every((name) => COMPACTION_FIELDS.has(name))
  if (!isWhole) return 'a compaction that is not as it was signed'
  return isOpening ? undefined : 'a compaction that does not come first'
}

/** The indices of server calls without a result in the same answer, and of results without their call. */
function unpaired(parts: readonly MessagePart[]) {
  const waiting = new Map<Json | undefined, number>()
  const results = new Set<number>()
  for (const [index, part] of parts.entries()) {
    const block = nativeOf(part)
    if (block === undefined) continue
    if (isServerCall(block)) {
      // Two calls of one id share no result.
      const other = waiting.get(block.id)
      if (other !== undefined) waiting.set(`${index}`, other)
      waiting.set(block.id, index)
    } else if (isServerResult(block) && !waiting.delete(block.tool_use_id)) results.add(index)
  }
  return { calls: new Set(waiting.values()), results }
}

function isServerCall(block: Fields): boolean {
  return typeOf(block) === 'server_tool_use' || typeOf(block) === 'mcp_tool_use'
}

function isServerResult(block: Fields): boolean {
  return typeOf(block) !== 'tool_result' && typeOf(block).endsWith('_tool_result')
}

/** How deep blocks are nested in blocks. */
const NESTING = 3

const IMAGE_TYPES = new Set<unknown>(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const IMAGE_BYTES = 5 * 1024 * 1024

/** What would be refused in a block or in the blocks in it: blank texts, images of other kinds. */
function flawIn(block: Fields, depth = NESTING): string | undefined {
  const { type, text, content, source } = block
  if (type === 'text' && (typeof text !== 'string' || text.trim() === ''))
    return 'a block with a blank text'
  const { type: kind, media_type: mimeType, data } = isFields(source) ? source : {}
  const isInline = type === 'image' && kind === 'base64'
  const bytes = typeof data === 'string' ? data.length : 0
  if (isInline && (!IMAGE_TYPES.has(mimeType) || bytes > IMAGE_BYTES))
    return 'a block with an image that is not taken'
  if (depth === 0) return undefined
  for (const list of [content, isFields(source) ? source.content : undefined]) {
    for (const each of Array.isArray(list) ? (list as readonly Json[]) : []) {
      const flaw = isFields(each) ? flawIn(each, depth - 1) : undefined
      if (flaw !== undefined) return flaw
    }
  }
  return undefined
}

function nativeOf(part: MessagePart | undefined): Fields | undefined {
  if (part?.type !== 'native' || part.provider !== PROVIDER || !isFields(part.value))
    return undefined
  return typeof part.value.type === 'string' ? part.value : undefined
}

function typeOf(block: Fields | undefined): string {
  return typeof block?.type === 'string' ? block.type : ''
}
