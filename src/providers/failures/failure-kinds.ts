// The kinds of model failures: how to recognise each, and its hint.
import type { ErrorCode } from '../../core/errors.ts'
import type { Failure } from './failure.ts'
import { isOutputLimit, isOverflow, isOverLimitAlone } from './overflow.ts'

/** The model and server asked: enough to say what to do next. */
export interface FailureContext {
  readonly provider: string
  readonly baseUrl: string
  readonly model?: string
  /** The variable of the key; absent if no key is needed. */
  readonly keyVariable?: string
  /** Texts that must not be shown: keys and tokens. */
  readonly secrets: readonly (string | undefined)[]
}

/** One kind of failure. The first matching row counts. */
export interface Kind {
  readonly code: ErrorCode
  readonly retryable?: boolean
  fits(failure: Failure, context: FailureContext): boolean
  what(context: FailureContext): string
  hint?(context: FailureContext): string
}

export function readKind(failure: Failure, context: FailureContext): Kind {
  return KINDS.find(({ fits }) => fits(failure, context)) ?? UNKNOWN
}

/** Only server and path: other parts of an address may be secret. */
export function readAddress(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl
  const { protocol, host, pathname } = new URL(baseUrl)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

export function setKey({ provider, keyVariable }: FailureContext): string {
  return keyVariable === undefined
    ? `Check the key that the server behind providers.${provider}.baseUrl expects.`
    : `Set ${keyVariable} to a valid key.`
}

export function timeoutHint({ provider }: FailureContext): string {
  return `Try again later, or set a longer providers.${provider}.timeoutMs.`
}

const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$|HOSTNAME_MISMATCH$)/
const NO_ANSWER =
  /^(?:ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|timeout_error|request_timeout)$/
const NO_SERVER =
  /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ERR_INVALID_URL)$/
const BROKEN_LINE = /^(?:ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_ABORTED)$/

