// Images by age, measured by their dimensions; base64 in text folded away.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pngOf } from '../../../test/generate/damage.ts'
import { runs } from '../../../test/scale.ts'
import { weighResult, weighUser } from '../window/tokens/weigh.ts'
import type { Block, MediaPart } from './content.ts'
import { buildCaption } from './image-caption.ts'
import { ageImages, type ImageLimits, measureImages } from './media.ts'
import type { Message, MessagePart } from './message.ts'

const png = (widthPx: number, heightPx: number): MediaPart => ({
  type: 'image',
  media: { mimeType: 'image/png', data: pngOf(widthPx, heightPx) },
})
const small = png(10, 10)
const block: Block = { type: 'image', mimeType: 'image/png', data: pngOf(10, 10) }

function readMessages(...images: readonly MessagePart[]): Message[] {
  return images.map((image) => ({ role: 'user', parts: [{ type: 'text', text: 'see' }, image] }))
}

/** The messages whose image had to go. */
function goneFrom(messages: readonly Message[], limits: ImageLimits): number[] {
  const { messages: aged, aged: gone } = ageImages(messages, limits)
  for (const { message, part, caption } of gone)
    expect(aged[message]?.parts[part]).toEqual({ type: 'text', text: caption })
  return gone.map(({ message }) => message)
}

const many = { over: 2, maxEdgePx: 2_000 }
const LIMITS: readonly (readonly [
  string,
  readonly MessagePart[],
  ImageLimits,
  readonly number[],
])[] = [
  ['nothing binds', [small, small], {}, []],
  ['the count: the oldest go', [small, small, small], { maxImages: 2 }, [0]],
  ['the count of none', [small, small], { maxImages: 0 }, [0, 1]],
  ['the sum of bytes: the oldest go', [small, small, small], { maxTotalBytes: 100 }, [0]],
  ['the bytes of one', [small, png(1, 1)], { maxImageBytes: 43 }, [0, 1]],
  ['the edge of one, wherever it is', [small, png(9_000, 1), small], { maxEdgePx: 8_000 }, [1]],
  ['the edge of one at the limit', [png(8_000, 8_000)], { maxEdgePx: 8_000 }, []],
  [
    'a large one is shown while it is new, and the oldest go',
    [small, small, small, small, png(1, 2_001)],
    { many },
    [0, 1, 2],
  ],
  ['a large one goes with age', [png(1, 2_001), small, small, small], { many }, [0]],
  [
    'many large ones make the oldest go',
    [png(3_000, 1), png(3_000, 1), png(3_000, 1)],
    { many },
    [0],
  ],
  ['large ones among few stay', [png(3_000, 1), png(3_000, 1)], { many }, []],
  [
    'a kind that is not taken',
    [{ type: 'image', media: { mimeType: 'image/bmp', data: 'Qk0=' } }],
    { mimeTypes: ['image/png'] },
    [0],
  ],
  ...['iVBORw0KGgo=iVBO', 'iVBOR', 'iVB!', 'data:image/png;base64,iVBO', 'iVBORw===='].map(
    (data) =>
      [
        `an image that is not base64: ${data}`,
        [{ type: 'image', media: { mimeType: 'image/png', data } }, small],
        {},
        [0],
      ] as const,
  ),
  ['an image without content', [{ type: 'image', media: { mimeType: 'image/png' } }], {}, [0]],
  [
    'a link counts, and has no bytes',
    [{ type: 'image', media: { mimeType: 'image/*', uri: 'https://example.org/a.png' } }, small],
    { maxImages: 1, mimeTypes: ['image/png'] },
    [0],
  ],
  [
    'uploaded images count',
    [{ type: 'native', provider: 'anthropic', value: { type: 'image', source: {} } }, small],
    { maxImages: 1 },
    [0],
  ],
]

describe('ageing images', () => {
  it.each(LIMITS)('keeps %s', (_, images, limits, gone) => {
    const messages = readMessages(...images)
    expect(goneFrom(messages, limits)).toEqual(gone)
    const { messages: aged } = ageImages(messages, limits)
    expect(ageImages(aged, limits)).toEqual({ messages: aged, aged: [] })
  })

  it('gives back the same messages where nothing has to go', () => {
    const messages = readMessages(small)
    expect(ageImages(messages, { maxImages: 1 }).messages).toBe(messages)
  })

  it('reaches into the results of tools', () => {
    const result = (content: readonly Block[]): MessagePart => ({
      type: 'tool_result',
      id: 'a',
      content,
      status: 'completed',
    })
    const text: Block = { type: 'text', text: 'two pictures' }
    const { messages, aged } = ageImages(
      [{ role: 'user', parts: [result([text, block, block])] }],
      { maxImages: 1 },
      ({ block: index }) => `e12.${index}`,
    )
    const caption = '[image image/png 10×10 px, 33 bytes, ref e12.1]'
    expect(messages[0]?.parts).toEqual([result([text, { type: 'text', text: caption }, block])])
    expect(aged).toEqual([
      { message: 0, part: 0, block: 1, caption, why: 'an image beyond the newest 1' },
    ])
  })

  it('names the entry that the image belongs to', () => {
    const [first, second] = [
      { ...small, ref: 'e7' },
      { type: 'tool_result', id: 'a', content: [block], status: 'completed', ref: 'e9' },
    ] as const
    const { aged } = ageImages([{ role: 'user', parts: [first, second] }], { maxImages: 0 })
    expect(aged.map(({ caption }) => /ref .*/.exec(caption)?.[0])).toEqual(['ref e7]', 'ref e9]'])
  })

  it('counts images that come as resources', () => {
    const shown: Block = { type: 'resource', mimeType: 'image/png', data: pngOf(10, 10) }
    const parts: MessagePart[] = [
      { type: 'tool_result', id: 'a', content: [shown, shown], status: 'completed' },
    ]
    expect(ageImages([{ role: 'user', parts }], { maxImages: 1 }).aged).toHaveLength(1)
  })

  it('uses the size that was measured before, and needs no bytes for it', () => {
    const known: MessagePart = {
      type: 'image',
      media: { mimeType: 'image/png', data: 'AAAA', widthPx: 9_000, heightPx: 1 },
    }
    expect(goneFrom(readMessages(known), { maxEdgePx: 8_000 })).toEqual([0])
  })
})

