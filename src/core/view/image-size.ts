// The size of an image, from its first bytes.

export interface ImageSize {
  readonly widthPx: number
  readonly heightPx: number
}

/** As measured earlier, or from the bytes; undefined if unknown. */
export function sizeOfImage({
  widthPx,
  heightPx,
  data,
}: Partial<ImageSize> & { readonly data?: string }): ImageSize | undefined {
  if (widthPx !== undefined && heightPx !== undefined) return { widthPx, heightPx }
  return data === undefined ? undefined : imageSize(data)
}

/** Undefined for other types than the API's four, or too little data. */
export function imageSize(base64: string): ImageSize | undefined {
  const at = byteReader(base64)
  const size = pngSize(at) ?? gifSize(at) ?? webpSize(at) ?? jpegSize(at)
  return size !== undefined && size.widthPx >= 0 && size.heightPx >= 0 ? size : undefined
}

/** The byte at an index; NaN beyond the end, which fails every comparison. */
type ByteAt = (index: number) => number

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map([...DIGITS].map((digit, value) => [digit.charCodeAt(0), value]))

function byteReader(base64: string): ByteAt {
  const digit = (index: number) => VALUES.get(base64.charCodeAt(index)) ?? Number.NaN
  return (index) => {
    const start = Math.floor(index / 3) * 4
    const offset = index % 3
    const [high, low] = [digit(start + offset), digit(start + offset + 1)]
    if (Number.isNaN(high) || Number.isNaN(low)) return Number.NaN
    // Six bits per digit: a byte spans two digits.
    const kept = 2 * (offset + 1)
    return ((high << kept) | (low >> (6 - kept))) & 0xff
  }
}

function startsWith(at: ByteAt, text: string, offset = 0): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (at(offset + index) !== text.charCodeAt(index)) return false
  }
  return true
}

function bigEndian(at: ByteAt, index: number, length: number): number {
  let value = 0
  for (let each = 0; each < length; each += 1) value = value * 256 + at(index + each)
  return value
}

function littleEndian(at: ByteAt, index: number, length: number): number {
  let value = 0
  for (let each = length - 1; each >= 0; each -= 1) value = value * 256 + at(index + each)
  return value
}

function pngSize(at: ByteAt): ImageSize | undefined {
  if (!startsWith(at, '\x89PNG\r\n\x1a\n')) return undefined
  return { widthPx: bigEndian(at, 16, 4), heightPx: bigEndian(at, 20, 4) }
}

function gifSize(at: ByteAt): ImageSize | undefined {
  if (!startsWith(at, 'GIF8')) return undefined
  return { widthPx: littleEndian(at, 6, 2), heightPx: littleEndian(at, 8, 2) }
}

function webpSize(at: ByteAt): ImageSize | undefined {
  if (!startsWith(at, 'RIFF') || !startsWith(at, 'WEBP', 8)) return undefined
  if (startsWith(at, 'VP8X', 12)) {
    return { widthPx: littleEndian(at, 24, 3) + 1, heightPx: littleEndian(at, 27, 3) + 1 }
  }
  if (startsWith(at, 'VP8L', 12)) {
    const bits = littleEndian(at, 21, 4)
    return { widthPx: (bits % 0x4000) + 1, heightPx: (Math.floor(bits / 0x4000) % 0x4000) + 1 }
  }
  if (!startsWith(at, 'VP8 ', 12)) return undefined
  return {
    widthPx: littleEndian(at, 26, 2) % 0x4000,
    heightPx: littleEndian(at, 28, 2) % 0x4000,
  }
}

/** Skips segments up to the frame header without reading them. */
function jpegSize(at: ByteAt): ImageSize | undefined {
  if (at(0) !== 0xff || at(1) !== 0xd8) return undefined
  let index = 2
  while (at(index) === 0xff) {
    const marker = at(index + 1)
    if (marker === 0xff) index += 1
    else if (isFrameStart(marker)) {
      return { widthPx: bigEndian(at, index + 7, 2), heightPx: bigEndian(at, index + 5, 2) }
    } else if (hasNoLength(marker)) index += 2
    else index += 2 + Math.max(2, bigEndian(at, index + 2, 2))
  }
  return undefined
}

function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function hasNoLength(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}
