// Blocks that only the Anthropic API understands: which of them it would refuse where they stand.
import type { Json } from '../../core/json.ts'
import type { Message, MessagePart } from '../../core/message.ts'
import type { MessagePlace, NativeRules } from '../../core/repair/profile.ts'
import { PROVIDER } from '../anthropic/blocks.ts'
import { type Fields, isFields } from '../anthropic/shape.ts'

/** Kinds that have a part of their own; as native ones they would slip past every rule. */
const OWN_PARTS = new Set(['text', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'])
const RESULT_TYPES = new Set(['text', 'image', 'document', 'search_result', 'tool_reference'])

export function anthropicNatives(compactsByThreshold: boolean): NativeRules {
  return {
    refused: (message, place) => refusedIn(message, place, compactsByThreshold),
    refusedInResult(value) {
      if (!isFields(value) || !RESULT_TYPES.has(typeOf(value)))
        return 'a result cannot hold this kind of block'
      return hasBlankText(value) ? 'a block with a blank text' : undefined
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
  return hasBlankText(block) ? 'a block with a blank text' : undefined
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

function hasBlankText(block: Fields, depth = NESTING): boolean {
  const { type, text, content, source } = block
  if (type === 'text' && (typeof text !== 'string' || text.trim() === '')) return true
  if (depth === 0) return false
  const inner = [content, isFields(source) ? source.content : undefined]
  return inner.some(
    (list) =>
      Array.isArray(list) &&
      list.some((each: Json) => isFields(each) && hasBlankText(each, depth - 1)),
  )
}

function nativeOf(part: MessagePart | undefined): Fields | undefined {
  if (part?.type !== 'native' || part.provider !== PROVIDER || !isFields(part.value))
    return undefined
  return typeof part.value.type === 'string' ? part.value : undefined
}

function typeOf(block: Fields | undefined): string {
  return typeof block?.type === 'string' ? block.type : ''
}