describe('ageing with slack', () => {
  const limits: ImageLimits = {
    maxImages: 12,
    maxTotalBytes: 20 * pngOf(1, 1).length,
    many: { over: 8, maxEdgePx: 2_000 },
    slack: 0.25,
  }
  const goneOf = (images: readonly MessagePart[], given = limits) =>
    goneFrom(readMessages(...images), given).length

  it('frees a quarter at once, and then leaves everything as it is for a while', () => {
    const counts = Array.from({ length: 20 }, (_, count) =>
      goneOf(Array.from({ length: count }, () => small)),
    )
    expect(counts.slice(0, 13)).toEqual(new Array(13).fill(0))
    expect(counts.slice(13)).toEqual([4, 4, 4, 4, 8, 8, 8])
  })

  it('never brings an image back, and never judges those before it anew [property]', () => {
    const image = fc
      .tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 50 }))
      .map(([edgePx, bytes]): MessagePart => {
        const { media } = png(edgePx, 10)
        return { type: 'image', media: { ...media, data: `${media.data}${'AAAA'.repeat(bytes)}` } }
      })
    fc.assert(
      fc.property(fc.array(image, { maxLength: 40 }), (images) => {
        let before = 0
        let rewrites = 0
        for (let count = 1; count <= images.length; count += 1) {
          const gone = goneFrom(readMessages(...images.slice(0, count)), limits)
          expect(gone).toEqual(Array.from({ length: gone.length }, (_, at) => at))
          expect(gone.length).toBeGreaterThanOrEqual(before)
          expect(gone.length).toBeLessThan(count) // the newest is always seen
          if (gone.length > before) rewrites += 1
          before = gone.length
        }
        // Each time at least two go, so that there is no break at every turn.
        expect(rewrites).toBeLessThanOrEqual(images.length / 2)
      }),
      runs(300),
    )
  })

  it('keeps the newest image however little room there is', () => {
    expect(goneOf([small, small], { maxImages: 1, slack: 0.5 })).toBe(1)
    const bytes = pngOf(1, 1).length
    expect(goneOf([small, small], { maxTotalBytes: bytes, slack: 0.5 })).toBe(1)
  })
})

describe('a caption', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      buildCaption(png(1_200, 800).media, 'e12'),
      '[image image/png 1200×800 px, 33 bytes, ref e12]',
    ],
    [
      buildCaption({ mimeType: 'image/gif', data: 'A'.repeat(40_000) }, 'e1'),
      '[image image/gif, 30 kB, ref e1]',
    ],
    [buildCaption({ data: 'A'.repeat(8_000_000) }, undefined), '[image 6.0 MB]'],
    [
      buildCaption({ uri: 'https://example.org/a.png?token=x' }, 'e1'),
      '[image https://example.org/a.png, ref e1]',
    ],
    [buildCaption({ uri: `data:image/png;base64,${'A'.repeat(500)}` }, undefined), '[image]'],
  ]
  it.each(cases)('%s', (caption, expected) => expect(caption).toBe(expected))
})

describe('measured images', () => {
  it('are counted by their dimensions', () => {
    const parts = [{ type: 'text', text: 'see' } as const, png(1_500, 1_000)]
    const measured = measureImages(parts)
    expect(measured[1]).toMatchObject({ media: { widthPx: 1_500, heightPx: 1_000 } })
    expect(weighUser(measured) - weighUser(parts.slice(0, 1))).toBe(2_000)
    expect(measureImages(measured)).toEqual(measured)
    expect(weighUser(parts)).toBe(weighUser(measured))
  })

  it('are counted by their dimensions in the results of tools, and as the provider scales them', () => {
    const weight = (widthPx: number, heightPx: number) =>
      weighResult({
        content: [{ type: 'image', mimeType: 'image/png', data: pngOf(widthPx, heightPx) }],
        status: 'completed',
      }) - weighResult({ content: [], status: 'completed' })
    expect(weight(750, 100)).toBe(100)
    expect(weight(1_500, 1_000)).toBe(2_000)
    expect(weight(8_000, 8_000)).toBe(Math.ceil((1_568 * 1_568) / 750))
  })

  it('are left alone where the size cannot be told', () => {
    const parts = [{ type: 'image', media: { mimeType: 'image/png', data: 'AAAA' } } as const]
    expect(measureImages(parts)).toEqual(parts)
  })
})
