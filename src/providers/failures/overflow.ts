// Decides whether a failure is a context overflow, from two tables of wordings.
import type { Failure } from './failure.ts'
import { OVERFLOW_ROWS } from './overflow-rows.ts'

type Refusal = Pick<Failure, 'status' | 'codes' | 'message'>

/** Whether the context exceeded the window: compacting helps, waiting does not. */
export function isOverflow({ status, codes, message }: Refusal): boolean {
  if (status === 429 || NOT_OVERFLOW_ROWS.some(({ pattern }) => pattern.test(message))) return false
  if (isOutputLimit(message)) return false
  return OVERFLOW_ROWS.some(
    ({ code, pattern }) => (code !== undefined && codes.includes(code)) || pattern.test(message),
  )
}

const MESSAGES_AND_COMPLETION =
  /context length is ([\d,]+) tokens.{0,120}?\([\d,]+ in (?:the messages|your prompt)[,;] ([\d,]+) (?:in|for) the completion/is

/** Whether more output was requested than the model can write, or than its whole window. */
export function isOutputLimit(message: string): boolean {
  if (OUTPUT_LIMIT_ROWS.some(({ pattern }) => pattern.test(message))) return true
  const [, window, completion] = MESSAGES_AND_COMPLETION.exec(message) ?? []
  return window !== undefined && readNumber(completion) >= readNumber(window)
}

const LIMITS: readonly RegExp[] = [
  />\s*([\d,]*\d)/,
  /\bwith ([\d,]+) maximum context length/i,
  /(?:(?:context|maximum (?:allowed )?(?:prompt|input|model)) length(?: is| of(?: only)?|:)?|\blimit(?: of|:)|tokens allowed|supports up to|cannot exceed|context window of|n_ctx:|must (?:be <=|have less than)|should be \[1,)\s*\(?([\d,]*\d)/i,
]

/** How many tokens fit, where an overflow says so. */
export function namedLimit(message: string): number | undefined {
  const found = LIMITS.map((pattern) => pattern.exec(message)?.[1]).find(Boolean)
  return found === undefined ? undefined : readNumber(found)
}

function readNumber(text = ''): number {
  return Number(text.replaceAll(',', ''))
}

/** A request too large for a limit per minute, however long one waits. */
export function isOverLimitAlone(message: string): boolean {
  return /request too large/i.test(message) && /tokens per min/i.test(message)
}

/** Wordings that look like an overflow but are not, each with a real answer. */
interface NotOverflowRow {
  readonly what: string
  readonly status?: number
  readonly pattern: RegExp
  readonly witness: string
}

/** Similar refusals although the context would fit; checked first. */
export const NOT_OVERFLOW_ROWS: readonly NotOverflowRow[] = [
  {
    what: 'anthropic: tokens a minute',
    status: 429,
    pattern: /rate limit/i,
    witness:
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
  },
  {
    what: 'openai: tokens a minute, in one request',
    status: 429,
    pattern: /tokens per min(?:ute)? \(TPM\)/i,
    witness:
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 34307. The input or output tokens must be reduced in order to run successfully.',
  },
  {
    what: 'groq: tokens a minute, as a 413',
    status: 413,
    pattern: /tokens per minute \(TPM\)/i,
    witness:
      'Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 15041, please reduce your message size and try again.',
  },
  {
    what: 'bedrock: throttling',
    pattern: /please wait before trying again/i,
    witness: 'ThrottlingException: Too many tokens, please wait before trying again.',
  },
  {
    what: 'bytes of the request',
    status: 413,
    pattern: /exceeds the maximum (?:size|allowed number of bytes)/i,
    witness: 'Request exceeds the maximum size',
  },
  {
    what: 'bytes of an image',
    status: 400,
    pattern: /image exceeds [\d.]+ MB maximum/i,
    witness:
      'messages.46.content.9.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes',
  },
  {
    what: 'pixels of an image',
    status: 400,
    pattern: /image dimensions exceed max allowed size/i,
    witness:
      'messages.34.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  },
  {
    what: 'one string that is too long',
    status: 400,
    pattern: /string too long\. expected a string with maximum length/i,
    witness:
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2097152 instead.",
  },
  {
    what: 'openai: tokens a minute, over several requests',
    status: 429,
    pattern: /rate limit reached for/i,
    witness:
      'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 28111, Requested 2914. Please try again in 2.05s.',
  },
  {
    what: 'azure: tokens a minute',
    pattern: /exceeded (?:the )?token rate limit/i,
    witness:
      'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 60 seconds.',
  },
  {
    what: 'anthropic: tokens a day',
    pattern: /exceeded your (?:daily|per-minute) rate limit/i,
    witness:
      'Number of request tokens has exceeded your daily rate limit (https://docs.anthropic.com/en/api/rate-limits)',
  },
  {
    what: 'bedrock: tokens a day',
    pattern: /too many tokens per day/i,
    witness: 'ThrottlingException: Too many tokens per day, please wait before trying again.',
  },
  {
    what: 'gemini: tokens a minute',
    status: 429,
    pattern: /exceeded your current quota/i,
    witness:
      'You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000',
  },
  {
    what: 'gemini: bytes of the request',
    status: 400,
    pattern: /payload size exceeds the limit/i,
    witness: 'Request payload size exceeds the limit: 20971520 bytes.',
  },
  {
    what: 'a gate: bytes of the request',
    status: 413,
    pattern: /request entity too large|content too large/i,
    witness: '<html><head><title>413 Request Entity Too Large</title></head></html>',
  },
  {
    what: 'how many images there are',
    status: 400,
    pattern: /too many images/i,
    witness: 'messages: Too many images and documents: 120 > 100',
  },
  {
    what: 'how many pages a document has',
    status: 400,
    pattern: /maximum of [\d,]+ PDF pages/i,
    witness: 'A maximum of 100 PDF pages may be provided.',
  },
  {
    what: 'how many tools there are',
    status: 400,
    pattern: /array too long\. expected an array with maximum length/i,
    witness:
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.",
  },
]

/** Refusals of an output limit: ask for fewer tokens instead of shortening the context. */
export const OUTPUT_LIMIT_ROWS: readonly NotOverflowRow[] = [
  {
    what: 'anthropic: an output limit above that of the model',
    status: 400,
    pattern: /maximum allowed number of output tokens/i,
    witness:
      'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-opus-4-1',
  },
  {
    what: 'openai: an output limit above that of the model',
    status: 400,
    pattern: /supports at most [\d,]+ completion tokens/i,
    witness:
      'max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.',
  },
  {
    what: 'doubao: an output limit above that of the model',
    status: 400,
    pattern: /`?max_(?:completion_|output_)?tokens`? specified in the request are not valid/i,
    witness:
      'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.',
  },
  {
    what: 'others: an output limit above that of the model',
    status: 400,
    pattern: /max_(?:completion_|output_)?tokens exceeds the (?:limit|maximum) of/i,
    witness: 'max_tokens exceeds the limit of 8192',
  },
]
