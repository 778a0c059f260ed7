// One request over HTTP: JSON out, a checked answer in, and every failure as a PrecisError.
// Request schemas of the HTTP API; strict, so a misspelt field is an error
import { z } from 'zod'
import { PrecisError } from '../core/errors.ts'
import { problemSchema } from './schemas.ts'
import { fromProblem } from './wire.ts'

export type Fetch = (request: Request) => Promise<Response> | Response

export interface Transport {
  readonly fetch: Fetch
  /** Where `/api` begins: `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  readonly token?: string
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1; `Math.random` by itself. */
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

/** The answer, by its schema. */
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
 * The answer as it came, where it is a success. A write is sent once more where the connection failed:
 * its key tells the server whether it has seen it.
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
    return undefined // no schema takes it
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

const seq = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const name = z.string().min(1).max(200)
const words = z.string().max(100_000)

export const threadParams = z.object({ threadId: name })
export const callParams = z.object({ threadId: name, callId: z.string().min(1).max(500) })
export const previewParams = z.object({ threadId: name, previewId: name })
export const pinParams = z.object({ threadId: name, pinId: name })
export const compactionParams = z.object({ threadId: name, compaction: seq })

export const threadsQuery = z.strictObject({
  after: z.string().max(2_000).exactOptional(),
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
  search: z.string().max(1_000).exactOptional(),
})
export const eventsQuery = z.strictObject({
  from: seq.exactOptional(),
  to: seq.exactOptional(),
  limit: z.coerce.number().int().min(1).max(10_000).exactOptional(),
})
export const contextEntriesQuery = z.strictObject({
  from: z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).exactOptional(),
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
})
export const placesQuery = z.strictObject({
  from: seq.exactOptional(),
  limit: z.coerce.number().int().min(1).max(2_000).exactOptional(),
})
export const streamQuery = z.strictObject({
  after: z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).exactOptional(),
})
export const machineSessionsQuery = z.strictObject({
  search: z.string().max(1_000).exactOptional(),
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
})
export const openSessionBody = z.strictObject({ id: name }).meta({ id: 'OpenSession' })
export const recallQuery = z.strictObject({
  query: z.string().min(1).max(10_000).exactOptional(),
  ref: z.string().min(1).max(500).exactOptional(),
  offset: z.coerce.number().int().nonnegative().exactOptional(),
})
export const formatQuery = z.strictObject({ format: name })
export const importQuery = z.strictObject({ format: name.exactOptional() })
export const filesQuery = z.strictObject({ typed: z.string().max(4_096).default('') })

export const newThreadBody = z
  .strictObject({
    title: z.string().max(1_000).exactOptional(),
    model: name.exactOptional(),
    preset: name.exactOptional(),
    workspace: z.string().min(1).max(4_096).exactOptional(),
  })
  .meta({ id: 'NewThread' })

const media = z.strictObject({
  mimeType: name,
  data: z.string().exactOptional().describe('base64'),
  uri: z.string().exactOptional(),
  text: z.string().exactOptional(),
  title: z.string().exactOptional(),
  widthPx: z.number().positive().exactOptional(),
  heightPx: z.number().positive().exactOptional(),
})

const MOST_PARTS = 1_000

/** What people can say: nobody but a model thinks, calls tools, or has parts of its own. */
const said = z
  .union([
    z.string().min(1),
    z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('text'), text: z.string() }),
          z.strictObject({ type: z.enum(['image', 'document']), media }),
        ]),
      )
      .min(1)
      .max(MOST_PARTS),
  ])
  .meta({ id: 'UserContent' })
export const messageBody = z.strictObject({ content: said }).meta({ id: 'Message' })

export const decisionBody = z.strictObject({ decision: z.enum(['allow', 'deny']) })

export const compactBody = z
  .strictObject({
    strategy: name.exactOptional(),
    instructions: words.exactOptional(),
    nextPrompt: words.exactOptional(),
  })
  .meta({ id: 'CompactRequest' })

export const applyBody = z.strictObject({
  texts: z.record(z.string(), z.string()).exactOptional().describe('edited texts, by their keys'),
})
export const undoBody = z.strictObject({ compaction: seq.exactOptional() })
export const forkBody = z.strictObject({ seq: seq.exactOptional() })
export const pinBody = z.strictObject({ text: words.min(1) })

export const changeBody = z
  .strictObject({
    model: name.exactOptional(),
    thinking: name.exactOptional(),
    preset: name.exactOptional(),
    strategy: name.exactOptional(),
  })
  .meta({ id: 'ThreadChange' })
