// Every failure becomes one of ours with a next step, and no key gets through.
import { inspect } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { PrecisError } from '../../core/errors.ts'
import type { FailureContext } from './failure-kinds.ts'
import { missingKey, toPrecisError } from './failures.ts'

const CONTEXT: FailureContext = {
  provider: 'anthropic',
  baseUrl: 'https://api.example',
  model: 'claude-x',
  keyVariable: 'ANTHROPIC_API_KEY',
  secrets: ['sk-ant-0123456789abcdef'],
}

/** As the SDK makes it of an answer with this status and body. */
function answered(status: number, type: string, message: string, headers = {}): unknown {
  const body = { type: 'error', error: { type, message } }
  return Anthropic.APIError.generate(status, body, undefined, new Headers(headers))
}

/** As the SDK makes it of an error event in a stream: there is no status. */
function streamed(type: string, message: string): unknown {
  return new Anthropic.APIError(undefined, { error: { type, message } }, undefined, new Headers())
}

/** As fetch makes it, in the wrapping of the SDK. */
function disconnected(code: string): unknown {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  return new Anthropic.APIConnectionError({ message: 'Connection error.', cause })
}

const ROWS: readonly (readonly [
  what: string,
  thrown: unknown,
  code: string,
  retryable: boolean,
])[] = [
  ['a wrong key', answered(401, 'authentication_error', 'invalid x-api-key'), 'auth-failed', false],
  ['no permission', answered(403, 'permission_error', 'not yours'), 'auth-failed', false],
  [
    'an unknown model',
    answered(404, 'not_found_error', 'model: claude-x'),
    'model-not-found',
    false,
  ],
  ['a wrong path', answered(404, 'not_found_error', 'Not Found'), 'unreachable', false],
  [
    'no credit',
    answered(400, 'invalid_request_error', 'Your credit balance is too low'),
    'no-credit',
    false,
  ],
  ['a bill', answered(402, 'billing_error', 'pay first'), 'no-credit', false],
  [
    'too long',
    answered(400, 'invalid_request_error', 'prompt is too long: 2 tokens > 1 maximum'),
    'overflow',
    false,
  ],
  [
    'too many bytes',
    answered(413, 'request_too_large', 'Request exceeds the maximum size'),
    'payload-too-large',
    false,
  ],
  ['too much at a time', answered(429, 'rate_limit_error', 'slow down'), 'rate-limited', true],
  [
    'too much for a minute',
    answered(
      429,
      'tokens',
      'Request too large for gpt-4o on tokens per min (TPM): Limit 3, Requested 4',
    ),
    'rate-limited',
    false,
  ],
  ['too many others', answered(529, 'overloaded_error', 'Overloaded'), 'overloaded', true],
  ['too many others, later', streamed('overloaded_error', 'Overloaded'), 'overloaded', true],
  ['a fault there', answered(500, 'api_error', 'Internal server error'), 'model-failed', true],
  ['a fault there, later', streamed('api_error', 'Internal server error'), 'model-failed', true],
  [
    'a fault here',
    answered(400, 'invalid_request_error', 'messages: required'),
    'invalid-request',
    false,
  ],
  ['no server', disconnected('ECONNREFUSED'), 'unreachable', false],
  ['no such name', disconnected('ENOTFOUND'), 'unreachable', false],
  ['a broken line', disconnected('ECONNRESET'), 'unreachable', true],
  ['a false certificate', disconnected('SELF_SIGNED_CERT_IN_CHAIN'), 'tls-failed', false],
  ['an old certificate', disconnected('CERT_HAS_EXPIRED'), 'tls-failed', false],
  ['no connection in time', disconnected('UND_ERR_CONNECT_TIMEOUT'), 'timeout', true],
  ['no answer in time', new Anthropic.APIConnectionTimeoutError(), 'timeout', true],
  ['something else', new RangeError('odd'), 'model-failed', false],
  ['no error at all', 'just a word', 'model-failed', false],
  ['nothing', undefined, 'model-failed', false],
]

