// Turns failures of model access into PrecisErrors: what happened and what to do. Never contains keys.
import { PrecisError } from '../../core/errors.ts'
import { redactFailure } from '../../redact/redact-for.ts'
import { type Failure, findCauses, readFailure } from './failure.ts'
import {
  type FailureContext,
  type Kind,
  readAddress,
  readKind,
  setKey,
  timeoutHint,
} from './failure-kinds.ts'
import { isOverLimitAlone, namedLimit } from './overflow.ts'

/** Converts anything thrown by a request. Our own errors are returned unchanged. */
export function toPrecisError(thrown: unknown, context: FailureContext): PrecisError {
  const chain = findCauses(thrown)
  const ours = chain.find(PrecisError.is)
  if (ours) return ours.code === 'timeout' ? placed(ours, context) : ours
  const redact = buildRedactor(context)
  const failure = readFailure(thrown)
  const kind = readKind(failure, context)
  const said = shortened(redact(failure.message))
  const status = failure.status === undefined ? '' : ` (${failure.status})`
  const hint = kind.hint?.(context)
  return new PrecisError(kind.code, redact(`${kind.what(context)}${status}: ${said}`), {
    where: redact(findPlace(context)),
    ...(hint !== undefined && { hint: redact(hint) }),
    retryable: mayRetry(failure, kind),
    details: {
      ...readDetails(failure, context, redact),
      ...(kind.code === 'overflow' && readLimit(failure)),
    },
    cause: safeCause(chain, redact),
  })
}

/** The timer knows neither the server nor the setting; add both. */
function placed(late: PrecisError, context: FailureContext): PrecisError {
  const { code, message, retryable, details, cause } = late
  return new PrecisError(code, message, {
    where: buildRedactor(context)(findPlace(context)),
    hint: timeoutHint(context),
    retryable,
    details: { provider: context.provider, ...details },
    cause,
  })
}

/** A missing key: known before anything is sent. */
export function missingKey(context: FailureContext): PrecisError {
  const { provider } = context
  return new PrecisError('auth-failed', `There is no key for ${provider}.`, {
    where: buildRedactor(context)(findPlace(context)),
    hint: setKey(context),
    details: { provider },
  })
}

type Redact = (text: string) => string

function buildRedactor({ secrets }: FailureContext): Redact {
  const known = secrets.flatMap((value) => (value === undefined ? [] : [{ name: 'key', value }]))
  return (text) => redactFailure(text, known)
}

/** Follows the server's advice on retries, except for failures that can never pass. */
function mayRetry(failure: Failure, { code, retryable = false }: Kind): boolean {
  if (code === 'overflow' || isOverLimitAlone(failure.message)) return false
  const told = failure.header('x-should-retry')
  return told === 'true' || (retryable && told !== 'false')
}

function readDetails(failure: Failure, context: FailureContext, redact: Redact) {
  const requestId = failure.header('request-id') ?? failure.header('x-request-id')
  const waitMs = retryAfterMs(failure)
  return {
    provider: context.provider,
    ...(context.model !== undefined && { model: context.model }),
    ...(failure.status !== undefined && { status: failure.status }),
    ...(failure.codes.length > 0 && { codes: failure.codes.map(redact) }),
    ...(requestId !== undefined && { requestId: redact(requestId) }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  }
}

function readLimit({ message }: Failure) {
  const windowTokens = namedLimit(message)
  return windowTokens === undefined ? {} : { windowTokens }
}

/** How long the server asks to wait. Dates are ignored because clocks differ; the back-off applies. */
function retryAfterMs(failure: Failure): number | undefined {
  const ms = Number.parseFloat(failure.header('retry-after-ms') ?? '')
  const seconds = Number(failure.header('retry-after') ?? Number.NaN)
  const wait = Number.isFinite(ms) ? ms : seconds * 1_000
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined
}

/** Copies names and messages of the causes; the originals hold headers and bodies. */
function safeCause(chain: readonly unknown[], redact: Redact): Error | undefined {
  return chain.reduceRight<Error | undefined>((cause, each) => {
    const message = each instanceof Error ? each.message : String(each)
    const copy = new Error(shortened(redact(message)), cause && { cause })
    copy.name = each instanceof Error ? redact(each.name) : 'Thrown'
    copy.stack = `${copy.name}: ${copy.message}`
    return copy
  }, undefined)
}

const LONGEST_MESSAGE_CHARS = 600

/** Some servers answer with a web page. Call this after redaction: half a key is secret, too. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST_MESSAGE_CHARS ? line : `${line.slice(0, LONGEST_MESSAGE_CHARS)}…`
}

function findPlace({ provider, model, baseUrl }: FailureContext): string {
  return `${model === undefined ? provider : `${provider}/${model}`} at ${readAddress(baseUrl)}`
}
