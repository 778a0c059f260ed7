// Images by age: the limit of a request, and captions for the oldest.
import type { Json } from '../text/json.ts'
import type { Block, Part } from './content.ts'
import { buildCaption, bytesInWords, type ImageLike, sizeInWords } from './image-caption.ts'
import { type ImageSize, sizeOfImage } from './image-size.ts'
import type { Message, MessagePart } from './message.ts'

/** A provider's limits; absent ones do not apply. */
export interface ImageLimits {
  readonly maxImages?: number
  /** For one image, as base64. */
  readonly maxImageBytes?: number
  /** For all images of a request, as base64. */
  readonly maxTotalBytes?: number
  readonly maxEdgePx?: number
  /** Above `over` images each must be smaller. */
  readonly many?: { readonly over: number; readonly maxEdgePx: number }
  /** Types allowed inline. */
  readonly mimeTypes?: readonly string[]
  /**
   * The share of a limit freed when it is exceeded. Then many more images fit before the next one goes, and
   * the prefix stays stable. Default: no more than necessary.
   */
  readonly slack?: number
}

/** The place of an image; `block` if it is in a tool result. */
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
 * Replaces the oldest images by captions to keep the limits. A caption names the image's entry for recall, or
 * what `refOf` returns, or the place. Depends only on the images, and replaced ones stay replaced when more
 * follow. Returns the same array without a change.
 */
export function ageImages(
  messages: readonly Message[],
  limits: ImageLimits,
  refOf: (place: ImagePlace) => string | undefined = () => undefined,
): Aged {
  const images = imagesIn(messages)
  const gone = new Map<string, AgedImage>()
  for (const [{ place, image, ref }, why] of leaving(images, limits)) {
    const caption = buildCaption(image, ref ?? refOf(place) ?? spell(place))
    gone.set(spell(place), { ...place, why, caption })
  }
  if (gone.size === 0) return { messages, aged: [] }
  return { messages: withCaptions(messages, gone), aged: [...gone.values()] }
}

/** Adds each image's size, for readers without its bytes. */
export function measureImages(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) => {
    if (part.type !== 'image' || part.media.widthPx !== undefined) return part
    const size = sizeOfImage(part.media)
    return size === undefined ? part : { ...part, media: { ...part.media, ...size } }
  })
}

interface FoundImage {
  readonly place: ImagePlace
  readonly image: ImageLike
  readonly ref: string | undefined
  /** A native image (an uploaded file): counted, with unknown size. */
  readonly isNative: boolean
}

function imagesIn(messages: readonly Message[]): FoundImage[] {
  return messages.flatMap(({ parts }, message) =>
    parts.flatMap((each, part): FoundImage[] => {
      const place = { message, part }
      if (each.type === 'image')
        return [{ place, image: each.media, ref: each.ref, isNative: false }]
      if (each.type === 'native' && isNativeImage(each.value))
        return [{ place, image: {}, ref: undefined, isNative: true }]
      if (each.type !== 'tool_result') return []
      const { ref } = each
      return each.content.flatMap((block, index) => {
        const isNative = block.type === 'native' && isNativeImage(block.value)
        if (!isNative && !isImageBlock(block)) return []
        return [{ place: { ...place, block: index }, image: block, ref, isNative }]
      })
    }),
  )
}

/** Some tools return images as resources. */
function isImageBlock({ type, data, mimeType = '' }: Block): boolean {
  return (
    type === 'image' || (type === 'resource' && data !== undefined && mimeType.startsWith('image/'))
  )
}

function isNativeImage(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'image'
}

/** Images to replace, oldest first, with reasons. */
function leaving(images: readonly FoundImage[], limits: ImageLimits): [FoundImage, string][] {
  const reasons = new Map<FoundImage, string>()
  for (const found of images) {
    const why = found.isNative ? undefined : refusal(found.image, limits)
    if (why !== undefined) reasons.set(found, why)
  }
  const staying = images.filter((image) => !reasons.has(image))
  for (const [image, why] of beyondLimits(staying, limits)) reasons.set(image, why)
  return images.flatMap((image) => {
    const why = reasons.get(image)
    return why === undefined ? [] : [[image, why]]
  })
}

