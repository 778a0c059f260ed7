// Wire-neutral pieces for a model: texts, images and files from parts and results.

import { type Fields, isFields, type Json } from '../core/text/json.ts'
import { checkpointToText } from '../core/view/checkpoint.ts'
import type { Block, Media, ToolStatus } from '../core/view/content.ts'
import type { MessagePart, ToolResultPart } from '../core/view/message.ts'
import type { Note } from './rounds.ts'

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

/** The media the other side accepts; others are named in words. */
export interface Accepts {
  readonly images: 'any' | 'inline' | 'none' // inline: bytes in the request, no links
  /** Default: the four types that nearly every server accepts. */
  readonly imageTypes?: RegExp
  readonly files: boolean
}

const IMAGE_TYPES = /^image\/(?:png|jpeg|jpg|gif|webp|\*)$/

/** The pieces of a part of a user message; none if it is not content. */
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

/** Splits the text written by `piecesOfResult` into the result and the status. */
export function readStatusLine(text: string): { text: string; status: ToolStatus } {
  for (const status of ['failed', 'aborted', 'denied'] as const) {
    const line = STATUS_LINES[status]
    if (text === line) return { text: '', status }
    if (text.startsWith(`${line}\n`)) return { text: text.slice(line.length + 1), status }
  }
  return { text, status: 'completed' }
}

/** A result is never empty: these wires have no error flag, and some reject empty text. */
export function piecesOfResult(result: ToolResultPart, accepts: Accepts, note: Note): Piece[] {
  const pieces = result.content.flatMap((block) => piecesOfBlock(block, accepts, note))
  const shown = pieces.filter((piece) => piece.type !== 'text' || piece.text.trim() !== '')
  if (result.status !== 'completed') return [text(STATUS_LINES[result.status]), ...shown]
  return shown.length === 0 ? [text('(no output)')] : shown
}

export function readTexts(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []))
}

/** The URL of an image: its link, or a data URL. */
export function readUrl(image: Extract<Piece, { type: 'image' }>): string {
  if (image.data === undefined) return image.uri ?? ''
  return `data:${readMimeType(image)};base64,${image.data}`
}

/** Some images have no type; most are of this one, and servers detect it. */
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

/** For wires without native parts, and with thinking only of their own models. */
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

/** All thinking of one answer. */
export function thinkingText(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('\n')
}

/**
 * The arguments of a call as an object; anything else was never a valid call, and is shown as text. Lone
 * surrogates become U+FFFD, because UTF-8 parsers reject them.
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
