// One request over HTTP: JSON out, a checked answer in, and every failure as a PrecisError.
import type { z } from 'zod'
import { PrecisError } from '../core/errors.ts'
import { problemSchema } from './schemas.ts'
import { fromProblem } from './wire.ts'

export type Fetch = (request: Request) => Promise<Response> | Response

export interface Transport {
  readonly fetch: Fetch
  /** The URL before `/api`: `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  readonly token?: string
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1; default `Math.random`. */
  readonly random?: () => number
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown // as JSON
  readonly text?: string // as it is, in place of `body`
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const RETRY_MS = 200

/** The answer, parsed with its schema. */
export async function callJson<T>(
  transport: Transport,
  schema: z.ZodType<T>,
  call: Call,
): Promise<T> {
  const response = await callRaw(transport, call)
  const answer = schema.safeParse(await readJson(response))
  if (answer.success) return answer.data
  const [issue] = answer.error.issues
  throw unexpected(call, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

/**
 * The raw answer of a success. A write is repeated once after a failed connection; its key tells the server
 * whether it has seen it.
 */
export async function callRaw(transport: Transport, call: Call): Promise<Response> {
  const isWrite = (call.method ?? 'GET') !== 'GET'
  const key = isWrite ? { 'idempotency-key': randomKey() } : {}
  const send = () => transport.fetch(readRequest(transport, call, key))
  const response = await attempt(call, send).catch(async (error: PrecisError) => {
    if (!isWrite || error.code !== 'unreachable') throw error
    await transport.sleep(RETRY_MS, call.signal)
    return attempt(call, send)
  })
  if (response.ok) return response
  throw await findProblem(response, call)
}

async function attempt(call: Call, send: () => Promise<Response> | Response): Promise<Response> {
  try {
    return await send()
  } catch (thrown) {
    if (PrecisError.is(thrown)) throw thrown
    if (call.signal?.aborted) throw new PrecisError('aborted', 'The request was aborted.')
    throw new PrecisError('unreachable', 'The server cannot be reached.', {
      hint: 'Check that it runs, and its address.',
      retryable: true,
      cause: thrown,
    })
  }
}

function readRequest(
  { baseUrl, token }: Transport,
  { method = 'GET', path, query = {}, body, text, headers, signal }: Call,
  key: Readonly<Record<string, string>>,
): Request {
  const url = new URL(`/api${path}`, baseUrl)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = text === undefined ? 'application/json' : 'application/octet-stream'
  return new Request(url, {
    method,
    headers: {
      ...(content !== undefined && { 'content-type': type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...key,
      ...headers,
    },
    ...(content !== undefined && { body: content }),
    ...(signal && { signal }),
  })
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a body no schema accepts
  }
}

async function findProblem(response: Response, call: Call): Promise<PrecisError> {
  const problem = problemSchema.safeParse(await readJson(response))
  if (problem.success) return fromProblem(problem.data)
  return unexpected(call, `status ${response.status}`)
}

function unexpected({ path }: Call, what: string): PrecisError {
  return new PrecisError('unreachable', `The server is not précis: ${what}.`, {
    where: `/api${path}`,
    hint: 'Check the address, and that client and server have the same version.',
  })
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
