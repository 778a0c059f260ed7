// The overflow wordings of each provider, each with a real answer.

/** One wording. `witness` is a real answer of a server, with other numbers. */
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
  {
    provider: 'openai, azure (newer models)',
    code: 'context_length_exceeded',
    pattern: /input tokens exceed the configured limit of [\d,]+ tokens/i,
    witness:
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 402740 tokens. Please reduce the length of the messages.',
  },
  {
    provider: 'azure',
    code: 'context_length_exceeded',
    pattern: /maximum context length is [\d,]+ tokens/i,
    witness:
      "This model's maximum context length is 128000 tokens. However, you requested 131172 tokens (124171 in the messages, 7001 in the completion). Please reduce the length of the messages or completion.",
  },
  {
    provider: 'deepseek',
    pattern: /maximum context length is [\d,]+ tokens/i,
    witness:
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
  },
  {
    provider: 'bedrock (claude)',
    pattern: /prompt is too long|exceed context limit/i,
    witness:
      'The model returned the following errors: prompt is too long: 206456 tokens > 200000 maximum',
  },
  {
    provider: 'bedrock (nova)',
    pattern: /number of input tokens exceeds maximum length/i,
    witness:
      'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
  },
  {
    provider: 'vertex',
    pattern: /input token count is [\d,]+ but the model only supports up to/i,
    witness: 'The input token count is 32825 but the model only supports up to 32768',
  },
  {
    provider: 'cohere',
    pattern: /total number of tokens in the prompt cannot exceed/i,
    witness:
      'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, or enabling prompt truncating.',
  },
  {
    provider: 'openrouter (poolside)',
    pattern: /exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?/i,
    witness: 'Input length 131393 exceeds the maximum allowed input length of 131,040 tokens.',
  },
  {
    provider: 'deepinfra',
    pattern: /requested input length [\d,]+ exceeds maximum input length/i,
    witness: 'Requested input length 140023 exceeds maximum input length 131071',
  },
  {
    provider: 'lm studio (older)',
    pattern: /context length of only [\d,]+ tokens/i,
    witness:
      'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
  },
  {
    provider: 'lm studio (while answering)',
    pattern: /reached context length of [\d,]+ tokens/i,
    witness:
      'Reached context length of 32000 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow.',
  },
  {
    provider: 'llama.cpp (with its figures)',
    code: 'exceed_context_size_error',
    pattern: /exceeds the available context size/i,
    witness:
      'the request exceeds the available context size. try increasing the context size or enable context shift',
  },
  {
    provider: 'llama-cpp-python',
    pattern: /requested tokens \([\d,]+\) exceed context window of/i,
    witness: 'Requested tokens (2285) exceed context window of 2048',
  },
  {
    provider: 'ollama (runner)',
    pattern: /input length exceeds the context length/i,
    witness: 'the input length exceeds the context length',
  },
  {
    provider: 'vllm (messages alone)',
    pattern: /maximum context length is [\d,]+ tokens/i,
    witness:
      "This model's maximum context length is 131072 tokens. However, you requested 219523 tokens in the messages, Please reduce the length of the messages.",
  },
  {
    provider: 'vllm (input and output together)',
    pattern: /maximum context length is [\d,]+ tokens and your request has/i,
    witness:
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
  },
  {
    provider: 'vllm (its engine)',
    pattern: /prompt (?:\(length [\d,]+\) )?is longer than the maximum model length of/i,
    witness: 'The decoder prompt (length 12324) is longer than the maximum model length of 8192.',
  },
  {
    provider: 'vllm (nothing left for the answer)',
    pattern: /max_tokens must be at least 1, got -\d+/i,
    witness: 'max_tokens must be at least 1, got -186.',
  },
  {
    provider: 'text-generation-inference',
    pattern: /`inputs`(?: tokens \+ `max_new_tokens`)? must (?:be <=|have less than) [\d,]+/i,
    witness:
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3474 `inputs` tokens and 60 `max_new_tokens`',
  },
  {
    provider: 'zhipu, z.ai',
    code: '1261',
    pattern: /prompt (?:exceeds max length|超长)/i,
    witness: 'Prompt 超长',
  },
]
