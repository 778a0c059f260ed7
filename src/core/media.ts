// Images by age: what a request may hold of them, and words in the place of those that have to go.
import type { Block, Media, Part } from './content.ts'
import type { Json } from './json.ts'
import type { Message, MessagePart } from './message.ts'

export interface ImageSize {
  readonly widthPx: number
  readonly heightPx: number
}

/** Reads the size from the first bytes of an image; undefined where it cannot be told. */
export type SizeOfImage = (base64: string) => ImageSize | undefined

/** What a provider takes. A limit that is absent binds nobody. */
export interface ImageLimits {
  readonly maxImages?: number
  /** Of one image, as base64. */
  readonly maxImageBytes?: number
  /** Of all images of a request together, as base64. */
  readonly maxTotalBytes?: number
  readonly maxEdgePx?: number
  /** With more images than `over`, each must be smaller. */
  readonly many?: { readonly over: number; readonly maxEdgePx: number }
  /** Kinds that may stand in a request as bytes. */
  readonly mimeTypes?: readonly string[]
  /** For images whose size nobody measured when they came in. */
  readonly sizeOf?: SizeOfImage
}

/** Where an image stands; `block` where it is part of a tool's result. */
export interface ImagePlace {
  readonly message: number
  readonly part: number
  readonly block?: number
}

export interface AgedImage extends ImagePlace {
  readonly why: string
  readonly caption: string
}

export interface Aged {
  readonly messages: readonly Message[]
  readonly aged: readonly AgedImage[]
}

/**
 * Keeps the limits by replacing images with captions, oldest first. `refOf` names the entry an image
 * belongs to, under which it can be read again; without one the caption names its place.
 * The same array comes back where nothing had to go.
 */
export function ageImages(
  messages: readonly Message[],
  limits: ImageLimits,
  refOf: (place: ImagePlace) => string | undefined = () => undefined,
): Aged {
  const images = imagesIn(messages)
  const gone = new Map<string, AgedImage>()
  for (const [image, why] of leaving(images, limits)) {
    const caption = captionOf(image.media, refOf(image.place) ?? spell(image.place), limits.sizeOf)
    gone.set(spell(image.place), { ...image.place, why, caption })
  }
  if (gone.size === 0) return { messages, aged: [] }
  return { messages: withCaptions(messages, gone), aged: [...gone.values()] }
}

/** `[image image/png 1200×800 px, 34 kB, ref e12]` */
export function captionOf(media: ImageLike, ref: string | undefined, sizeOf?: SizeOfImage): string {
  const size = sizeOfMedia(media, sizeOf)
  const facts = [
    [media.mimeType, size && `${size.widthPx}×${size.heightPx} px`].filter(Boolean).join(' '),
    media.data === undefined ? shortLink(media.uri) : bytesInWords((media.data.length * 3) / 4),
    ref === undefined ? '' : `ref ${ref}`,
  ]
  return `[image ${facts.filter((fact) => fact !== '').join(', ')}]`.replace('[image ]', '[image]')
}

/** Writes the size of each image beside it, so that it is counted by its dimensions from then on. */
export function measureImages(parts: readonly Part[], sizeOf: SizeOfImage): readonly Part[] {
  return parts.map((part) => {
    if (part.type !== 'image' || part.media.widthPx !== undefined) return part
    const size = sizeOfMedia(part.media, sizeOf)
    return size === undefined ? part : { ...part, media: { ...part.media, ...size } }
  })
}

/** What a caption can be made of; parts and blocks of results both have it. */
export type ImageLike = Pick<Media, 'data' | 'uri' | 'widthPx' | 'heightPx'> & {
  readonly mimeType?: string
}

interface FoundImage {
  readonly place: ImagePlace
  readonly media: ImageLike
  /** A provider's own kind (an uploaded file): counted, and of unknown size. */
  readonly isNative: boolean
}

function imagesIn(messages: readonly Message[]): FoundImage[] {
  return messages.flatMap(({ parts }, message) =>
    parts.flatMap((each, part): FoundImage[] => {
      if (each.type === 'image')
        return [{ place: { message, part }, media: each.media, isNative: false }]
      if (each.type === 'native' && isNativeImage(each.value))
        return [{ place: { message, part }, media: {}, isNative: true }]
      if (each.type !== 'tool_result') return []
      return each.content.flatMap((block, index) => {
        const isNative = block.type === 'native' && isNativeImage(block.value)
        if (block.type !== 'image' && !isNative) return []
        return [{ place: { message, part, block: index }, media: block, isNative }]
      })
    }),
  )
}

function isNativeImage(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'image'
}

