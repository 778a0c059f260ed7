// Limits of a Chat Completions request: tools, images, text length
import type { Json } from '../../core/text/json.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { fieldsOf, listOf } from '../walk.ts'
import { callsOf, messagesOf, partsOf, textsOf } from './messages.ts'

const MAX_TOOLS = 128
// Of the caps published over time, the lower: 500 images, and 50 MB of them in one request.
const MAX_IMAGES = 500
const MAX_IMAGE_BYTES = 50_000_000
// Reported both as 2^20 and as ten times that; a strict backend is taken at the lower.
const MAX_TEXT_CHARS = 10_485_760
const MAX_TEXT_CHARS_STRICT = 1_048_576

const nothingIsTooMuch = rule('VALID-C10', ({ request, profile }, report) => {
  checkTools(request, report)
  checkImages(request, report)
  checkTexts(request, profile.strict ? MAX_TEXT_CHARS_STRICT : MAX_TEXT_CHARS, report)
})

export const LIMIT_RULES: readonly Rule[] = [nothingIsTooMuch]

function checkTools(request: Json, report: Report): void {
  const fields = fieldsOf(request)
  for (const name of ['tools', 'functions'] as const) {
    const { length } = listOf(fields[name])
    if (length > MAX_TOOLS) report(name, `${length} tools; ${MAX_TOOLS} are allowed`)
  }
}

/** Each cap is reported once, at the image that passes it. */
function checkImages(request: Json, report: Report): void {
  let count = 0
  let bytes = 0
  for (const { where, fields } of messagesOf(request).flatMap(partsOf)) {
    if (fields.type !== 'image_url') continue
    count += 1
    if (count === MAX_IMAGES + 1) report(where, `more than ${MAX_IMAGES} images`)
    const before = bytes
    bytes += imageBytes(fieldsOf(fields.image_url).url)
    if (before <= MAX_IMAGE_BYTES && bytes > MAX_IMAGE_BYTES) {
      report(where, `more than ${MAX_IMAGE_BYTES} bytes of images`)
    }
  }
}

/** Of an image inside the request; one behind a link is unknown, and counts nothing. */
function imageBytes(url: Json | undefined): number {
  if (typeof url !== 'string' || !url.startsWith('data:')) return 0
  return Math.floor(((url.length - url.indexOf(',') - 1) * 3) / 4)
}

function checkTexts(request: Json, limit: number, report: Report): void {
  const check = (where: string, text: Json | undefined) => {
    if (typeof text === 'string' && text.length > limit) {
      report(where, `a string of ${text.length} characters; ${limit} are allowed`)
    }
  }
  for (const message of messagesOf(request)) {
    for (const { where, text } of textsOf(message)) check(where, text)
    for (const { where, kind, body } of callsOf(message)) {
      const field = kind === 'custom' ? 'input' : 'arguments'
      check(`${where}.${kind}.${field}`, body[field])
    }
    const { arguments: text } = fieldsOf(message.fields.function_call)
    check(`${message.where}.function_call.arguments`, text)
  }
}
