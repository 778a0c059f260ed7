// Rules for the content of a Chat Completions request: limits, and what each role may contain.
import { isFields, type Json } from '../../core/text/json.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { readFields, readList } from '../walk.ts'
import { type ChatMessage, findCalls, readMessages, readParts, readTexts } from './tool-rounds.ts'

const MAX_TOOLS = 128

// The lower of the caps published over time: 500 images, 50 MB of them in one request.
const MAX_IMAGES = 500

const MAX_IMAGE_BYTES = 50_000_000

// Reported as 2^20 and as ten times that; strict backends use the lower.
const MAX_TEXT_CHARS = 10_485_760

const MAX_TEXT_CHARS_STRICT = 1_048_576

const nothingIsTooMuch = rule('VALID-C10', ({ request, profile }, report) => {
  checkTools(request, report)
  checkImages(request, report)
  checkTexts(request, profile.strict ? MAX_TEXT_CHARS_STRICT : MAX_TEXT_CHARS, report)
})

export const LIMIT_RULES: readonly Rule[] = [nothingIsTooMuch]

function checkTools(request: Json, report: Report): void {
  const fields = readFields(request)
  for (const name of ['tools', 'functions'] as const) {
    const { length } = readList(fields[name])
    if (length > MAX_TOOLS) report(name, `${length} tools; ${MAX_TOOLS} are allowed`)
  }
}

/** Each cap is reported once, at the image that exceeds it. */
function checkImages(request: Json, report: Report): void {
  let count = 0
  let bytes = 0
  for (const { where, fields } of readMessages(request).flatMap(readParts)) {
    if (fields.type !== 'image_url') continue
    count += 1
    if (count === MAX_IMAGES + 1) report(where, `more than ${MAX_IMAGES} images`)
    const before = bytes
    bytes += imageBytes(readFields(fields.image_url).url)
    if (before <= MAX_IMAGE_BYTES && bytes > MAX_IMAGE_BYTES) {
      report(where, `more than ${MAX_IMAGE_BYTES} bytes of images`)
    }
  }
}

/** The bytes of an inline image; a linked one is unknown and counts nothing. */
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
  for (const message of readMessages(request)) {
    for (const { where, text } of readTexts(message)) check(where, text)
    for (const { where, kind, body } of findCalls(message)) {
      const field = kind === 'custom' ? 'input' : 'arguments'
      check(`${where}.${kind}.${field}`, body[field])
    }
    const { arguments: text } = readFields(message.fields.function_call)
    check(`${message.where}.function_call.arguments`, text)
  }
}

const SPEAKERS = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

/**
 * Read strictly: a request without messages, a message without a known role, and an empty text
 * of user or system all lack the content that is required. Text of blanks alone counts as empty
 * on strict backends. What a tool says is VALID-C7.
 */
const contentIsThere = rule('VALID-C4', ({ request, profile }, report) => {
  const values = readList(readFields(request).messages)
  if (values.length === 0) report('messages', 'there are no messages')
  for (const [index, message] of readMessages(request).entries()) {
    const { where, role, fields } = message
    if (!isFields(values[index])) report(where, 'a message is an object')
    else if (role === undefined || !SPEAKERS.has(role)) {
      report(`${where}.role`, 'the role is none of the known ones')
    } else if (role === 'function') {
      // A function may answer with an empty text, but must answer.
      if (typeof fields.content !== 'string') report(`${where}.content`, 'a text is required')
    } else if (role !== 'tool' && !saysSomething(message, profile.strict) && !isExcused(message)) {
      report(`${where}.content`, `content of the role ${role} may not be empty here`)
    }
  }
})

/** An empty list is rejected like an image: it is neither a string nor text parts. */
const toolContentIsText = rule('VALID-C7', ({ request }, report) => {
  for (const message of readMessages(request)) {
    if (message.role !== 'tool' || typeof message.fields.content === 'string') continue
    const parts = readParts(message)
    if (parts.length === 0) report(`${message.where}.content`, 'a string or text parts are needed')
    for (const { where, fields } of parts) {
      if (fields.type !== 'text' || typeof fields.text !== 'string') {
        report(where, 'a tool message takes text parts only')
      }
    }
  }
})

const systemIsFirstAndSingle = rule('VALID-C8', ({ request, profile }, report) => {
  if (!profile.strict) return // the original accepts them anywhere
  for (const { where, role } of readMessages(request).slice(1)) {
    if (role === 'system' || role === 'developer') {
      report(where, `this backend takes one ${role} message, and only as the first`)
    }
  }
})

/** The word may be in any role's text; names and arguments do not count. */
const jsonIsMentioned = rule('VALID-C11', ({ request }, report) => {
  if (readFields(readFields(request).response_format).type !== 'json_object') return
  const isNamed = readMessages(request).some((message) =>
    readTexts(message).some(({ text }) => /json/i.test(text)),
  )
  if (!isNamed) report('response_format', 'json_object needs the word «json» in a message')
})

/** Rules for the content of each role in Chat Completions, and for system messages. */
export const CONTENT_RULES: readonly Rule[] = [
  contentIsThere,
  toolContentIsText,
  systemIsFirstAndSingle,
  jsonIsMentioned,
]

function saysSomething({ fields }: ChatMessage, refusesBlank: boolean): boolean {
  const { content } = fields
  if (typeof content === 'string') return isText(content, refusesBlank)
  return readList(content).some((value) => {
    const part = readFields(value)
    return part.type === 'text' ? isText(part.text, refusesBlank) : isFields(value)
  })
}

function isText(value: Json | undefined, refusesBlank: boolean): boolean {
  return typeof value === 'string' && (refusesBlank ? /\S/.test(value) : value !== '')
}

/** An answer may consist of calls, a refusal or audio alone. */
function isExcused({ role, fields }: ChatMessage): boolean {
  if (role !== 'assistant') return false
  return (
    readList(fields.tool_calls).length > 0 ||
    isFields(fields.function_call) ||
    isFields(fields.audio) ||
    isText(fields.refusal, false)
  )
}
