// The messages of a Chat Completions call: answers, one tool message for each call, and what users say.
// A model request as the body of a Chat Completions call.

import type { ModelRequest, ThinkingWish, ToolSchema } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Block, Message, MessagePart } from '../../core/view/content.ts'
import { wellFormed } from '../prepare.ts'
import {
  type Accepts,
  argumentsText,
  type Draft,
  finished,
  isSendable,
  joinedUsers,
  otherDraft,
  type Piece,
  piecesOfPart,
  readTexts,
  readUrl,
  resultsInWords,
  thinkingText,
  toolDrafts,
  userDraft,
  withAnswerBetween,
} from './pieces.ts'
import {
  type AnswerTurn,
  alternating,
  findCalls,
  findTurns,
  type IdRule,
  type Note,
  opened,
  spoken,
  type Turn,
  WireIds,
  WireNames,
} from './rounds.ts'

const PARAGRAPH = '\n\n'

/** Mistral's older models take no user message right behind a result. */
const BETWEEN: Fields = { role: 'assistant', content: '[tool results received]' }

export function chatMessages(
  messages: readonly Message[],
  profile: ChatProfile,
  names: WireNames,
  note: Note,
): Json[] {
  const limited = withinImageLimits(messages, note)
  const takes = (part: MessagePart) =>
    isSendable(part, profile.provider, profile.backend === 'deepseek', note)
  const turns = spoken(findTurns(limited, takes, note))
  const shaped = profile.strict ? opened(alternating(turns)) : turns
  const ids = new WireIds(idRule(profile), note)
  const nameFields = (name: string): Fields => (profile.backend === 'qwen' ? { name } : {})
  const lastUser = shaped.findLastIndex(({ role }) => role === 'user')
  const drafts = shaped.flatMap((turn, index): Draft[] => {
    if (turn.role === 'user')
      return [userDraft(turn.parts.flatMap((part) => piecesOfPart(part, profile.accepts, note)))]
    ids.nextAnswer()
    const isInLoop = profile.strict || index > lastUser
    return [
      otherDraft(answerMessage(turn, ids, names, profile, isInLoop)),
      // A tool message holds text alone: images and files of the round follow it as the user's.
      ...toolDrafts(resultsInWords(turn, names, profile.accepts, note), ids, nameFields),
    ]
  })
  return finished(arranged(drafts, profile), userMessage)
}

function arranged(drafts: readonly Draft[], { strict, backend }: ChatProfile): readonly Draft[] {
  if (!strict) return drafts
  const joined = joinedUsers(drafts)
  return backend === 'mistral' ? withAnswerBetween(joined, BETWEEN) : joined
}

function idRule({ backend }: ChatProfile): IdRule {
  return backend === 'mistral' ? { maxChars: 9, exactChars: 9 } : { maxChars: 40 }
}

