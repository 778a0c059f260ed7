// The input of a Responses call: messages, calls, outputs, and what the API itself gave out before.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { TextPart } from '../../core/view/content.ts'
import type { Message, MessagePart, ToolCallPart, ToolResultPart } from '../../core/view/message.ts'
import { WireIds, type WireNames } from '../names.ts'
import { withinImageLimits } from '../openai-chat/image-limits.ts'
import {
  type Accepts,
  argumentsText,
  isSendable,
  type Piece,
  piecesOfPart,
  piecesOfResult,
  readTexts,
  readUrl,
} from '../pieces.ts'
import { type AnswerTurn, findTurns, type Note, OPENING, type UserTurn } from '../rounds.ts'
import { acceptable, type Item } from './acceptable.ts'

const CALL_ID_CHARS = 64

export function inputItems(
  messages: readonly Message[],
  profile: ResponsesProfile,
  names: WireNames,
  note: Note,
): Json[] {
  const limited = withinImageLimits(messages, note)
  const turns = findTurns(limited, (part) => isItem(part, profile, note), note)
  const ids = new WireIds({ maxChars: CALL_ID_CHARS }, note)
  const items = turns.flatMap((turn): Item[] => {
    if (turn.role === 'user') return userItems(turn, profile, note)
    ids.nextAnswer()
    return [
      ...answerItems(turn, ids, names, profile),
      ...turn.results.map((result) => outputItem(result, ids, profile, note)),
    ]
  })
  const accepted = acceptable(items, note)
  if (accepted.length > 0 || messages.length === 0) return accepted
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: OPENING }] }]
}

/** Its own thinking comes back as the items it was given out in; parts without them say nothing here. */
function isItem(part: MessagePart, { provider }: ResponsesProfile, note: Note): boolean {
  const isOwn = part.type === 'native' && part.provider === provider && isFields(part.value)
  return isOwn || isSendable(part, provider, false, note)
}

function userItems({ parts }: UserTurn, profile: ResponsesProfile, note: Note): Item[] {
  const content: Json[] = []
  const items: Item[] = []
  for (const part of parts) {
    if (part.type !== 'native')
      content.push(...piecesOfPart(part, profile.accepts, note).map(inputPart))
    else if (isFields(part.value) && isInputPart(part.value)) content.push(part.value)
    else items.push(...nativeItem(part.value))
  }
  return content.length === 0 ? items : [...items, { type: 'message', role: 'user', content }]
}

/** A part of a message that has no shape of ours, such as a file that was uploaded before. */
function isInputPart({ type }: Fields): boolean {
  return typeof type === 'string' && type.startsWith('input_')
}

/** One item for each part, in their order: that order is what reasoning is bound to. */
function answerItems(
  { parts }: AnswerTurn,
  ids: WireIds,
  names: WireNames,
  { provider }: ResponsesProfile,
): Item[] {
  const items: Item[] = []
  let said: TextPart[] = []
  const flush = () => {
    if (said.length > 0) items.push(messageItem(said, provider))
    said = []
  }
  for (const part of parts) {
    if (part.type === 'text') {
      if (said.length > 0 && readPhase(said[0], provider) !== readPhase(part, provider)) flush()
      said.push(part)
      continue
    }
    flush()
    if (part.type === 'tool_call') items.push(callItem(part, ids, names))
    else if (part.type === 'native') items.push(...nativeItem(part.value))
  }
  flush()
  return items
}

/** Without the id it had: nothing is stored, and an item without one is bound to nothing. */
function messageItem(parts: readonly TextPart[], provider: string): Item {
  const phase = readPhase(parts[0], provider)
  return {
    type: 'message',
    role: 'assistant',
    ...(phase !== undefined && { phase }),
    content: parts.map(({ text }) => ({ type: 'output_text', text })),
  }
}

/** Comment or final answer: newer models want to hear again which it was. */
function readPhase(part: TextPart | undefined, provider: string): string | undefined {
  const fields = part?.extra?.provider === provider ? part.extra.fields : undefined
  return isFields(fields) && typeof fields.phase === 'string' ? fields.phase : undefined
}

function callItem(call: ToolCallPart, ids: WireIds, names: WireNames): Item {
  return {
    type: 'function_call',
    call_id: ids.of(call.id),
    name: names.of(call.name),
    arguments: argumentsText(call.arguments),
  }
}

function outputItem(
  result: ToolResultPart,
  ids: WireIds,
  profile: ResponsesProfile,
  note: Note,
): Item {
  const pieces = piecesOfResult(result, profile.accepts, note)
  const texts = readTexts(pieces)
  const output = texts.length === pieces.length ? texts.join('\n') : pieces.map(inputPart)
  return { type: 'function_call_output', call_id: ids.of(result.id), output }
}

function inputPart(piece: Piece): Json {
  switch (piece.type) {
    case 'text':
      return { type: 'input_text', text: piece.text }
    case 'image':
      return { type: 'input_image', detail: 'auto', image_url: readUrl(piece) }
    case 'file': {
      const data = `data:${piece.mimeType};base64,${piece.data}`
      return { type: 'input_file', filename: piece.name, file_data: data }
    }
  }
}

function nativeItem(value: Json): Item[] {
  return isFields(value) ? [value] : []
}

/** Differences between servers that speak Responses */
export interface ResponsesProfile {
  /** The id under which reasoning items and other items of this API are in a log. */
  readonly provider: string
  /** Asks for reasoning to carry along. Models that do not reason refuse to be asked. */
  readonly encryptedReasoning: boolean
  /** Asks for a summary of the reasoning. Some organisations may not. */
  readonly reasoningSummary: boolean
  readonly accepts: Accepts
}

export const OPENAI_RESPONSES: ResponsesProfile = {
  provider: 'openai',
  encryptedReasoning: true,
  reasoningSummary: true,
  accepts: { images: 'any', files: true },
}
