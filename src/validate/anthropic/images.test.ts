// Images: their sizes as read from the first bytes, and how many and how large they may be.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistant, result, text, use, user } from '../../../test/anthropic-examples.ts'
import { runs } from '../../../test/scale.ts'
import { imageSize } from '../../core/view/image-size.ts'
import { check } from './contract.ts'

type Bytes = readonly (number | string)[]

const big = (value: number, length: number) =>
  Array.from({ length }, (_, index) => (value >> (8 * (length - 1 - index))) & 0xff)
const little = (value: number, length: number) => big(value, length).reverse()

/** Headers as the formats define them, with nothing behind. */
const HEADERS: Record<string, (width: number, height: number) => Bytes> = {
  png: (w, h) => [0x89, 'PNG\r\n', 0x1a, '\n', ...big(13, 4), 'IHDR', ...big(w, 4), ...big(h, 4)],
  gif: (w, h) => ['GIF89a', ...little(w, 2), ...little(h, 2)],
  jpeg: (w, h) => [0xff, 0xd8, ...app(16), ...frame(0xc0, w, h)],
  'progressive jpeg behind two long segments and a table': (w, h) => [
    ...[0xff, 0xd8, ...app(60_000), ...app(9_000), 0xff, 0xc4, ...big(5, 2), 0, 0, 0],
    ...[0xff, ...frame(0xc2, w, h)],
  ],
  'lossy webp': (w, h) => [
    ...['RIFF', ...little(50, 4), 'WEBPVP8 ', ...little(30, 4), 0, 0, 0, 0x9d, 0x01, 0x2a],
    ...[...little(w, 2), ...little(h, 2)],
  ],
  'lossless webp': (w, h) => [
    ...['RIFF', ...little(50, 4), 'WEBPVP8L', ...little(30, 4), 0x2f],
    ...little((w - 1) | ((h - 1) << 14), 4),
  ],
  'extended webp': (w, h) => [
    ...['RIFF', ...little(50, 4), 'WEBPVP8X', ...little(10, 4), 0, 0, 0, 0],
    ...[...little(w - 1, 3), ...little(h - 1, 3)],
  ],
}

function app(length: number): Bytes {
  return [0xff, 0xe1, ...big(length, 2), ...Array.from({ length: length - 2 }, () => 0xff)]
}

function frame(marker: number, width: number, height: number): Bytes {
  return [0xff, marker, ...big(17, 2), 8, ...big(height, 2), ...big(width, 2), 3]
}

function base64(bytes: Bytes): string {
  return Buffer.concat(
    bytes.map((each) =>
      typeof each === 'string' ? Buffer.from(each, 'latin1') : Buffer.from([each]),
    ),
  ).toString('base64')
}

describe('the size of an image', () => {
  it.each(Object.entries(HEADERS))('is read from a %s', (_, header) => {
    for (const [width, height] of [
      [1, 1],
      [640, 480],
      [1569, 16_383],
    ] as const) {
      expect(imageSize(base64(header(width, height)))).toEqual({
        widthPx: width,
        heightPx: height,
      })
    }
  })

  it('is unknown where the header is cut off or of another kind', () => {
    for (const header of Object.values(HEADERS)) {
      const whole = base64(header(640, 480))
      for (const length of [0, 1, 4, 8, 11, 12]) {
        expect(imageSize(whole.slice(0, length))).toBeUndefined()
      }
    }
    expect(imageSize(base64(['%PDF-1.7 and so on, long enough']))).toBeUndefined()
    expect(imageSize('not base64 at all, but long enough')).toBeUndefined()
  })

  it('is read from any text without an end that is never reached', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 400 }), fc.string(), (some, other) => {
        for (const each of [some, other, `/9j${some}`, `iVBORw0KGgo${some}`]) {
          const { widthPx, heightPx } = imageSize(each) ?? { widthPx: 0, heightPx: 0 }
          expect(widthPx >= 0 && heightPx >= 0).toBe(true)
        }
      }),
      runs(),
    )
  })
})

describe('images of a request', () => {
  it('are few, small and of a known kind, in a body that is not too large [VALID-A18]', () => {
    const image = (data: string, media_type = 'image/png') => ({
      type: 'image',
      source: { type: 'base64', media_type, data },
    })
    const chat = (...blocks: readonly object[]) => ({
      tools: [{ name: 'read', input_schema: {} }],
      messages: [user([...blocks, text('what?')])],
    })
    const shown = (...blocks: readonly object[]) => ({
      ...chat(),
      messages: [user('look'), assistant([use('a')]), user([result('a', blocks)])],
    })
    const png = (width: number, height: number) => image(base64(HEADERS.png?.(width, height) ?? []))
    const many = (count: number) => Array.from({ length: count }, () => png(10, 10))
    const place = 'messages[0].content'
    check('VALID-A18', {
      breaks: [
        { request: chat(...many(101)), place: `${place}[100]` },
        {
          request: chat(...many(601)),
          profile: { windowTokens: 1_000_000 },
          place: `${place}[600]`,
        },
        { request: chat(png(8001, 10)), place: `${place}[0].source.data` },
        { request: chat(...many(20), png(10, 2001)), place: `${place}[20].source.data` },
        {
          request: shown(...many(20), png(10, 2001)),
          place: 'messages[2].content[0].content[20].source.data',
        },
        { request: chat(image('A'.repeat(5_242_884))), place: `${place}[0].source.data` },
        { request: chat(image('')), place: `${place}[0].source.data` },
        { request: chat(image('Qk0=', 'image/bmp')), place: `${place}[0].source.media_type` },
        { request: chat(text('x'.repeat(32_000_000))), place: 'request' },
        { request: chat(text('é'.repeat(600))), profile: { requestBytes: 1200 }, place: 'request' },
      ],
      keeps: [
        { request: chat(...many(100)) },
        { request: chat(...many(600)), profile: { windowTokens: 1_000_000 } },
        { request: chat(png(8000, 8000), ...many(19)) },
        { request: chat(png(2000, 2000), ...many(20)) },
        { request: chat(image('A'.repeat(5_242_880))) },
        { request: chat({ type: 'image', source: { type: 'file', file_id: 'f' } }) },
        { request: chat(text('x'.repeat(600))), profile: { requestBytes: 1200 } },
      ],
    })
  })
})