/** Why an image would be rejected even alone. */
function refusal(image: ImageLike, limits: ImageLimits): string | undefined {
  const { data, uri, mimeType } = image
  if (!data && !uri) return 'an image without content'
  if (data === undefined) return undefined
  if (!isBase64(data)) return 'an image that is not base64'
  if (limits.mimeTypes && !limits.mimeTypes.includes(mimeType ?? 'image/png'))
    return `an image of the kind ${mimeType} is not taken`
  if (data.length > (limits.maxImageBytes ?? Number.POSITIVE_INFINITY))
    return `an image of ${bytesInWords(data.length)} as base64; ${bytesInWords(limits.maxImageBytes ?? 0)} are allowed`
  const size = sizeOfImage(image)
  if (limits.maxEdgePx === undefined || size === undefined || longestEdge(size) <= limits.maxEdgePx)
    return undefined
  return `an image of ${sizeInWords(size)}; an edge may have ${limits.maxEdgePx}`
}

/** Padding may be missing, but only the end may have it. */
function isBase64(data: string): boolean {
  const end = data.search(/[^a-zA-Z0-9+/]/)
  if (end === -1) return data.length % 4 !== 1
  return data.length % 4 === 0 && data.length - end <= 2 && /^=+$/.test(data.slice(end))
}

function longestEdge({ widthPx, heightPx }: ImageSize): number {
  return Math.max(widthPx, heightPx)
}

/** The newest images that fit together. */
interface Staying {
  count: number
  bytes: number
  large: number // number of images too large to be among many
}

/** Judged as if each image were the last one: earlier images went, or stayed, as they did in that request. */
function beyondLimits(images: readonly FoundImage[], limits: ImageLimits): [FoundImage, string][] {
  const staying: Staying = { count: 0, bytes: 0, large: 0 }
  const freed = 1 - (limits.slack ?? 0)
  const gone: [FoundImage, string][] = []
  for (const each of images) {
    count(staying, each, limits, 1)
    const why = passed(staying, limits, 1)
    if (why === undefined) continue
    do {
      const oldest = images[gone.length] as FoundImage
      count(staying, oldest, limits, -1)
      gone.push([oldest, why])
    } while (passed(staying, limits, isLast(staying) ? 1 : freed) !== undefined)
  }
  return gone
}

/** The newest image stays if possible. */
function isLast({ count }: Staying): boolean {
  return count <= 1
}

function count(staying: Staying, { image }: FoundImage, { many }: ImageLimits, by: 1 | -1): void {
  const size = many && sizeOfImage(image)
  staying.count += by
  staying.bytes += by * (image.data?.length ?? 0)
  if (size && longestEdge(size) > many.maxEdgePx) staying.large += by
}

/** The exceeded limit in words; each counts as a share. */
function passed(
  { count, bytes, large }: Staying,
  { maxImages, maxTotalBytes, many }: ImageLimits,
  share: number,
): string | undefined {
  if (maxImages !== undefined && count > Math.floor(maxImages * share))
    return `an image beyond the newest ${maxImages}`
  if (maxTotalBytes !== undefined && bytes > maxTotalBytes * share)
    return `an image beyond the newest ${bytesInWords(maxTotalBytes)}`
  if (many !== undefined && large > 0 && count > Math.floor(many.over * share))
    return `an image beyond the newest ${many.over}, some of which are over ${many.maxEdgePx} px`
  return undefined
}

function withCaptions(
  messages: readonly Message[],
  gone: ReadonlyMap<string, AgedImage>,
): Message[] {
  return messages.map((each, message) => {
    const parts = each.parts.map((part, index) => withCaption(part, { message, part: index }, gone))
    return parts.some((part, index) => part !== each.parts[index]) ? { ...each, parts } : each
  })
}

function withCaption(
  part: MessagePart,
  place: ImagePlace,
  gone: ReadonlyMap<string, AgedImage>,
): MessagePart {
  const caption = gone.get(spell(place))?.caption
  if (caption !== undefined) return { type: 'text', text: caption }
  if (part.type !== 'tool_result') return part
  const content = part.content.map((block, index): Block => {
    const text = gone.get(spell({ ...place, block: index }))?.caption
    return text === undefined ? block : { type: 'text', text }
  })
  return content.some((block, index) => block !== part.content[index]) ? { ...part, content } : part
}

function spell({ message, part, block }: ImagePlace): string {
  const place = `messages[${message}].parts[${part}]`
  return block === undefined ? place : `${place}.content[${block}]`
}
