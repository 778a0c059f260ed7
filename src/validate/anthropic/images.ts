// Images and the size of the request: how many, how large, of which kind.
import type { Fields } from '../../core/text/json.ts'
import { imageSize } from '../../core/view/image-size.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { fieldsOf, jsonBytes, textOf } from '../walk.ts'
import { conversationOf, withNested } from './conversation.ts'

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
/** As the API counts them in its refusals: the base64 text, in units of 1,024. */
const IMAGE_BYTES = 5 * 1024 * 1024
const REQUEST_BYTES = 32_000_000
const MAX_EDGE_PX = 8_000
/** With more images than this, each must be smaller. */
const FEW_IMAGES = 20
const MAX_EDGE_OF_MANY_PX = 2_000
const LARGE_WINDOW_TOKENS = 200_000

const imagesFit = rule('VALID-A18', (input, report) => {
  const { request, profile } = input
  const images = conversationOf(input)
    .flatMap(({ blocks }) => blocks.flatMap((block) => withNested(block)))
    .filter(({ type }) => type === 'image')
  const maxImages = (profile.windowTokens ?? 0) > LARGE_WINDOW_TOKENS ? 600 : 100
  const maxEdgePx = images.length > FEW_IMAGES ? MAX_EDGE_OF_MANY_PX : MAX_EDGE_PX
  for (const [index, { fields, place }] of images.entries()) {
    if (index >= maxImages) report(place, `an image beyond the ${maxImages} allowed`)
    checkSource(fieldsOf(fields.source), `${place}.source`, maxEdgePx, report)
  }
  const maxBytes = profile.requestBytes ?? REQUEST_BYTES
  const bytes = jsonBytes(request)
  if (bytes > maxBytes) report('request', `a body of ${bytes} bytes; ${maxBytes} are allowed`)
})

export const IMAGE_RULES: readonly Rule[] = [imagesFit]

function checkSource(source: Fields, place: string, maxEdgePx: number, report: Report): void {
  if (source.type !== 'base64') return
  if (!MEDIA_TYPES.includes(textOf(source.media_type) ?? '')) {
    report(`${place}.media_type`, `an image must be one of ${MEDIA_TYPES.join(', ')}`)
  }
  const data = textOf(source.data) ?? ''
  if (data.length > IMAGE_BYTES) {
    report(`${place}.data`, `an image of ${data.length} bytes; ${IMAGE_BYTES} are allowed`)
  }
  const size = imageSize(data)
  if (size !== undefined && Math.max(size.widthPx, size.heightPx) > maxEdgePx) {
    const { widthPx, heightPx } = size
    report(`${place}.data`, `${widthPx} × ${heightPx} pixels; an edge may have ${maxEdgePx} here`)
  }
}
