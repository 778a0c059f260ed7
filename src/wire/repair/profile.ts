// Limits of each wire for a repair, from docs/spec/valid.md
import type { IdRule, MessagePlace, NativeRules, RepairProfile } from '../../core/repair/profile.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { ModelRef } from '../../core/view/content.ts'
import type { ImageLimits } from '../../core/view/media.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { PROVIDER } from '../anthropic/blocks.ts'

/** The fields of a profile of src/validate that bear on messages. */
export interface WireProfile {
  readonly wire: 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini'
  readonly preservedThinking: boolean
  readonly prefill: boolean
  readonly strict: boolean
  readonly windowTokens?: number
  readonly thinkingEnabled?: boolean
  readonly toolNameChars?: number
  readonly requestBytes?: number
  readonly backend?: string
}

/** What depends on the request that the messages are for. */
export interface RequestFacts {
  /** The id under which the provider's own parts are in a log. */
  readonly provider?: string
  readonly model?: ModelRef
  readonly hasTools?: boolean
  readonly toolNames?: readonly string[]
  readonly thinkingEnabled?: boolean
  readonly dropsStaleThinking?: boolean
  /** The API compacts by itself: unsigned blocks of it may stand anywhere. */
  readonly compactsByThreshold?: boolean
}

export function repairProfile(profile: WireProfile, facts: RequestFacts = {}): RepairProfile {
  const { wire, preservedThinking, strict, backend } = profile
  const { compactsByThreshold = false, provider = PROVIDERS[wire], ...given } = facts
  const isOpenai = wire === 'openai-chat' || wire === 'openai-responses'
  const thinkingEnabled = facts.thinkingEnabled ?? profile.thinkingEnabled
  return {
    ...given,
    provider,
    thinking: wire === 'anthropic' ? 'signed' : backend === 'deepseek' ? 'plain' : 'none',
    preservedThinking,
    ...(thinkingEnabled !== undefined && { thinkingEnabled }),
    prefill: profile.prefill || isOpenai,
    repeatedRoles: !strict,
    anyOpening: isOpenai && !strict,
    blankResults: backend !== 'bedrock',
    ids: idRule(profile),
    nameChars: profile.toolNameChars ?? NAME_CHARS,
    images: imageLimits(profile),
    ...(wire === 'anthropic' && { requestBytes: profile.requestBytes ?? REQUEST_BYTES }),
    ...listNatives(wire, compactsByThreshold),
  }
}

const PROVIDERS = {
  anthropic: 'anthropic',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai',
  gemini: 'gemini',
} as const

const NAME_CHARS = 64
const REQUEST_BYTES = 32_000_000
const LARGE_WINDOW_TOKENS = 200_000

function idRule({ wire, backend }: WireProfile): IdRule {
  if (backend === 'mistral') return { maxChars: 9, exactChars: 9, mayRepeat: true }
  if (wire === 'openai-chat') return { maxChars: 40, mayRepeat: true }
  if (wire === 'openai-responses') return { maxChars: 64, mayRepeat: true }
  return { maxChars: Number.POSITIVE_INFINITY }
}

function imageLimits({ wire, windowTokens = 0 }: WireProfile): ImageLimits {
  if (wire === 'anthropic')
    return {
      maxImages: windowTokens > LARGE_WINDOW_TOKENS ? 600 : 100,
      maxImageBytes: 5 * 1024 * 1024,
      maxEdgePx: 8_000,
      many: { over: 20, maxEdgePx: 2_000 },
      mimeTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    }
  // 50 MB of bytes, a third more as base64.
  return wire === 'gemini' ? {} : { maxImages: 500, maxTotalBytes: (50_000_000 / 3) * 4 }
}

/** Of the other wires only Responses has items of its own, and its writer looks after them. */
function listNatives(
  wire: WireProfile['wire'],
  compactsByThreshold: boolean,
): { natives?: NativeRules } {
  if (wire === 'anthropic') return { natives: anthropicNatives(compactsByThreshold) }
  return wire === 'openai-responses' ? {} : { natives: NO_NATIVES }
}

const NO_NATIVES: NativeRules = {
  refused({ parts }) {
    const natives = [...parts.entries()].filter(([, { type }]) => type === 'native')
    return new Map(natives.map(([index]) => [index, 'there is no such kind of part here']))
  },
  refusedInResult: () => 'there is no such kind of block here',
  isPaused: () => false,
  opens: () => false,
}

/** Kinds that have a part of their own; as native ones they would slip past every rule. */
const OWN_PARTS = new Set(['text', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'])
const RESULT_TYPES = new Set(['text', 'image', 'document', 'search_result', 'tool_reference'])

/**
 * Blocks that only the Anthropic API understands: which of them it would refuse where they stand.
 */
function anthropicNatives(compactsByThreshold: boolean): NativeRules {
  return {
    refused: (message, place) => refusedIn(message, place, compactsByThreshold),
    refusedInResult(value) {
      if (!isFields(value) || !RESULT_TYPES.has(readType(value)))
        return 'a result cannot hold this kind of block'
      if (isOddImage(value)) return ODD_IMAGE
      return flawIn(value)
    },
    isPaused(parts) {
      const last = readNative(parts.at(-1))
      return unpaired(parts).calls.size > 0 || (last !== undefined && isServerResult(last))
    },
    opens(part) {
      const block = readNative(part)
      if (block === undefined || readType(block) !== 'compaction') return false
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
    const block = readNative(part)
    const why =
      block === undefined
        ? 'a block that is no object with a type'
        : (refusalAnywhere(block, role) ??
          (readType(block) === 'compaction'
            ? compactionRefusal(block, isFirst && index === 0, compactsByThreshold)
            : undefined) ??
          (calls.has(index) && !isLast ? 'the answer lost the result of this call' : undefined) ??
          (results.has(index) ? 'the call of this result is not in its answer' : undefined))
    if (why !== undefined) refused.set(index, why)
  }
  return refused
}

function refusalAnywhere(block: Fields, role: Message['role']): string | undefined {
  if (OWN_PARTS.has(readType(block))) return 'a block in disguise'
  if (role === 'user' && (isServerCall(block) || isServerResult(block)))
    return 'a tool of the provider in a message of the user'
  if (role === 'assistant' && ['image', 'document'].includes(readType(block)))
    return `a block of the kind ${readType(block)} in an answer`
  if (isOddImage(block)) return ODD_IMAGE
  return flawIn(block)
}

const ODD_IMAGE = 'an image whose source the API does not know'

/** Bytes are read as a part of their own, unless something stands beside them. */
function isOddImage(block: Fields): boolean {
  return readType(block) === 'image' && !(isFields(block.source) && block.source.type !== 'base64')
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
    const block = readNative(part)
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
  return readType(block) === 'server_tool_use' || readType(block) === 'mcp_tool_use'
}

function isServerResult(block: Fields): boolean {
  return readType(block) !== 'tool_result' && readType(block).endsWith('_tool_result')
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

function readNative(part: MessagePart | undefined): Fields | undefined {
  if (part?.type !== 'native' || part.provider !== PROVIDER || !isFields(part.value))
    return undefined
  return typeof part.value.type === 'string' ? part.value : undefined
}

function readType(block: Fields | undefined): string {
  return typeof block?.type === 'string' ? block.type : ''
}
