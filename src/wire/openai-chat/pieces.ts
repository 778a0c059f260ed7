// Wire-neutral pieces for a model: texts, images and files from parts and results

import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type {
  Block,
  Media,
  MessagePart,
  ToolResultPart,
  ToolStatus,
} from '../../core/view/content.ts'
import { checkpointToText } from '../../core/view/seam.ts'
import { type AnswerTurn, findCalls, type Note, type WireIds, type WireNames } from './rounds.ts'

export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image'
      readonly mimeType: string
      readonly data?: string
      readonly uri?: string
    }
  | {
      readonly type: 'file'
      readonly mimeType: string
      readonly data: string
      readonly name: string
    }

/** What the other side can look at; the rest is named in words instead. */
export interface Accepts {
  readonly images: 'any' | 'inline' | 'none' // inline: bytes in the request, no links
  /** Absent: the four kinds that nearly everybody takes. */
  readonly imageTypes?: RegExp
  readonly files: boolean
}

const IMAGE_TYPES = /^image\/(?:png|jpeg|jpg|gif|webp|\*)$/

/** The pieces of a part of a user's message; none for what is no content. */
export function piecesOfPart(part: MessagePart, accepts: Accepts, note: Note): Piece[] {
  switch (part.type) {
    case 'text':
      return [text(part.text)]
    case 'checkpoint':
      return [text(checkpointToText(part.id))]
    case 'system_reminder':
      return [text(`<system-reminder>${part.text}</system-reminder>`)]
    case 'image':
      return [image(part.media, accepts, note)]
    case 'document':
      return [document(part.media, accepts, note)]
    default:
      return []
  }
}

const STATUS_LINES = {
  failed: '[the call failed]',
  aborted: '[the call was aborted]',
  denied: '[the call was denied]',
} as const

/** The text of a result as `piecesOfResult` wrote it: what was said, and how the call ended. */
export function readStatusLine(text: string): { text: string; status: ToolStatus } {
  for (const status of ['failed', 'aborted', 'denied'] as const) {
    const line = STATUS_LINES[status]
    if (text === line) return { text: '', status }
    if (text.startsWith(`${line}\n`)) return { text: text.slice(line.length + 1), status }
  }
  return { text, status: 'completed' }
}

/** A result always says something: these wires have no mark for errors, and some refuse empty text. */
export function piecesOfResult(result: ToolResultPart, accepts: Accepts, note: Note): Piece[] {
  const pieces = result.content.flatMap((block) => piecesOfBlock(block, accepts, note))
  const shown = pieces.filter((piece) => piece.type !== 'text' || piece.text.trim() !== '')
  if (result.status !== 'completed') return [text(STATUS_LINES[result.status]), ...shown]
  return shown.length === 0 ? [text('(no output)')] : shown
}

export function readTexts(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []))
}

/** The place of an image in a request: its link, or its bytes as one. */
export function readUrl(image: Extract<Piece, { type: 'image' }>): string {
  if (image.data === undefined) return image.uri ?? ''
  return `data:${readMimeType(image)};base64,${image.data}`
}

/** Some name no kind; most images are of this one, and servers look for themselves. */
export function readMimeType({ mimeType }: { readonly mimeType: string }): string {
  return mimeType === 'image/*' ? 'image/png' : mimeType
}

function piecesOfBlock(block: Block, accepts: Accepts, note: Note): Piece[] {
  const mimeType = block.mimeType ?? (block.type === 'image' ? 'image/png' : '')
  const media: Media = {
    mimeType,
    ...(block.data !== undefined && { data: block.data }),
    ...(block.uri !== undefined && { uri: block.uri }),
    ...(block.text !== undefined && { text: block.text }),
  }
  switch (block.type) {
    case 'text':
      return [text(block.text ?? '')]
    case 'image':
      return [image(media, accepts, note)]
    case 'resource':
      if (block.text !== undefined) return [text(block.text)]
      return mimeType.startsWith('image/')
        ? [image(media, accepts, note)]
        : [document(media, accepts, note)]
    case 'native':
      note(`a block that only ${block.provider ?? 'its provider'} understands was left out`)
      return block.text === undefined ? [] : [text(block.text)]
  }
}

function image(media: Media, accepts: Accepts, note: Note): Piece {
  const { mimeType, data, uri } = media
  const isLink = data === undefined && /^https?:/.test(uri ?? '')
  const isTaken =
    (accepts.imageTypes ?? IMAGE_TYPES).test(mimeType) && (data !== undefined || isLink)
  if (isTaken && (accepts.images === 'any' || (accepts.images === 'inline' && !isLink)))
    return {
      type: 'image',
      mimeType,
      ...(data !== undefined && { data }),
      ...(data === undefined && uri !== undefined && { uri }),
    }
  note(`an image (${mimeType}) cannot be sent here; it is named in words`)
  return text(`[image${named(media)} not shown]`)
}

function document(media: Media, accepts: Accepts, note: Note): Piece {
  const { mimeType, data, title } = media
  if (media.text !== undefined) {
    const heading = title === undefined ? '' : `${title}\n`
    return text(`<document>\n${heading}${media.text}\n</document>`)
  }
  if (accepts.files && data !== undefined && mimeType === 'application/pdf')
    return { type: 'file', mimeType, data, name: title ?? 'document.pdf' }
  note(`a document (${mimeType || 'of unknown type'}) cannot be sent here; it is named in words`)
  return text(`[document${named(media)} not shown]`)
}

