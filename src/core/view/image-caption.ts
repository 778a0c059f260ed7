// The caption that replaces an image: type, size, and ref.
import { isFields, type Json } from '../text/json.ts'
import type { Block, Media } from './content.ts'
import { type ImageSize, sizeOfImage } from './image-size.ts'

/** What a caption needs; message parts and result blocks both have it. */
export type ImageLike = Pick<Media, 'data' | 'uri' | 'widthPx' | 'heightPx'> & {
  readonly mimeType?: string
}

/** `[image image/png 1200×800 px, 34 kB, ref e12]` */
export function buildCaption(image: ImageLike, ref: string | undefined): string {
  const size = sizeOfImage(image)
  const facts = [
    [image.mimeType, size && sizeInWords(size)].filter(Boolean).join(' '),
    image.data === undefined ? shortLink(image.uri) : bytesInWords((image.data.length * 3) / 4),
    ref === undefined ? '' : `ref ${ref}`,
  ]
  return `[image ${facts.filter((fact) => fact !== '').join(', ')}]`.replace('[image ]', '[image]')
}

export function sizeInWords({ widthPx, heightPx }: ImageSize): string {
  return `${widthPx}×${heightPx} px`
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1_000) return `${Math.floor(bytes)} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

const SHOWN_LINK_CHARS = 200

/** A URL may contain the bytes, or a secret in its query. */
function shortLink(uri: string | undefined): string {
  if (uri === undefined || uri.startsWith('data:') || uri.length > SHOWN_LINK_CHARS) return ''
  return uri.replace(/[?#].*$/s, '')
}

/** Names a block that cannot be shown. */
export function blockCaption(block: Block): string {
  if (block.type === 'image') return buildCaption(block, undefined)
  if (block.type === 'native') return nativeInWords(block.provider ?? 'its provider', block.value)
  const name = block.uri ?? block.mimeType
  return name === undefined ? '[resource]' : `[resource ${name}]`
}

/** The readable content of a native part; the rest may be encrypted and long. */
export function nativeInWords(provider: string, value: Json | undefined): string {
  const fields = isFields(value) ? value : {}
  if (fields.type === 'reasoning') return ''
  const kind = typeof fields.type === 'string' ? ` ${fields.type}` : ''
  const said = [fields.text, fields.content].find((each) => typeof each === 'string')
  const heading = `[${provider}${kind}, not shown]`
  return typeof said === 'string' && said.trim() !== '' ? `${heading}\n${said}` : heading
}
