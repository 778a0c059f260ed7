// Writes a model request as the body of Gemini's generateContent; the model is in the URL.
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message, MessagePart, ToolCallPart } from '../../core/view/message.ts'
import { type ResultText, resultsInWords } from '../drafts.ts'
import { WireNames } from '../names.ts'
import { nativeFields, nativeObject, systemText, type Written } from '../openai-chat/write.ts'
import {
  type Accepts,
  isSendable,
  type Piece,
  piecesOfPart,
  readArguments,
  readMimeType,
} from '../pieces.ts'
import { wellFormed } from '../prepare.ts'
import {
  type AnswerTurn,
  alternating,
  findTurns,
  type Note,
  opened,
  type UserTurn,
} from '../rounds.ts'

export function writeGemini(request: ModelRequest, profile: GeminiProfile, note: Note): Written {
  const names = new WireNames(note, { letterFirst: true })
  const functionDeclarations = request.tools.map((tool) => declaration(tool, names))
  const hasTools = functionDeclarations.length > 0
  const system = systemText(request.system)
  const body = {
    contents: geminiContents(request.messages, profile, names, note),
    ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    ...(hasTools && { tools: [{ functionDeclarations }] }),
    ...(hasTools &&
      request.toolChoice === 'none' && { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }),
    ...nativeFields(request, profile.provider),
    generationConfig: {
      maxOutputTokens: request.maxOutputTokens,
      ...readThinking(request),
      ...nativeObject(request, profile.provider, 'generationConfig'),
    },
  }
  return { body: wellFormed(body, note), toolName: (wireName) => names.originalOf(wireName) }
}

/** As JSON Schema: the API's own `parameters` support only a subset. */
function declaration({ name, description, inputSchema }: ToolSchema, names: WireNames): Json {
  return { name: names.of(name), description, parametersJsonSchema: inputSchema }
}

/** Newer models take a level, older ones a number; both together are rejected. */
function readThinking({ thinking }: ModelRequest): Fields {
  const { effort, budgetTokens } = thinking ?? {}
  if (effort !== undefined) return { thinkingConfig: { thinkingLevel: effort } }
  if (budgetTokens === undefined) return {}
  return { thinkingConfig: { thinkingBudget: budgetTokens } }
}

/** The API's documented value for calls none of its models signed; it disables the check. */
const UNSIGNED = 'skip_thought_signature_validator'

/** Parts only this API has. Texts and calls have our own form. */
const NATIVE_KINDS = ['inlineData', 'fileData', 'executableCode', 'codeExecutionResult'] as const

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: Json[]
}

/** The contents of a Gemini call: user text with function results, and answers with signatures. */
export function geminiContents(
  messages: readonly Message[],
  profile: GeminiProfile,
  names: WireNames,
  note: Note,
): Json[] {
  const takes = (part: MessagePart) => isPart(part, profile, note)
  const turns = opened(alternating(findTurns(messages, takes, note)))
  const contents: Content[] = []
  const add = (role: Content['role'], parts: readonly Json[]) => {
    const last = contents.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) contents.push({ role, parts: [...parts] })
  }
  for (const turn of turns) {
    if (turn.role === 'user') add('user', userParts(turn, profile, note))
    else {
      add('model', answerParts(turn, names, note))
      const { results, shown } = resultsInWords(turn, names, profile.accepts, note)
      add('user', [...results.map(functionResponse), ...shown.map(mediaPart)])
    }
  }
  return contents.map(({ role, parts }) => ({ role, parts }))
}

function isPart(part: MessagePart, { provider }: GeminiProfile, note: Note): boolean {
  if (part.type === 'native' && part.provider === provider && isNativePart(part.value)) return true
  if (!isSendable(part, provider, true, note)) return false
  return part.type !== 'thinking' || (part.signature ?? '') !== ''
}

function isNativePart(value: Json): boolean {
  return isFields(value) && NATIVE_KINDS.some((kind) => isFields(value[kind]))
}

function userParts({ parts }: UserTurn, profile: GeminiProfile, note: Note): Json[] {
  return parts.flatMap((part) =>
    part.type === 'native'
      ? [part.value]
      : piecesOfPart(part, profile.accepts, note).map(mediaPart),
  )
}

/**
 * Here a signature is a field of the part its thinking led to; in a log it belongs to the thinking before.
 * Thoughts themselves are not sent back. The first call of each answer has one in every turn: sent parts stay
 * unchanged for the cache.
 */
function answerParts(turn: AnswerTurn, names: WireNames, note: Note): Json[] {
  const parts: Json[] = []
  let signature: string | undefined
  let isFirstCall = true
  const push = (part: Fields) => {
    parts.push(signature === undefined ? part : { ...part, thoughtSignature: signature })
    signature = undefined
  }
  // If no part followed the thinking, as at the end of a stream.
  const pushAlone = () => {
    if (signature !== undefined) push({ text: '' })
  }
  for (const part of turn.parts) {
    if (part.type === 'thinking') {
      pushAlone()
      signature = part.signature
    } else if (part.type === 'text') push({ text: part.text })
    else if (part.type === 'native' && isFields(part.value)) push(part.value)
    else if (part.type === 'tool_call') {
      if (isFirstCall && signature === undefined) {
        signature = UNSIGNED
        note(`the call ${part.id} has no signature; the API is asked not to look for one`)
      }
      isFirstCall = false
      push(functionCall(part, names))
    }
  }
  pushAlone()
  return parts
}

/** Without ids: not every version of the API accepts them, and the order is enough. */
function functionCall({ name, arguments: value }: ToolCallPart, names: WireNames): Fields {
  return { functionCall: { name: names.of(name), args: readArguments(value) } }
}

function functionResponse({ name, status, text }: ResultText): Json {
  const response = status === 'completed' ? { output: text } : { error: text }
  return { functionResponse: { name, response } }
}

function mediaPart(piece: Piece): Json {
  if (piece.type === 'text') return { text: piece.text }
  return { inlineData: { mimeType: readMimeType(piece), data: piece.data ?? '' } }
}

/** Media types that Gemini accepts. */
interface GeminiProfile {
  /** The provider id of this API's thinking and parts in a log. */
  readonly provider: string
  readonly accepts: Accepts
}

export const GEMINI: GeminiProfile = {
  provider: 'gemini',
  accepts: {
    images: 'inline',
    imageTypes: /^image\/(?:png|jpeg|jpg|webp|heic|heif|\*)$/,
    files: true,
  },
}
