// The caption that replaces an image: type, size, and its ref
import type { Media } from './content.ts'
import { type ImageSize, sizeOfImage } from './image-size.ts'

/** What a caption can be made of; parts and blocks of results both have it. */
export type ImageLike = Pick<Media, 'data' | 'uri' | 'widthPx' | 'heightPx'> & {
  readonly mimeType?: string
}

/** `[image image/png 1200×800 px, 34 kB, ref e12]` */
export function captionOf(image: ImageLike, ref: string | undefined): string {
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

/** An address may hold the bytes themselves, or a secret behind its question mark. */
function shortLink(uri: string | undefined): string {
  if (uri === undefined || uri.startsWith('data:') || uri.length > SHOWN_LINK_CHARS) return ''
  return uri.replace(/[?#].*$/s, '')
}