function named({ title, uri, mimeType }: Media): string {
  const name = title ?? (uri?.startsWith('data:') ? undefined : uri) ?? mimeType
  return name === '' ? '' : ` ${name}`
}

function text(value: string): Piece {
  return { type: 'text', text: value }
}

// Parts that a wire leaves out: thinking of other models, and parts of other APIs

/** For wires that take no native parts, and thinking of their own models at most. */
export function isSendable(
  part: MessagePart,
  provider: string,
  takesThinking: boolean,
  note: Note,
): boolean {
  if (part.type === 'native') {
    note(`a part that only ${part.provider} understands was left out`)
    return false
  }
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return true
  const isOwn = part.model.startsWith(`${provider}/`)
  if (!isOwn) note(`thinking of ${part.model} was left out`)
  return isOwn && part.type === 'thinking' && takesThinking
}

/** All that was thought in one answer. */
export function thinkingText(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('\n')
}

// JSON objects on their way to and from a wire.

/**
 * The arguments of a call as an object; anything else was never a valid call, and is shown as what it
 * was. Half characters become the sign for a lost one: no parser of UTF-8 takes them.
 */
export function readArguments(value: Json): Fields {
  return JSON.parse(argumentsText(value))
}

/** The same as JSON text. */
export function argumentsText(value: Json): string {
  return JSON.stringify(isFields(value) ? value : { input: value }, (_key, each: Json) =>
    typeof each === 'string' ? each.toWellFormed() : each,
  )
}

export interface ResultText {
  readonly id: string // of the call, as the log has it
  readonly name: string // of the tool, as the wire has it
  readonly status: ToolStatus
  readonly text: string
}

interface ResultsInWords {
  readonly results: readonly ResultText[] // in the order of the calls
  /** Images and files of the whole round, each tool's with a word on whose they are. */
  readonly shown: readonly Piece[]
}

export function resultsInWords(
  turn: AnswerTurn,
  names: WireNames,
  accepts: Accepts,
  note: Note,
): ResultsInWords {
  const nameOf = new Map(findCalls(turn).map(({ id, name }) => [id, names.of(name)]))
  const shown: Piece[] = []
  const results = turn.results.map((result): ResultText => {
    const name = nameOf.get(result.id) ?? ''
    const pieces = piecesOfResult(result, accepts, note)
    shown.push(...mediaPieces(pieces, name))
    return { id: result.id, name, status: result.status, text: resultText(pieces) }
  })
  return { results, shown }
}

/** A message of the role `tool` for each result; what it shows follows as the user's. */
export function toolDrafts(
  { results, shown }: ResultsInWords,
  ids: WireIds,
  /** How this wire names the tool beside its result. */
  nameFields: (name: string) => Fields,
): Draft[] {
  const drafts = results.map(({ id, name, text }) =>
    otherDraft({ role: 'tool', tool_call_id: ids.of(id), ...nameFields(name), content: text }),
  )
  return shown.length === 0 ? drafts : [...drafts, userDraft(shown)]
}

/** What a tool showed, with a word on whose it is: nobody typed it. */
function mediaPieces(pieces: readonly Piece[], toolName: string): Piece[] {
  const media = pieces.filter(({ type }) => type !== 'text')
  if (media.length === 0) return []
  return [{ type: 'text', text: `[shown by the result of ${toolName}]` }, ...media]
}

function resultText(pieces: readonly Piece[]): string {
  const texts = readTexts(pieces)
  const media = pieces.length - texts.length
  if (media > 0) texts.push(`[${media === 1 ? 'an image follows' : `${media} images follow`}]`)
  return texts.join('\n')
}

/** Wire messages on their way: what a user shows stays in pieces until nothing more joins it. */
export type Draft =
  | { readonly kind: 'user'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'other'; readonly fields: Fields }

export function userDraft(pieces: readonly Piece[]): Draft {
  return { kind: 'user', pieces }
}

export function otherDraft(fields: Fields): Draft {
  return { kind: 'other', fields }
}

/** User messages in a row are one: that of a tool's images can stand before a typed one. */
export function joinedUsers(drafts: readonly Draft[]): Draft[] {
  const joined: Draft[] = []
  for (const draft of drafts) {
    const last = joined.at(-1)
    if (last?.kind === 'user' && draft.kind === 'user')
      joined.splice(-1, 1, userDraft([...last.pieces, ...draft.pieces]))
    else joined.push(draft)
  }
  return joined
}

/** With a word of the assistant wherever a user message would follow a result. */
export function withAnswerBetween(drafts: readonly Draft[], answer: Fields): Draft[] {
  return drafts.flatMap((draft, index) => {
    const before = drafts[index - 1]
    const isBehindResult = before?.kind === 'other' && before.fields.role === 'tool'
    return draft.kind === 'user' && isBehindResult ? [otherDraft(answer), draft] : [draft]
  })
}

export function finished(
  drafts: readonly Draft[],
  userMessage: (pieces: readonly Piece[]) => Json,
): Json[] {
  return drafts.map((draft) => (draft.kind === 'user' ? userMessage(draft.pieces) : draft.fields))
}
