// OpenAI's errors in both APIs: status, type, parameter, code, and wording for broken rules.
import type { Json } from '../../core/text/json.ts'
import type { Violation } from '../../validate/rule.ts'
import type { HttpAnswer, Refusal } from '../wire-format.ts'

interface ErrorFields extends Words {
  readonly status: number
  readonly type: string
  readonly param?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json
}

export type OpenaiWire = 'openai-chat' | 'openai-responses'

export function refuseOpenai(wire: OpenaiWire, refusal: Refusal): HttpAnswer {
  const told = tell(wire, refusal)
  return {
    status: told.status,
    body: told.body ?? openaiError(told),
    ...(told.headers && { headers: told.headers }),
  }
}

export function tellOpenai(wire: OpenaiWire, refusal: Refusal): ErrorFields {
  return tell(wire, refusal)
}

export function openaiError({ message, type, param, code }: ErrorFields): { readonly error: Json } {
  return { error: { message, type, param: param ?? null, code: code ?? null } }
}

function tell(wire: OpenaiWire, refusal: Refusal): ErrorFields {
  switch (refusal.kind) {
    case 'invalid': {
      const { message, param, code, status = 400, body } = refusal
      return { ...invalid(message, param, code), status, ...(body !== undefined && { body }) }
    }
    case 'rules':
      return tellRule(wire, refusal.violations[0])
    case 'overflow':
      return tellOverflow(wire, refusal)
    case 'unauthorised':
      return refusal.isMissing
        ? { ...invalid("You didn't provide an API key."), status: 401 }
        : { ...invalid('Incorrect API key provided.', undefined, 'invalid_api_key'), status: 401 }
    case 'not-found':
      return { ...invalid(notFound(refusal.message), undefined, refusal.code), status: 404 }
    case 'too-large':
      return { ...invalid('The request is too large.'), status: 413 }
    case 'rate-limit':
      return {
        status: 429,
        type: 'requests',
        message: `Rate limit reached for requests. Please try again in ${refusal.retryAfterS}s.`,
        code: 'rate_limit_exceeded',
        headers: { 'retry-after': String(refusal.retryAfterS) },
      }
    case 'overloaded': {
      const message = 'The engine is currently overloaded, please try again later'
      return { status: 503, type: 'server_error', message }
    }
    case 'server-error': {
      const message = 'The server had an error while processing your request. Sorry about that!'
      return { status: 500, type: 'server_error', message, code: 'server_error' }
    }
  }
}

function notFound(message: string): string {
  return message.replace(
    /^model: (.*)$/,
    'The model `$1` does not exist or you do not have access to it.',
  )
}

function invalid(message: string, param?: string, code?: string): ErrorFields {
  return {
    status: 400,
    type: 'invalid_request_error',
    message,
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  }
}

function tellOverflow(wire: OpenaiWire, of: Extract<Refusal, { kind: 'overflow' }>): ErrorFields {
  const code = 'context_length_exceeded'
  if (wire === 'openai-responses') {
    const message =
      'Your input exceeds the context window of this model. Please adjust your input and try again.'
    return invalid(message, 'input', code)
  }
  const { inputTokens, outputTokens, windowTokens } = of
  const limit = `This model's maximum context length is ${windowTokens} tokens.`
  const sizes =
    inputTokens > windowTokens
      ? `However, your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`
      : `However, you requested ${inputTokens + outputTokens} tokens (${inputTokens} in the messages, ${outputTokens} in the completion). Please reduce the length of the messages or completion.`
  return invalid(`${limit} ${sizes}`, 'messages', code)
}

/** The provider's wording, then the rule and what our own check reports. */
function tellRule(wire: OpenaiWire, violation: Violation): ErrorFields {
  const { id, where, message } = violation
  const words = (wire === 'openai-chat' ? chatWords : responsesWords)(violation)
  const said = `${words?.message ?? message} (${id}: ${message})`
  return invalid(said, where, words?.code)
}

/** OpenAI's wording for broken rules, where known. */
interface Words {
  readonly message: string
  readonly code?: string
}

function chatWords({ id, where }: Violation): Words | undefined {
  switch (id) {
    case 'VALID-C1':
      return {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Some tool_call_ids did not have response messages.",
      }
    case 'VALID-C2':
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      }
    case 'VALID-C3':
      return where.endsWith('.tool_calls')
        ? {
            message: `Invalid '${where}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
            code: 'empty_array',
          }
        : {
            message: `Invalid '${where}': string too long. Expected a string with maximum length 40.`,
            code: 'string_above_max_length',
          }
    case 'VALID-C4':
      return { message: "Invalid value for 'content': expected a string, got null." }
    case 'VALID-C5':
      return {
        message: `Invalid type for '${where}': expected a string, but got an object instead.`,
        code: 'invalid_type',
      }
    case 'VALID-C6':
      return {
        message: `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        code: 'invalid_value',
      }
    case 'VALID-C7':
      return { message: "Invalid content type: a message with role 'tool' takes text only." }
    case 'VALID-C9':
      return {
        message:
          "Messages with role 'function' must be a response to a preceding message with 'function_call'.",
      }
    case 'VALID-C10':
      return where === 'tools' || where === 'functions'
        ? {
            message: `Invalid '${where}': array too long. Expected an array with maximum length 128.`,
            code: 'array_above_max_length',
          }
        : { message: `Invalid '${where}': string too long.`, code: 'string_above_max_length' }
    case 'VALID-C11':
      return {
        message:
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      }
    case 'VALID-O4':
      return {
        message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
      }
    default:
      return undefined
  }
}

function responsesWords({ id, where, message }: Violation): Words | undefined {
  switch (id) {
    case 'VALID-R1':
      return { message: 'No tool call found for function call output with this call_id.' }
    case 'VALID-R2':
      return { message: 'No tool output found for function call.' }
    case 'VALID-R3':
      return message.startsWith('the item that followed')
        ? {
            message: "Item of type 'reasoning' was provided without its required following item.",
          }
        : { message: "Item was provided without its required 'reasoning' item." }
    case 'VALID-R4':
      return message.includes('twice')
        ? { message: 'Duplicate item found. Remove duplicate items from your input and try again.' }
        : { message: `Invalid '${where}'.`, code: 'invalid_value' }
    case 'VALID-R5':
      return {
        message: 'The encrypted content for this item could not be verified.',
        code: 'invalid_encrypted_content',
      }
    case 'VALID-R6':
      return { message: `Invalid value at '${where}'.`, code: 'invalid_value' }
    case 'VALID-R9':
      return { message: "Item was provided without its required 'reasoning' item." }
    case 'VALID-R10':
      return { message: `Invalid '${where}': expected a string.`, code: 'invalid_type' }
    default:
      return undefined
  }
}