/** The images that have to go, oldest first, each with the reason. */
function leaving(images: readonly FoundImage[], limits: ImageLimits): [FoundImage, string][] {
  const reasons = new Map<FoundImage, string>()
  for (const image of images) {
    const why = image.isNative ? undefined : refusal(image.media, limits)
    if (why !== undefined) reasons.set(image, why)
  }
  const staying = () => images.filter((image) => !reasons.has(image))
  for (const [image, why] of beyondTotals(staying(), limits)) reasons.set(image, why)
  for (const [image, why] of tooLargeForMany(staying(), limits)) reasons.set(image, why)
  return images.flatMap((image) => {
    const why = reasons.get(image)
    return why === undefined ? [] : [[image, why]]
  })
}

/** Why an image would be refused even if it were the only one. */
function refusal(media: ImageLike, limits: ImageLimits): string | undefined {
  const { data, uri, mimeType } = media
  if (!data && !uri) return 'an image without content'
  if (data === undefined) return undefined
  if (limits.mimeTypes && !limits.mimeTypes.includes(mimeType ?? 'image/png'))
    return `an image of the kind ${mimeType} is not taken`
  if (data.length > (limits.maxImageBytes ?? Number.POSITIVE_INFINITY))
    return `an image of ${bytesInWords(data.length)} as base64; ${bytesInWords(limits.maxImageBytes ?? 0)} are allowed`
  return edgeAbove(media, limits.maxEdgePx, limits.sizeOf)
}

function edgeAbove(
  media: ImageLike,
  maxEdgePx: number | undefined,
  sizeOf: SizeOfImage | undefined,
): string | undefined {
  const size = maxEdgePx === undefined ? undefined : sizeOfMedia(media, sizeOf)
  if (size === undefined || Math.max(size.widthPx, size.heightPx) <= (maxEdgePx ?? 0))
    return undefined
  return `an image of ${size.widthPx}×${size.heightPx} px; an edge may have ${maxEdgePx}`
}

/** From the newest back: where the count or the sum is passed, everything older goes. */
function beyondTotals(
  images: readonly FoundImage[],
  { maxImages = Number.POSITIVE_INFINITY, maxTotalBytes = Number.POSITIVE_INFINITY }: ImageLimits,
): [FoundImage, string][] {
  let bytes = 0
  const last = images.findLastIndex((image, index) => {
    bytes += image.media.data?.length ?? 0
    return images.length - index > maxImages || bytes > maxTotalBytes
  })
  const why =
    images.length - last > maxImages
      ? `an image beyond the newest ${maxImages}`
      : `an image beyond the newest ${bytesInWords(maxTotalBytes)}`
  return images.slice(0, last + 1).map((image) => [image, why])
}

/** Either the large ones go, or the oldest until they are few: whichever costs fewer images. */
function tooLargeForMany(
  images: readonly FoundImage[],
  { many, sizeOf }: ImageLimits,
): [FoundImage, string][] {
  if (many === undefined || images.length <= many.over) return []
  const large = images.flatMap((image): [FoundImage, string][] => {
    const why = edgeAbove(image.media, many.maxEdgePx, sizeOf)
    return why === undefined ? [] : [[image, `${why} with more than ${many.over} images`]]
  })
  const surplus = images.length - many.over
  if (large.length === 0 || large.length < surplus) return large
  const why = `an image beyond the newest ${many.over}, some of which are over ${many.maxEdgePx} px`
  return images.slice(0, surplus).map((image) => [image, why])
}

function sizeOfMedia(media: ImageLike, sizeOf: SizeOfImage | undefined): ImageSize | undefined {
  const { widthPx, heightPx, data } = media
  if (widthPx !== undefined && heightPx !== undefined) return { widthPx, heightPx }
  return data === undefined ? undefined : sizeOf?.(data)
}

function withCaptions(
  messages: readonly Message[],
  gone: ReadonlyMap<string, AgedImage>,
): Message[] {
  return messages.map(({ role, parts }, message) => ({
    role,
    parts: parts.map((each, part): MessagePart => {
      const caption = gone.get(spell({ message, part }))?.caption
      if (caption !== undefined) return { type: 'text', text: caption }
      if (each.type !== 'tool_result') return each
      const content = each.content.map((block, index): Block => {
        const text = gone.get(spell({ message, part, block: index }))?.caption
        return text === undefined ? block : { type: 'text', text }
      })
      return content.some((block, index) => block !== each.content[index])
        ? { ...each, content }
        : each
    }),
  }))
}

function spell({ message, part, block }: ImagePlace): string {
  const place = `messages[${message}].parts[${part}]`
  return block === undefined ? place : `${place}.content[${block}]`
}

const SHOWN_LINK_CHARS = 200

/** An address may hold the bytes themselves, or a secret behind its question mark. */
function shortLink(uri: string | undefined): string {
  if (uri === undefined || uri.startsWith('data:') || uri.length > SHOWN_LINK_CHARS) return ''
  return uri.replace(/[?#].*$/s, '')
}

function bytesInWords(bytes: number): string {
  if (bytes < 1_000) return `${Math.floor(bytes)} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
