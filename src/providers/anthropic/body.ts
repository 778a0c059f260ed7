// Builds the body of the Anthropic Messages API from a request, with its cache marks.
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import { toldWithoutThinking } from '../../core/repair/stale-thinking.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { wireMessages } from '../../wire/anthropic/write.ts'
import { wellFormed } from '../../wire/prepare.ts'
import type { Note } from '../../wire/rounds.ts'
import { asksToDrop, type ThinkingStyle, thinkingFields } from './thinking.ts'

export interface Wire {
  readonly body: Fields
  /**
   * The part of the body that thinking is bound to, without cache marks: `system`, `tools` and `messages`.
   */
  readonly conversation: Fields
  /** Beta features, enabled by header. */
  readonly betas: readonly string[]
  /** Problems of the messages, and how they are sent nevertheless. */
  readonly repairs: readonly string[]
}

export interface Target {
  /** The name of this server, for options that only it understands. */
  readonly provider: string
  readonly thinkingStyle: ThinkingStyle
  /**
   * Whether the request contains thinking that may no longer fit what precedes it; used if the request does
   * not say. Absent for models that do not bind thinking.
   */
  readonly mayHoldStaleThinking?: (conversation: Fields, note: Note) => boolean
}

/** Takes a prepared request: see src/wire/prepare.ts. */
export function buildWire(request: ModelRequest, target: Target): Wire {
  const repairs: string[] = []
  const note = (problem: string) => repairs.push(problem)
  const asked = findConversation(request, note)
  const { mayHoldStaleThinking } = target
  const dropsStale =
    mayHoldStaleThinking !== undefined &&
    (request.dropStaleThinking ?? mayHoldStaleThinking(asked, note))
  const thinking = thinkingFields({
    request,
    messages: listIn(asked),
    style: target.thinkingStyle,
    dropsStale,
    note,
  })
  // If the API cannot be asked to drop it, omit it and write its open round as text (VALID-A22).
  const told =
    dropsStale && !asksToDrop(thinking)
      ? findConversation(withoutThinking(request, note), note)
      : asked
  const native = request.native?.provider === target.provider ? request.native : undefined
  const given: Fields = {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    ...told,
    ...thinking,
    ...native?.fields,
  }
  const plain = wellFormed(given, note)
  return {
    body: request.cache ? withCacheMarks(plain) : plain,
    conversation: told,
    betas: [...new Set([...neededBetas(plain), ...(native?.betas ?? [])])],
    repairs,
  }
}

/** What thinking is bound to: system prompt, tools, and all messages. */
function findConversation(request: ModelRequest, note: Note): Fields {
  const messages = wireMessages(request.messages, note)
  return { ...systemFields(request.system), ...toolFields(request), messages }
}

function listIn({ messages }: Fields): readonly Json[] {
  return Array.isArray(messages) ? messages : []
}

function withoutThinking(request: ModelRequest, note: Note): ModelRequest {
  const { messages, changes } = toldWithoutThinking(request.messages)
  for (const { where, why } of changes) note(`${where}: ${why}`)
  return { ...request, messages }
}

function systemFields(system: readonly string[]): Fields {
  const texts = system.filter((text) => text.trim() !== '')
  if (texts.length === 0) return {}
  return { system: texts.map((text) => ({ type: 'text', text })) }
}

/** Without tools there is nothing to forbid; earlier calls were written as text. */
function toolFields({ tools, toolChoice }: ModelRequest): Fields {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(wireTool),
    ...(toolChoice === 'none' && { tool_choice: { type: 'none' } }),
  }
}

function wireTool({ name, description, inputSchema }: ToolSchema): Json {
  return { name, description, input_schema: inputSchema }
}

const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01'
const SIGNED_COMPACTION = 'compact-2026-09-04'
const THRESHOLD_COMPACTION = 'compact-2026-01-12'

/** Beta features the body uses, whatever added them (VALID-A13, -A15). */
function neededBetas({ thinking, messages }: Fields): string[] {
  const compactions = (Array.isArray(messages) ? messages : [])
    .flatMap((message: Json) => (isFields(message) ? [message.content] : []))
    .flatMap((content) => (Array.isArray(content) ? content : []))
    .filter((block: Json): block is Fields => isFields(block) && block.type === 'compaction')
  return [
    ...(asksToDrop({ thinking: thinking ?? null }) ? [BINDING_CONTROLS] : []),
    ...compactions.map(({ signature }) =>
      typeof signature === 'string' ? SIGNED_COMPACTION : THRESHOLD_COMPACTION,
    ),
  ]
}

const MARK = { type: 'ephemeral' } as const

/** Blocks that accept a cache mark. Never thinking, never empty text (VALID-A9). */
const MARKABLE = new Set(['text', 'image', 'document', 'tool_use', 'tool_result'])
/** Together with tools and system, the maximum of four (VALID-A17). */
const MARKED_TURNS = 2

/**
 * Marks the last tool, the last system block and the last two user turns. The last turn is written for the
 * next request; the one before is where the last request wrote. The marks depend only on the body, and a
 * longer body moves only those of the turns.
 */
function withCacheMarks(body: Fields): Fields {
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
      ? { ...message, content: markLast(readBlocks(message.content), isMarkable) }
      : message,
  )
}

function isMarkableTurn(message: Json): boolean {
  return (
    isFields(message) && message.role === 'user' && readBlocks(message.content).some(isMarkable)
  )
}

function readBlocks(content: Json | undefined): readonly Json[] {
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