const KINDS: readonly Kind[] = [
  {
    code: 'overflow',
    fits: (failure) => isOverflow(failure),
    what: ({ provider }) => `The request is longer than the window of the model at ${provider}`,
    hint: () => 'Compact the conversation, or choose a model with a larger window.',
  },
  {
    code: 'invalid-request',
    fits: ({ status, message }) => (status ?? 400) === 400 && isOutputLimit(message),
    what: ({ provider }) => `The model at ${provider} does not answer at such length`,
    hint: ({ provider, model }) =>
      `Ask for fewer output tokens: set outputTokens of ${provider}/${model ?? 'MODEL'} in catalogue.`,
  },
  {
    code: 'no-credit',
    fits: (failure) =>
      failure.status === 402 ||
      has(failure, /^(?:billing_error|insufficient_quota|insufficient_balance)$/) ||
      /credit balance is too low|exceeded your current quota/i.test(failure.message),
    what: ({ provider }) => `The account at ${provider} has no credit`,
    hint: ({ provider }) => `Add credit at ${provider}, or choose another model.`,
  },
  {
    code: 'auth-failed',
    fits: (failure) =>
      failure.status === 401 ||
      has(failure, /^(?:authentication_error|invalid_api_key|API_KEY_INVALID)$/) ||
      /api key not valid/i.test(failure.message),
    what: ({ provider }) => `${provider} refused the key`,
    hint: setKey,
  },
  {
    code: 'auth-failed',
    fits: ({ message }) => /invalid header value|ByteString/.test(message),
    what: ({ provider }) => `The key for ${provider} has characters that no key has`,
    hint: setKey,
  },
  {
    code: 'auth-failed',
    fits: (failure) => failure.status === 403 || has(failure, /^permission_(?:error|denied)$/i),
    what: ({ provider, model }) => `The key of ${provider} may not use ${model ?? 'this'}`,
    hint: () => 'Use a key of an account that has access, or choose another model.',
  },
  {
    code: 'tls-failed',
    fits: (failure) => has(failure, TLS),
    what: ({ baseUrl }) => `No safe connection to ${readAddress(baseUrl)}`,
    hint: () =>
      'If the server uses a private certificate, name its authority in NODE_EXTRA_CA_CERTS; otherwise check the base URL and the time of this machine.',
  },
  {
    code: 'timeout',
    retryable: true,
    fits: (failure) =>
      failure.status === 408 ||
      failure.status === 504 ||
      has(failure, NO_ANSWER) ||
      hungUp(failure),
    what: ({ baseUrl }) => `${readAddress(baseUrl)} did not answer in time`,
    hint: timeoutHint,
  },
  {
    code: 'unreachable',
    fits: (failure) => has(failure, NO_SERVER) || /unexpected redirect/i.test(failure.message),
    what: ({ baseUrl }) => `There is no model server at ${readAddress(baseUrl)}`,
    hint: ({ provider }) =>
      `Start the server, or set another address in providers.${provider}.baseUrl.`,
  },
  {
    code: 'unreachable',
    retryable: true,
    fits: (failure) =>
      has(failure, BROKEN_LINE) || /^(?:terminated|other side closed)/.test(failure.message),
    what: ({ baseUrl }) => `The connection to ${readAddress(baseUrl)} broke`,
    hint: () => 'Check the network, then try again.',
  },
  {
    code: 'model-not-found',
    fits: (failure, { model }) =>
      has(failure, /^model_not_found$/) ||
      (failure.status === 404 && saysModel(failure.message, model)),
    what: ({ provider, model }) => `${provider} has no model ${model ?? 'of this name'}`,
    hint: ({ provider }) =>
      provider === 'ollama'
        ? 'Pull it first (ollama pull …), or choose one that `ollama list` shows.'
        : 'Check the name of the model, and whether this key may use it.',
  },
  {
    code: 'unreachable',
    fits: ({ status }) => status === 404 || status === 405,
    what: ({ provider, baseUrl }) => `The API of ${provider} is not at ${readAddress(baseUrl)}`,
    hint: ({ provider }) => `Check providers.${provider}.baseUrl.`,
  },
  {
    code: 'rate-limited',
    fits: ({ message }) => isOverLimitAlone(message),
    what: ({ provider }) => `This single request exceeds the rate limit per minute of ${provider}`,
    hint: () => 'Compact the conversation, or ask for a higher limit: waiting does not help.',
  },
  {
    code: 'payload-too-large',
    fits: (failure) => failure.status === 413 || has(failure, /^request_too_large$/),
    what: ({ provider }) => `The request has more bytes than ${provider} takes`,
    hint: () => 'Remove images or documents, or compact the conversation.',
  },
  {
    code: 'overloaded',
    retryable: true,
    fits: (failure) =>
      failure.status === 503 || failure.status === 529 || has(failure, /^overloaded_error$/),
    what: ({ provider }) => `${provider} is overloaded`,
    hint: () => 'Wait a little and try again, or choose another model.',
  },
  {
    code: 'rate-limited',
    retryable: true,
    fits: (failure) =>
      failure.status === 429 ||
      has(
        failure,
        /^(?:rate_limit_error|rate_limit_exceeded|RESOURCE_EXHAUSTED|ThrottlingException)$/,
      ),
    what: ({ provider }) => `${provider} limits how much may be asked at a time`,
    hint: () => 'Wait as long as it says, or ask for a higher limit.',
  },
  {
    code: 'model-failed',
    retryable: true,
    fits: (failure) =>
      (failure.status ?? 0) >= 500 ||
      failure.status === 409 ||
      has(failure, /^(?:api_error|server_error)$/),
    what: ({ provider }) => `${provider} failed`,
    hint: () => 'Try again later.',
  },
  {
    code: 'invalid-request',
    fits: (failure) =>
      failure.status === 400 || failure.status === 422 || has(failure, /^invalid_request_error$/),
    what: ({ provider }) => `${provider} refused the request`,
    hint: () => 'If the settings are right, this is a bug: please report it with this message.',
  },
]

const UNKNOWN: Kind = {
  code: 'model-failed',
  fits: () => true,
  what: ({ provider }) => `Asking ${provider} failed`,
}

function has(failure: Failure, pattern: RegExp): boolean {
  return failure.codes.some((code) => pattern.test(code))
}

/** The SDKs mark their own timeout only by these words. */
function hungUp({ message }: Failure): boolean {
  return /^request timed out/i.test(message)
}

function saysModel(message: string, model: string | undefined): boolean {
  return /model/i.test(message) || (model !== undefined && message.includes(model))
}