describe('toPrecisError', () => {
  it.each(ROWS)('%s', (_what, thrown, code, retryable) => {
    const error = toPrecisError(thrown, CONTEXT)
    expect({ code: error.code, retryable: error.retryable }).toEqual({ code, retryable })
    expect(error.where).toBe('anthropic/claude-x at https://api.example')
    if (code !== 'model-failed') expect(error.hint).toMatch(/\.$/)
  })

  it('says which variable holds the key, and where the address is set', () => {
    const refused = toPrecisError(answered(401, 'authentication_error', 'no'), CONTEXT)
    expect(refused.hint).toBe('Set ANTHROPIC_API_KEY to a valid key.')
    expect(missingKey(CONTEXT)).toMatchObject({ code: 'auth-failed', hint: refused.hint })
    expect(toPrecisError(disconnected('ECONNREFUSED'), CONTEXT).hint).toContain(
      'providers.anthropic.baseUrl',
    )
  })

  it('keeps what the server said of waiting, of the request, and of trying again', () => {
    const headers = { 'retry-after': '12', 'request-id': 'req_1', 'x-should-retry': 'false' }
    const error = toPrecisError(answered(429, 'rate_limit_error', 'slow', headers), CONTEXT)
    expect(error.retryable).toBe(false)
    expect(error.details).toMatchObject({ status: 429, retryAfterMs: 12_000, requestId: 'req_1' })
  })

  it('gives back one of ours, however deep it is wrapped', () => {
    const ours = new PrecisError('invalid-request', 'a broken rule')
    const wrapped = new Anthropic.APIConnectionError({ message: 'Connection error.', cause: ours })
    expect(toPrecisError(wrapped, CONTEXT)).toBe(ours)
  })

  it('says of a time-out who was late, and which setting makes it wait longer', () => {
    const ours = new PrecisError('timeout', 'too late', {
      retryable: true,
      details: { limitMs: 5 },
    })
    expect(toPrecisError(ours, CONTEXT)).toMatchObject({
      code: 'timeout',
      message: 'too late',
      where: 'anthropic/claude-x at https://api.example',
      hint: expect.stringContaining('providers.anthropic.timeoutMs'),
      retryable: true,
      details: { provider: 'anthropic', limitMs: 5 },
    })
  })

  it('shows a page as one short line', () => {
    const page = `<html>\n${'x'.repeat(5_000)}</html>`
    const error = toPrecisError(answered(502, 'api_error', page), CONTEXT)
    expect(error.message.length).toBeLessThan(800)
    expect(error.message).not.toContain('\n')
  })

  it('survives causes that go in a circle', () => {
    const circle = new Error('round') as Error & { cause: unknown }
    circle.cause = circle
    expect(toPrecisError(circle, CONTEXT).message).toContain('round')
  })
})

describe('keys', () => {
  // What can stand in a header; shorter ones are placeholders, not secrets.
  const key = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 80,
  })
  const around = fc.string({ maxLength: 40 })

  it('never appear, in whatever failure, at whatever depth', () => {
    fc.assert(
      fc.property(
        key,
        around,
        around,
        fc.integer({ min: 0, max: 5 }),
        (secret, before, after, way) => {
          const said = `${before}${secret}${after}`
          const error = toPrecisError(leaking(way, said, secret), {
            ...CONTEXT,
            baseUrl: `https://me:${encodeURIComponent(secret)}@api.example/v1`,
            secrets: [secret],
          })
          const quoted = JSON.stringify(secret).slice(1, -1)
          for (const shown of [
            everything(error),
            inspect(error, { depth: 20, showHidden: true }),
          ]) {
            expect(shown).not.toContain(secret)
            expect(shown).not.toContain(quoted)
          }
        },
      ),
      runs(500),
    )
  })

  it('are not quoted in part either', () => {
    const echo = 'Incorrect API key provided: sk-proj-abcd*********wxyz. See the docs.'
    const error = toPrecisError(answered(401, 'invalid_api_key', echo), CONTEXT)
    expect(everything(error)).not.toContain('abcd')
    expect(everything(error)).not.toContain('wxyz')
  })
})

/** Ways in which a key has been seen in failures: bodies, headers, header errors, addresses. */
function leaking(way: number, said: string, secret: string): unknown {
  switch (way) {
    case 0:
      return answered(401, 'authentication_error', said, { 'request-id': 'r' })
    case 1:
      return streamed(said, said)
    case 2:
      return new TypeError(`Headers.append: "${secret}" is an invalid header value.`)
    case 3:
      return new Anthropic.APIConnectionError({ message: said, cause: new Error(said) })
    case 4:
      return { status: 500, error: { error: { message: said, code: said } }, headers: { a: said } }
    default:
      return `request to https://api.example/?key=${encodeURIComponent(secret)} failed: ${said}`
  }
}

/** The error and its causes as JSON, with what JSON leaves out of errors. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? ''
  const { message, stack, name } = error
  return JSON.stringify({ ...error, message, stack, name }) + everything(error.cause ?? null)
}
