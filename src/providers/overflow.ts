// How each provider says «too long»: a table of wordings, each with its witness.
import type { Failure } from './failure.ts'

/** One wording. The witness is what a server really answered; numbers in it differ. */
export interface OverflowRow {
  readonly provider: string
  readonly code?: string
  readonly pattern: RegExp
  readonly witness: string
}

export const OVERFLOW_ROWS: readonly OverflowRow[] = [
  {
    provider: 'anthropic',
    pattern: /prompt is too long/i,
    witness: 'prompt is too long: 219898 tokens > 200000 maximum',
  },
  {
    provider: 'anthropic (input and output together)',
    pattern: /exceed context limit/i,
    witness: 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
  },
  {
    provider: 'openai chat',
    code: 'context_length_exceeded',
    pattern: /maximum context length is [\d,]+ tokens/i,
    witness:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  },
  {
    provider: 'openai responses',
    code: 'context_length_exceeded',
    pattern: /input exceeds the context window/i,
    witness: 'Your input exceeds the context window of this model. Please adjust your input.',
  },
  {
    provider: 'bedrock',
    pattern: /input is too long for requested model/i,
    witness: 'ValidationException: Input is too long for requested model.',
  },
  {
    provider: 'gemini, vertex',
    pattern: /input token count.{0,40}exceeds the maximum number of tokens/i,
    witness:
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
  },
  {
    provider: 'mistral',
    pattern: /too large for model with \d+ maximum context length/i,
    witness:
      'Prompt contains 300000 tokens, too large for model with 131072 maximum context length',
  },
  {
    provider: 'xai',
    pattern: /maximum prompt length is \d+ but the request contains/i,
    witness: "This model's maximum prompt length is 500000 but the request contains 637815 tokens.",
  },
  {
    provider: 'groq, cerebras',
    code: 'context_length_exceeded',
    pattern: /reduce the length of the messages or completion/i,
    witness: 'Please reduce the length of the messages or completion.',
  },
  {
    provider: 'openrouter',
    pattern: /endpoint's maximum context length is \d+ tokens/i,
    witness:
      "This endpoint's maximum context length is 128000 tokens. However, you requested about 175410 tokens",
  },
  {
    provider: 'together',
    pattern: /is longer than the model's context length/i,
    witness: "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
  },
  {
    provider: 'fireworks',
    pattern: /prompt is too long: \d+, model maximum context length/i,
    witness: 'The prompt is too long: 221782, model maximum context length: 202752',
  },
  {
    provider: 'lm studio',
    pattern: /tokens to keep from the initial prompt is greater than the context length/i,
    witness:
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978 >= n_ctx: 8192).',
  },
  {
    provider: 'llama.cpp',
    code: 'exceed_context_size_error',
    pattern: /exceeds the available context size/i,
    witness: 'the request exceeds the available context size, try increasing it',
  },
  {
    provider: 'llama.cpp (while answering)',
    pattern: /context size has been exceeded/i,
    witness: 'Context size has been exceeded.',
  },
  {
    provider: 'ollama',
    pattern: /prompt too long; exceeded (?:max )?context length/i,
    witness: 'prompt too long; exceeded max context length by 15935 tokens',
  },
  {
    provider: 'vllm',
    pattern: /maximum context length is \d+ tokens.*output tokens and your prompt contains/is,
    witness:
      "This model's maximum context length is 32768 tokens. However, you requested 8192 output tokens and your prompt contains at least 24577 input tokens",
  },
  {
    provider: 'litellm, sglang',
    pattern: /exceeds (?:the )?(?:model'?s )?maximum context length/i,
    witness: "Input length (265330) exceeds model's maximum context length (262144).",
  },
  {
    provider: 'github copilot',
    code: 'model_max_prompt_tokens_exceeded',
    pattern: /prompt token count of \d+ exceeds the limit of \d+/i,
    witness: 'prompt token count of 90000 exceeds the limit of 64000',
  },
  {
    provider: 'kimi',
    pattern: /exceeded model token limit/i,
    witness: 'Your request exceeded model token limit: 262144 (requested: 291351)',
  },
  {
    provider: 'minimax',
    pattern: /context window exceeds limit/i,
    witness: 'invalid params, context window exceeds limit',
  },
  {
    provider: 'qwen (dashscope)',
    pattern: /range of input length should be \[/i,
    witness: 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 202745]',
  },
]

export interface NotOverflowRow {
  readonly what: string
  readonly status?: number
  readonly pattern: RegExp
  readonly witness: string
}

/** Refusals that sound alike, although the context would fit: these are looked at first. */
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
    what: 'an output limit above that of the model',
    status: 400,
    pattern: /maximum allowed number of output tokens/i,
    witness:
      'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-opus-4-1',
  },
  {
    what: 'one string that is too long',
    status: 400,
    pattern: /string too long\. expected a string with maximum length/i,
    witness:
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2097152 instead.",
  },
]

/** Whether the context did not fit into the model's window: then compacting helps, waiting does not. */
export function isOverflow({
  status,
  codes,
  message,
}: Pick<Failure, 'status' | 'codes' | 'message'>) {
  if (status === 429 || NOT_OVERFLOW_ROWS.some(({ pattern }) => pattern.test(message))) return false
  return OVERFLOW_ROWS.some(
    ({ code, pattern }) => (code !== undefined && codes.includes(code)) || pattern.test(message),
  )
}

/** A request so large that no waiting lets it through a limit per minute. */
export function isOverLimitAlone(message: string): boolean {
  return /request too large/i.test(message) && /tokens per min/i.test(message)
}
