// The contents of a Gemini call: what users say with the results of functions, and answers with their signatures.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message, MessagePart, ToolCallPart } from '../../core/view/message.ts'
import { argumentsOf } from '../openai-chat/fields.ts'
import type { WireNames } from '../openai-chat/names.ts'
import { mimeTypeOf, type Piece, piecesOfPart } from '../openai-chat/pieces.ts'
import { type ResultText, resultsInWords } from '../openai-chat/results.ts'
import {
  type AnswerTurn,
  alternating,
  type Note,
  opened,
  turnsOf,
  type UserTurn,
} from '../openai-chat/rounds.ts'
import { isSendable } from '../openai-chat/sendable.ts'
import type { GeminiProfile } from './profile.ts'

/** What the API documents for calls that none of its models signed; it then checks no signature. */
const UNSIGNED = 'skip_thought_signature_validator'

/** Kinds of parts that only this API has. Texts and calls are parts of our own. */
const NATIVE_KINDS = ['inlineData', 'fileData', 'executableCode', 'codeExecutionResult'] as const

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: Json[]
}

export function geminiContents(
  messages: readonly Message[],
  profile: GeminiProfile,
  names: WireNames,
  note: Note,
): Json[] {
  const takes = (part: MessagePart) => isPart(part, profile, note)
  const turns = opened(alternating(turnsOf(messages, takes, note)))
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
 * A signature is no part of its own here: it is on the part that its thinking led to. In a log it is
 * that of the thinking right before. The thoughts themselves are not sent back. The first call of each
 * answer has one, of whatever turn: what was sent once stays as it was, for the cache.
 */
function answerParts(turn: AnswerTurn, names: WireNames, note: Note): Json[] {
  const parts: Json[] = []
  let signature: string | undefined
  let isFirstCall = true
  const push = (part: Fields) => {
    parts.push(signature === undefined ? part : { ...part, thoughtSignature: signature })
    signature = undefined
  }
  // Where no part followed the thinking, as at the end of a stream.
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

/** Without ids: not every version of the API takes them, and order says the same. */
function functionCall({ name, arguments: value }: ToolCallPart, names: WireNames): Fields {
  return { functionCall: { name: names.of(name), args: argumentsOf(value) } }
}

function functionResponse({ name, status, text }: ResultText): Json {
  const response = status === 'completed' ? { output: text } : { error: text }
  return { functionResponse: { name, response } }
}

function mediaPart(piece: Piece): Json {
  if (piece.type === 'text') return { text: piece.text }
  return { inlineData: { mimeType: mimeTypeOf(piece), data: piece.data ?? '' } }
}
