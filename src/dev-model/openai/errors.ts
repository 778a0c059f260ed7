// OpenAI's errors in both APIs: status, type, parameter, code, and wording for broken rules
import type { Json } from '../../core/text/json.ts'
import type { Violation } from '../../validate/rule.ts'
import type { HttpAnswer, Refusal } from '../wire-format.ts'
import { chatWords, responsesWords, type Words } from './words.ts'

interface Told extends Words {
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

export function tellOpenai(wire: OpenaiWire, refusal: Refusal): Told {
  return tell(wire, refusal)
}

export function openaiError({ message, type, param, code }: Told): { readonly error: Json } {
  return { error: { message, type, param: param ?? null, code: code ?? null } }
}

function tell(wire: OpenaiWire, refusal: Refusal): Told {
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

function invalid(message: string, param?: string, code?: string): Told {
  return {
    status: 400,
    type: 'invalid_request_error',
    message,
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  }
}

function tellOverflow(wire: OpenaiWire, of: Extract<Refusal, { kind: 'overflow' }>): Told {
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

/** The provider's words, then which rule it was and what our own check says of it. */
function tellRule(wire: OpenaiWire, violation: Violation): Told {
  const { id, where, message } = violation
  const words = (wire === 'openai-chat' ? chatWords : responsesWords)(violation)
  const said = `${words?.message ?? message} (${id}: ${message})`
  return invalid(said, where, words?.code)
}
