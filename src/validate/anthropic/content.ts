// Texts, images and the window: limits on a request's content.
import type { Fields } from '../../core/text/json.ts'
import { imageSize } from '../../core/view/image-size.ts'
import { type Report, type Rule, rule, textsAreWellFormed } from '../rule.ts'
import { isGiven, jsonBytes, readFields, readText } from '../walk.ts'
import { asksForCompaction } from './compaction.ts'
import {
  type Block,
  fieldPlace,
  findConversation,
  isThinking,
  type Message,
  systemBlocks,
  withNested,
} from './conversation.ts'
import { isPaused } from './server-tools.ts'

const textsAreNotBlank = rule('VALID-A9', (input, report) => {
  for (const block of systemBlocks(input.request)) checkText(block, report)
  for (const { blocks } of findConversation(input)) {
    for (const block of blocks) {
      for (const each of withNested(block)) checkText(each, report)
    }
  }
})

function checkText(block: Block, report: Report): void {
  const { type, fields, place } = block
  if (type === 'text') {
    const text = readText(fields.text)
    if (text === undefined) report(fieldPlace(block, 'text'), 'a text block has no text')
    else if (text.trim() === '') report(fieldPlace(block, 'text'), 'the text is blank')
  }
  if (isThinking(block) && isGiven(fields.cache_control)) {
    report(`${place}.cache_control`, 'thinking cannot carry a mark for the cache')
  }
}

const endsAsItMay = rule('VALID-A10', (input, report) => {
  const { request, profile } = input
  const last = findConversation(input).at(-1)
  if (last?.role !== 'assistant' || asksForCompaction(request) || isPaused(last, input)) return
  if (profile.prefill) checkEnd(last, report)
  else {
    report(last.place, 'the model takes no unfinished answer: the last message must be the user’s')
  }
})

function checkEnd({ blocks }: Message, report: Report): void {
  const last = blocks.at(-1)
  if (last?.type !== 'text') return
  const text = readText(last.fields.text) ?? ''
  // Blank texts belong to VALID-A9.
  if (text.trim() !== '' && text !== text.trimEnd()) {
    report(fieldPlace(last, 'text'), 'the unfinished answer ends in a blank')
  }
}

export const TEXT_RULES: readonly Rule[] = [textsAreNotBlank, endsAsItMay, textsAreWellFormed]

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Counted as in the API's errors: base64 text in units of 1,024. */
const IMAGE_BYTES = 5 * 1024 * 1024

const REQUEST_BYTES = 32_000_000

const MAX_EDGE_PX = 8_000

/** With more images than this, each must be smaller. */
const FEW_IMAGES = 20

const MAX_EDGE_OF_MANY_PX = 2_000

const LARGE_WINDOW_TOKENS = 200_000

const imagesFit = rule('VALID-A18', (input, report) => {
  const { request, profile } = input
  const images = findConversation(input)
    .flatMap(({ blocks }) => blocks.flatMap((block) => withNested(block)))
    .filter(({ type }) => type === 'image')
  const maxImages = (profile.windowTokens ?? 0) > LARGE_WINDOW_TOKENS ? 600 : 100
  const maxEdgePx = images.length > FEW_IMAGES ? MAX_EDGE_OF_MANY_PX : MAX_EDGE_PX
  for (const [index, { fields, place }] of images.entries()) {
    if (index >= maxImages) report(place, `an image beyond the ${maxImages} allowed`)
    checkSource(readFields(fields.source), `${place}.source`, maxEdgePx, report)
  }
  const maxBytes = profile.requestBytes ?? REQUEST_BYTES
  const bytes = jsonBytes(request)
  if (bytes > maxBytes) report('request', `a body of ${bytes} bytes; ${maxBytes} are allowed`)
})

/** Number, size and types of images, and the size of the request. */
export const IMAGE_RULES: readonly Rule[] = [imagesFit]

function checkSource(source: Fields, place: string, maxEdgePx: number, report: Report): void {
  if (source.type !== 'base64') return
  if (!MEDIA_TYPES.includes(readText(source.media_type) ?? '')) {
    report(`${place}.media_type`, `an image must be one of ${MEDIA_TYPES.join(', ')}`)
  }
  const data = readText(source.data) ?? ''
  if (data === '') report(`${place}.data`, 'an image without data')
  if (data.length > IMAGE_BYTES) {
    report(`${place}.data`, `an image of ${data.length} bytes; ${IMAGE_BYTES} are allowed`)
  }
  const size = imageSize(data)
  if (size !== undefined && Math.max(size.widthPx, size.heightPx) > maxEdgePx) {
    const { widthPx, heightPx } = size
    report(`${place}.data`, `${widthPx} × ${heightPx} pixels; an edge may have ${maxEdgePx} here`)
  }
}

/** Newer models stop early instead, and reject only requests without any room for an answer. */
const windowHoldsBoth = rule('VALID-A19', ({ request, profile, requestTokens }, report) => {
  const { windowTokens, stopsAtWindow = false } = profile
  if (windowTokens === undefined || requestTokens === undefined) return
  const { max_tokens } = readFields(request)
  const answerTokens = typeof max_tokens === 'number' && !stopsAtWindow ? max_tokens : 0
  if (requestTokens + answerTokens <= windowTokens) return
  report(
    'max_tokens',
    `${requestTokens} tokens and ${answerTokens} for the answer exceed the window of ${windowTokens}`,
  )
})

/** The window rule: the request and the maximum answer fit together. */
export const WINDOW_RULES: readonly Rule[] = [windowHoldsBoth]
