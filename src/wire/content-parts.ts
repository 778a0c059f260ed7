// Reads one content part of each wire; undefined for parts only its API understands.
import { fieldsIn, textIn } from '../core/text/json.ts'
import type { Media, MediaPart, TextPart } from '../core/view/content.ts'

type ReadPart = TextPart | MediaPart

/** Media given by a URL, which may contain the bytes. */
export function dataUrl(url: string, mimeType: string): Media
export function dataUrl(url: string | undefined, mimeType: string): Media | undefined
export function dataUrl(url: string | undefined, mimeType: string): Media | undefined {
  if (url === undefined) return undefined
  const inline = /^data:([^;,]+)(?:;[^,;]*)*;base64,/.exec(url.slice(0, 200))
  if (!inline) return { mimeType, uri: url }
  return { mimeType: inline[1] ?? mimeType, data: url.slice(inline[0].length) }
}

/** Chat Completions. Some servers write an image's URL without an object around it. */
export function readChatPart(value: unknown): ReadPart | undefined {
  const part = fieldsIn(value)
  const { file_data: data, filename } = fieldsIn(part.file)
  const url = textIn(fieldsIn(part.image_url).url) ?? textIn(part.image_url)
  return readText(part) ?? readImage(url) ?? readFile(data, filename)
}

/** Responses. */
export function readResponsesPart(value: unknown): ReadPart | undefined {
  const part = fieldsIn(value)
  return readText(part) ?? readImage(part.image_url) ?? readFile(part.file_data, part.filename)
}

function readText({ text, refusal }: Readonly<Record<string, unknown>>): TextPart | undefined {
  const words = textIn(text) ?? textIn(refusal)
  return words === undefined ? undefined : { type: 'text', text: words }
}

function readImage(url: unknown): MediaPart | undefined {
  return typeof url === 'string' && url !== ''
    ? { type: 'image', media: dataUrl(url, 'image/*') }
    : undefined
}

function readFile(data: unknown, filename: unknown): MediaPart | undefined {
  if (typeof data !== 'string') return undefined
  const title = textIn(filename)
  const media = { ...dataUrl(data, 'application/pdf'), ...(title !== undefined && { title }) }
  return { type: 'document', media }
}

/** Audio in both APIs; its bytes are opaque. */
export function readAudio(value: unknown): MediaPart | undefined {
  const { data, format } = fieldsIn(fieldsIn(value).input_audio)
  if (typeof data !== 'string') return undefined
  return { type: 'document', media: { mimeType: `audio/${textIn(format) ?? '*'}`, data } }
}

/** Gemini. A part with a call or response is not content. */
export function readGeminiPart(value: unknown): ReadPart | undefined {
  const { text, inlineData, inline_data: older } = fieldsIn(value)
  if (typeof text === 'string') return { type: 'text', text }
  const inline = fieldsIn(inlineData ?? older)
  const mimeType = textIn(inline.mimeType) ?? textIn(inline.mime_type)
  const data = textIn(inline.data)
  if (mimeType === undefined || data === undefined) return undefined
  return { type: mimeType.startsWith('image/') ? 'image' : 'document', media: { mimeType, data } }
}

/** The source of an Anthropic image or document; undefined for others, such as uploaded files. */
export function mediaOfSource(type: 'image' | 'document', source: unknown): Media | undefined {
  const { type: kind, media_type: mime, data, url } = fieldsIn(source)
  if (kind === 'url' && typeof url === 'string')
    return { mimeType: type === 'image' ? 'image/*' : 'application/pdf', uri: url }
  if (typeof mime !== 'string' || typeof data !== 'string') return undefined
  if (kind === 'text') return { mimeType: mime, text: data }
  return kind === 'base64' ? { mimeType: mime, data } : undefined
}
