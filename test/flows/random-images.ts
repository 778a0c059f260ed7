// Random images as parts and blocks: few and many, small and beyond what a provider takes.
import type { Block, Media, Part } from '../../src/core/view/content.ts'
import type { Random } from '../generate/random.ts'

/** Several providers cap their number at 100 or 500; one of them allows large ones only among few. */
const COUNTS = { few: 6, some: 3, many: 1, tooMany: 0.3 } as const
const MOST = { few: 3, some: 30, many: 130, tooMany: 520 } as const
/** Beyond five megabytes as base64, which is all that one provider takes of an image. */
const HEAVY_CHARS = 5_300_000
const HEAVY = 'A'.repeat(HEAVY_CHARS)

export function randomImages(random: Random): Part[] {
  const most = MOST[random.weighted(COUNTS)]
  return Array.from({ length: random.int(1, most) }, () => ({
    type: 'image',
    media: randomMedia(random),
  }))
}

/** As a tool shows them. */
export function randomImageBlocks(random: Random): Block[] {
  return Array.from({ length: random.int(1, MOST.few) }, () => {
    const { mimeType, data, uri } = randomMedia(random)
    return { type: 'image', mimeType, ...(data !== undefined && { data }), ...(uri && { uri }) }
  })
}

function randomMedia(random: Random): Media {
  if (random.chance(0.05)) return { mimeType: 'image/png', uri: 'https://example.org/a.png' }
  if (random.chance(0.03))
    return { mimeType: random.pick(['image/tiff', 'image/gif']), data: 'AA==' }
  const edge = random.weighted({ small: 20, large: 2, huge: 1 })
  const longest = { small: 1_600, large: 7_900, huge: 12_000 }[edge]
  const [widthPx, heightPx] = [random.int(1, longest), random.int(1, longest)]
  const data = `${png(widthPx, heightPx)}${random.chance(0.002) ? HEAVY : ''}`
  // Not every image was measured when it came in.
  return { mimeType: 'image/png', data, ...(random.chance(0.5) && { widthPx, heightPx }) }
}

/** The first bytes of a PNG of that size, as base64: all that anybody looks at. */
function png(widthPx: number, heightPx: number): string {
  const bytes = Buffer.alloc(24)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  bytes.writeUInt32BE(widthPx, 16)
  bytes.writeUInt32BE(heightPx, 20)
  return bytes.toString('base64')
}