/** Thinking goes back only if it must: with the calls of the loop that is under way. */
function answerMessage(
  turn: AnswerTurn,
  ids: WireIds,
  names: WireNames,
  profile: ChatProfile,
  isInLoop: boolean,
): Fields {
  const text = answerText(turn)
  const calls = findCalls(turn).map(({ id, name, arguments: value }) => ({
    id: ids.of(id),
    type: 'function',
    function: { name: names.of(name), arguments: argumentsText(value) },
  }))
  const isThought = profile.backend === 'deepseek' && calls.length > 0 && isInLoop
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 && !profile.strict ? null : text,
    ...(isThought && { reasoning_content: thinkingText(turn.parts) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** Text in a row is one text; what stood apart, by a call or by thinking, is its own paragraph. */
export function answerText(turn: Turn): string {
  const texts: string[] = []
  turn.parts.forEach((part, index) => {
    if (part.type !== 'text') return
    if (turn.parts[index - 1]?.type === 'text') texts.push(`${texts.pop() ?? ''}${part.text}`)
    else texts.push(part.text)
  })
  return texts.join(PARAGRAPH)
}

/** Plain text wherever possible: not every server reads a list of parts. */
function userMessage(pieces: readonly Piece[]): Json {
  const texts = readTexts(pieces)
  const isText = texts.length === pieces.length
  return { role: 'user', content: isText ? texts.join(PARAGRAPH) : pieces.map(wirePart) }
}

function wirePart(piece: Piece): Json {
  switch (piece.type) {
    case 'text':
      return { type: 'text', text: piece.text }
    case 'image':
      return { type: 'image_url', image_url: { url: readUrl(piece) } }
    case 'file': {
      const data = `data:${piece.mimeType};base64,${piece.data}`
      return { type: 'file', file: { filename: piece.name, file_data: data } }
    }
  }
}

// The image limit of a request: the newest stay, older ones become captions

// The lower of the caps published over time, as src/validate reads them.
const MAX_IMAGES = 500
const MAX_IMAGE_BYTES = 50_000_000
const LEFT_OUT = '[image left out: the request holds too many]'

/** Compaction drops images by age long before; this only keeps a request from being refused. */
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

// Differences between servers that speak Chat Completions

export interface ChatProfile {
  /** The id of the provider: thinking of its own models may go back to it, no other's. */
  readonly provider: string
  /** Servers with templates: roles alternate, the user opens, one system message, no null content. */
  readonly strict: boolean
  /** Backends with rules of their own (VALID-O3 to -O5). */
  readonly backend?: 'mistral' | 'deepseek' | 'qwen'
  readonly systemRole: 'system' | 'developer'
  readonly accepts: Accepts
  /** Under which name the server takes the limit of the answer. */
  readonly outputLimit: 'max_completion_tokens' | 'max_tokens'
  /** Whether `reasoning_effort` may be sent. */
  readonly takesEffort: boolean
}

/** The original: api.openai.com. */
export const OPENAI_CHAT: ChatProfile = {
  provider: 'openai-chat',
  strict: false,
  systemRole: 'system',
  accepts: { images: 'any', files: true },
  outputLimit: 'max_completion_tokens',
  takesEffort: true,
}

/** Any other server: the narrowest reading of the format. */
export const COMPATIBLE_CHAT: ChatProfile = {
  provider: 'openai-compatible',
  strict: true,
  systemRole: 'system',
  accepts: { images: 'any', files: false },
  outputLimit: 'max_tokens',
  takesEffort: false,
}

export interface Written {
  readonly body: Fields
  /** The name of a tool as the request knows it, from the one on the wire. */
  toolName(wireName: string): string
}

export function writeChat(request: ModelRequest, profile: ChatProfile, note: Note): Written {
  const names = new WireNames(note)
  const tools = request.tools.map((tool) => chatTool(tool, names))
  const messages = [
    ...systemMessage(request.system, profile),
    ...chatMessages(request.messages, profile, names, note),
  ]
  const effort = request.thinking && profile.takesEffort ? readEffort(request.thinking) : undefined
  const body = {
    model: request.model,
    messages,
    // An empty list is refused, and so is a choice without tools.
    ...(tools.length > 0 && { tools, tool_choice: request.toolChoice }),
    [profile.outputLimit]: request.maxOutputTokens,
    ...(effort && { reasoning_effort: effort }),
    ...(!profile.strict && { store: false }),
    ...nativeFields(request, profile.provider),
    stream: true,
    stream_options: { include_usage: true },
  }
  return { body: wellFormed(body, note), toolName: (wireName) => names.originalOf(wireName) }
}

/** What only this provider understands, as the request brings it. */
export function nativeFields({ native }: ModelRequest, provider: string): Fields {
  return native?.provider === provider ? native.fields : {}
}

/** One field of those, to be merged with our own of the same name. */
export function nativeObject(request: ModelRequest, provider: string, name: string): Fields {
  const value = nativeFields(request, provider)[name]
  return isFields(value) ? value : {}
}

export function chatTool(tool: ToolSchema, names: WireNames): Json {
  return {
    type: 'function',
    function: {
      name: names.of(tool.name),
      description: tool.description,
      parameters: tool.inputSchema,
    },
  }
}

function systemMessage(system: readonly string[], { systemRole }: ChatProfile): Json[] {
  const content = systemText(system)
  return content === '' ? [] : [{ role: systemRole, content }]
}

export function systemText(system: readonly string[]): string {
  return system.filter((text) => text.trim() !== '').join('\n\n')
}

/** Thinking effort as a word, for wires without a token number */
type Effort = NonNullable<ThinkingWish['effort']>

const LOW_TOKENS = 4_096
const MEDIUM_TOKENS = 12_288

/** Undefined if the wish names neither: the model's own default. */
export function readEffort({ effort, budgetTokens }: ThinkingWish): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort
  if (budgetTokens <= LOW_TOKENS) return 'low'
  return budgetTokens <= MEDIUM_TOKENS ? 'medium' : 'high'
}
